#include "tools/tune/tuner.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "abi/call/compare.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/deadline.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/bench_rows.h"
#include "tools/limit_flags.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"
#include "tools/tune/ranking.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMinTurns = 5;
// A turn is long enough that a call finds its own data in the caches.
constexpr absl::Duration kTurn = absl::Milliseconds(20);
constexpr size_t kMaxNote = 300;  // bytes
// f16 and bf16 have fewer digits than f32.
constexpr double kNarrow = 10;

constexpr Flag kTunerFlags[] = {
    Heading("Measurement"),
    {"tolerance", FlagKind::kDouble, "0.001",
     "Maximum difference of a float from the reference, the first module that\n"
     "runs: this much, and this part of its value. Ten times as much for f16\n"
     "and bf16. Other types must be equal."},
    {"time", FlagKind::kString, "2s",
     "Time of the calls of each module: a duration, or a number of seconds."},
};

double MillisecondsSince(Deadline begin) {
  return absl::ToDoubleMilliseconds(Deadline::Now() - begin);
}

abi::Tolerance ToleranceOf(double most) {
  abi::Tolerance tolerance;
  tolerance.f32 = tolerance.f64 = tolerance.relative = most;
  tolerance.f16 = tolerance.bf16 = most * kNarrow;
  return tolerance;
}

// Returns a note with the first line of an error. Names the candidate's file
// without its folder, which may be temporary.
std::string NoteOf(absl::string_view what, const absl::Status& status,
                   const Candidate& candidate) {
  const std::string message = absl::StrReplaceAll(
      status.message(), {{candidate.path, FileNameOf(candidate.path)}});
  return absl::StrCat(
      what, ": ", PlainText(message.substr(0, message.find('\n')), kMaxNote));
}

// Returns how results differ, in one line.
std::string TextOf(const abi::Comparison& comparison) {
  std::string text = comparison.details.empty()
                         ? absl::StrReplaceAll(comparison.text,
                                               {{"[FAILED] ", ""}, {"\n", " "}})
                         : absl::StrJoin(comparison.details, " ");
  absl::RemoveExtraAsciiWhitespace(&text);
  return PlainText(text, kMaxNote);
}

// Excludes a candidate that fails.
void Drop(const absl::Status& status, Candidate& candidate) {
  candidate.note = NoteOf("fails", status, candidate);
  candidate.turns_ms.clear();
  candidate.call.reset();
}

}  // namespace

std::span<const Flag> TunerFlags() { return kTunerFlags; }

absl::StatusOr<std::unique_ptr<Tuner>> Tuner::Create(
    const Arguments& arguments, const std::atomic<bool>& stop) {
  std::unique_ptr<Tuner> tuner(new Tuner(arguments, stop));
  tuner->tolerance_ = arguments.GetDouble("tolerance");
  if (!(tuner->tolerance_ >= 0)) {
    return UsageError(
        absl::StrCat("--tolerance=", tuner->tolerance_, " is not 0 or more."));
  }
  RETURN_IF_ERROR(
      ReadDuration(arguments, "time", absl::Seconds(1), tuner->time_));
  ASSIGN_OR_RETURN(tuner->options_.native_libraries,
                   LoadNativeLibraries(arguments));
  RETURN_IF_ERROR(ReadSessionOptions(arguments, tuner->options_));
  ASSIGN_OR_RETURN(tuner->devices_, OpenDevices(arguments));
  return tuner;
}

void Tuner::Cancel() {
  abi::Session* const session = running_;
  if (session != nullptr) session->Cancel();
}

absl::Status Tuner::Link(Candidate& candidate) {
  const Deadline begin = Deadline::Now();
  ASSIGN_OR_RETURN(abi::Program program, abi::LoadProgram(candidate.path));
  ASSIGN_OR_RETURN(candidate.session, abi::Session::Create({std::move(program)},
                                                           devices_, options_));
  candidate.load_ms = MillisecondsSince(begin);
  return absl::OkStatus();
}

absl::Status Tuner::Prepare(Candidate& candidate) {
  ASSIGN_OR_RETURN(
      abi::Callable function,
      candidate.session->Lookup(arguments_->GetString("function")));
  if (!has_inputs_) {
    ASSIGN_OR_RETURN(inputs_, ReadInputs(*arguments_, function, devices_[0]));
    has_inputs_ = true;
  }
  ASSIGN_OR_RETURN(candidate.call,
                   abi::PreparedCall::Create(std::move(function), inputs_));
  return absl::OkStatus();
}

absl::Status Tuner::Call(Candidate& candidate) {
  running_ = candidate.session.get();
  absl::Status status =
      *stop_ ? absl::CancelledError("interrupted") : candidate.call->Invoke();
  running_ = nullptr;
  return status;
}

absl::Status Tuner::Compare(Candidate& candidate) {
  const std::span<vm::Value> results = candidate.call->results();
  if (!has_reference_) {
    for (vm::Value& result : results) expected_.push_back({std::move(result)});
    has_reference_ = true;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      const abi::Comparison comparison,
      abi::CompareValues(expected_, results, ToleranceOf(tolerance_), {}));
  if (comparison.same) return absl::OkStatus();
  candidate.note = absl::StrCat("differs: ", TextOf(comparison));
  return absl::OkStatus();
}

absl::Status Tuner::Load(Candidate& candidate) {
  absl::Status status = Link(candidate);
  if (!status.ok()) {
    candidate.note = NoteOf("does not load", status, candidate);
    return absl::OkStatus();
  }
  const bool is_first = !has_inputs_;
  status = Prepare(candidate);
  if (!status.ok() && is_first) return status;
  const Deadline begin = Deadline::Now();
  if (status.ok()) status = Call(candidate);
  candidate.first_ms = MillisecondsSince(begin);
  if (status.ok()) status = Compare(candidate);
  if (!status.ok()) Drop(status, candidate);
  return absl::OkStatus();
}

absl::Status Tuner::TakeTurn(Candidate& candidate) {
  std::vector<double> times;
  const Deadline end = Deadline::After(kTurn);
  do {
    const Deadline begin = Deadline::Now();
    RETURN_IF_ERROR(Call(candidate));
    times.push_back(MillisecondsSince(begin));
  } while (!end.HasPassed());
  // The first call finds data of other candidates in the caches.
  if (times.size() > 1) times.erase(times.begin());
  candidate.turns_ms.push_back(QuartilesOf(std::move(times)).middle);
  return absl::OkStatus();
}

void Tuner::Measure(std::span<Candidate> candidates) {
  std::vector<Candidate*> running;
  for (Candidate& candidate : candidates) {
    if (candidate.call.has_value()) running.push_back(&candidate);
  }
  const Deadline end =
      Deadline::After(time_ * static_cast<int64_t>(running.size()));
  for (size_t turn = 0; turn < kMinTurns || !end.HasPassed(); ++turn) {
    for (Candidate* const candidate : running) {
      const absl::Status status = TakeTurn(*candidate);
      if (*stop_) return Rank(candidates);
      if (!status.ok()) Drop(status, *candidate);
    }
    std::erase_if(running, [](const Candidate* candidate) {
      return !candidate->call.has_value();
    });
    if (running.empty()) break;
    // Each round begins with another one.
    std::rotate(running.begin(), running.begin() + 1, running.end());
  }
  Rank(candidates);
}

}  // namespace eyrie::tools
