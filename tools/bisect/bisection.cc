#include "tools/bisect/bisection.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/compare.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/fnv1a.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/thread.h"
#include "hal/buffer_view.h"
#include "tools/bisect/aligned_run.h"
#include "tools/bisect/bytes.h"
#include "tools/bisect/lockstep.h"
#include "tools/bisect/recording.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxText = 1000;  // bytes of a sentence
// Results may differ more than those of one dispatch, because errors add up.
constexpr double kResults = 10;
constexpr double kNarrow = 10;  // f16 and bf16 have fewer digits

abi::Tolerance ToleranceOf(double tolerance) {
  abi::Tolerance allowed;
  allowed.f32 = allowed.f64 = allowed.relative = tolerance * kResults;
  allowed.f16 = allowed.bf16 = tolerance * kResults * kNarrow;
  return allowed;
}

absl::Status FailureOf(const Side& side, const absl::Status& status) {
  if (absl::IsCancelled(status)) return status;
  return absl::Status(
      status.code(),
      absl::StrCat("The ", side.name(), " side fails: ", status.message()));
}

// Adds a sentence for each result that differs.
absl::Status AddDifferences(std::span<const abi::ParsedValue> expected,
                            std::span<const vm::Value> actual, double tolerance,
                            BisectReport& report) {
  ASSIGN_OR_RETURN(
      const abi::Comparison comparison,
      abi::CompareValues(expected, actual, ToleranceOf(tolerance), {}));
  if (comparison.same) return absl::OkStatus();
  for (const std::string& sentence : comparison.details) {
    report.results.push_back(PlainText(sentence, kMaxText));
  }
  if (!report.results.empty()) return absl::OkStatus();
  std::string text =
      absl::StrReplaceAll(comparison.text, {{"[FAILED] ", ""}, {"\n", " "}});
  absl::RemoveExtraAsciiWhitespace(&text);
  report.results.push_back(PlainText(text, kMaxText));
  return absl::OkStatus();
}

// INVALID_ARGUMENT: the sides have other arguments or results.
absl::Status CheckTypes(absl::string_view what,
                        std::span<const std::string> good,
                        std::span<const std::string> bad) {
  constexpr char kEnd[] = "; bisect compares modules of one signature.";
  if (good.size() != bad.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The good side has ", good.size(), " ", what,
                     "s, and the bad side ", bad.size(), kEnd));
  }
  for (size_t i = 0; i < good.size(); ++i) {
    if (good[i] == bad[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The ", what, " ", i, " is ", good[i], " on the good side and ", bad[i],
        " on the bad side", kEnd));
  }
  return absl::OkStatus();
}

// A meeting that sides leave at once.
void LeaveBoth(Meeting& meeting) {
  meeting.Leave(SideOf::kGood);
  meeting.Leave(SideOf::kBad);
}

}  // namespace

void Bisection::Cancel() {
  stop_ = true;
  if (good_ != nullptr) good_->Cancel();
  bad_.Cancel();
}

absl::Status Bisection::RunBoth(hal::DispatchObserver& good,
                                hal::DispatchObserver& bad, Meeting& meeting) {
  if (stop_) return absl::CancelledError("interrupted");
  {
    ASSIGN_OR_RETURN(const Thread thread, Thread::Start("the good side", [&] {
                       good_results_ = good_->Run(&good);
                       meeting.Leave(SideOf::kGood);
                     }));
    bad_results_ = bad_.Run(&bad);
    meeting.Leave(SideOf::kBad);
  }
  return stop_ ? absl::CancelledError("interrupted") : absl::OkStatus();
}

bool Bisection::HaveSameResults() {
  if (!good_results_.ok() || !bad_results_.ok()) return false;
  std::vector<abi::ParsedValue> known;
  for (vm::Value& value : *good_results_) known.push_back({std::move(value)});
  const auto compared =
      abi::CompareValues(known, *bad_results_, ToleranceOf(tolerance_), {});
  return compared.ok() && compared->same;
}

absl::Status Bisection::FindWriters(std::span<const vm::Value> results,
                                    BisectReport& report) {
  Recorder recorder;
  RETURN_IF_ERROR(bad_.Run(&recorder).status());
  const Recording& recording = recorder.recording();
  report.comparison.bad_dispatches = recording.size();
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type() != vm::ValueType::kRef) continue;
    const auto* view = RefCast<hal::BufferView>(results[i].ref());
    if (view == nullptr || view->byte_length() == 0) continue;
    std::vector<uint8_t> copy(view->byte_length());
    RETURN_IF_ERROR(view->buffer()->Read(0, copy));
    const uint64_t hash = Fnv1a(copy);
    for (size_t k = recording.size(); k-- > 0;) {
      const bool wrote = std::any_of(
          recording[k].writes.begin(), recording[k].writes.end(),
          [&](const WrittenTensor& tensor) {
            return tensor.hash == hash && tensor.range.size() == copy.size();
          });
      if (!wrote) continue;
      report.writers.push_back(absl::StrCat(
          "Result ", i, " was written by dispatch ", k, ", '",
          PlainName(recording[k].kernel),
          "'. Give a second module or device to learn which dispatch computes "
          "something else."));
      break;
    }
  }
  return absl::OkStatus();
}

absl::Status Bisection::CompareResults(BisectReport& report) {
  std::vector<abi::ParsedValue> known;
  if (good_ != nullptr) {
    auto good = good_->Run(nullptr);
    if (!good.ok()) return FailureOf(*good_, good.status());
    for (vm::Value& value : *good) known.push_back({std::move(value)});
  }
  if (stop_) return absl::CancelledError("interrupted");
  auto bad = bad_.Run(nullptr);
  if (absl::IsCancelled(bad.status()) && stop_) return bad.status();
  if (!bad.ok()) {
    if (good_ == nullptr) return FailureOf(bad_, bad.status());
    report.failure = std::string(FailureOf(bad_, bad.status()).message());
    return absl::OkStatus();
  }
  if (good_ == nullptr) {
    RETURN_IF_ERROR(AddDifferences(bad_.expected(), *bad, tolerance_, report));
    return report.results.empty() ? absl::OkStatus()
                                  : FindWriters(*bad, report);
  }
  std::vector<std::string> good_types;
  std::vector<std::string> bad_types;
  for (const abi::ParsedValue& each : known) {
    good_types.push_back(TypeOf(each.value));
  }
  for (const vm::Value& each : *bad) bad_types.push_back(TypeOf(each));
  RETURN_IF_ERROR(
      CheckTypes("argument", good_->argument_types(), bad_.argument_types()));
  RETURN_IF_ERROR(CheckTypes("result", good_types, bad_types));
  return AddDifferences(known, *bad, tolerance_, report);
}

absl::Status Bisection::CompareDispatches(BisectReport& report) {
  Lockstep lockstep(stop_, tolerance_);
  RETURN_IF_ERROR(RunBoth(lockstep.good(), lockstep.bad(), lockstep.meeting()));
  if (!lockstep.mismatch().empty()) {
    return CompareAligned(lockstep.mismatch(), report);
  }
  std::optional<Comparison> comparison = lockstep.Finish(HaveSameResults());
  if (!comparison) return CompareAligned(lockstep.mismatch(), report);
  report.was_compared = true;
  report.method = "in lockstep";
  report.comparison = *std::move(comparison);
  if (bad_results_.ok()) {
    return good_results_.ok() ? absl::OkStatus()
                              : FailureOf(*good_, good_results_.status());
  }
  const std::string& running = report.comparison.running;
  // While the bad side hangs, the good one waits, and may exceed its time, too.
  if (running.empty() && report.comparison.compared == 0) {
    return FailureOf(bad_, bad_results_.status());
  }
  report.failure = absl::StrCat(
      "The bad side fails ",
      running.empty() ? absl::StrCat("after ", report.comparison.compared,
                                     " dispatches that were compared")
                      : absl::StrCat("in dispatch ", report.comparison.compared,
                                     ", '", PlainName(running), "'"),
      ": ", bad_results_.status().message());
  return absl::OkStatus();
}

absl::Status Bisection::CompareAligned(const std::string& reason,
                                       BisectReport& report) {
  Recorder good;
  Recorder bad;
  Meeting nobody(stop_);
  LeaveBoth(nobody);
  RETURN_IF_ERROR(RunBoth(good, bad, nobody));
  if (!good_results_.ok()) return FailureOf(*good_, good_results_.status());
  if (!bad_results_.ok() && report.failure.empty()) {
    return FailureOf(bad_, bad_results_.status());
  }
  AlignedRun run(stop_, tolerance_, good.recording(), bad.recording());
  report.was_compared = true;
  report.method = absl::StrCat("by the tensors they write, because ", reason);
  if (run.pairs() != 0) {
    RETURN_IF_ERROR(RunBoth(run.good(), run.bad(), run.meeting()));
    if (!good_results_.ok()) return FailureOf(*good_, good_results_.status());
    if (!bad_results_.ok() && report.failure.empty()) {
      return FailureOf(bad_, bad_results_.status());
    }
  }
  report.comparison = run.Finish(HaveSameResults());
  // Runs that cut the program differently differ within it.
  if (report.results.empty() && report.failure.empty()) {
    report.comparison.findings.clear();
  }
  return absl::OkStatus();
}

absl::Status Bisection::Run(bool always, BisectReport& report) {
  RETURN_IF_ERROR(CompareResults(report));
  if (good_ == nullptr) return absl::OkStatus();
  if (!always && report.results.empty() && report.failure.empty()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CompareDispatches(report));
  for (Finding& finding : report.comparison.findings) {
    good_->Locate(finding.good);
    bad_.Locate(finding.bad);
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
