#include "tests/integration/manifest_cases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "abi/call/value_text.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "hal/vmvx/executable.h"
#include "tests/support/call_inputs.h"

namespace eyrie::tests {
namespace {

using Lines = std::vector<std::string>;

// Upstream's text for bytes. Eyrie prints their value.
constexpr char kNoPrinter[] = "(no printer)";

// Floats are printed with six digits, so equal ones may round differently.
constexpr double kRounding = 2e-6;

bool SameNumber(absl::string_view want, absl::string_view got,
                double tolerance) {
  double a = 0;
  double b = 0;
  if (!absl::SimpleAtod(want, &a) || !absl::SimpleAtod(got, &b)) return false;
  // The sign of a NaN depends on the processor.
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
}

// Reports whether a printed line is as expected, with a tolerance for floats.
bool SameLine(absl::string_view want, absl::string_view got, double tolerance) {
  if (want == got || want == kNoPrinter) return true;
  const auto separator = absl::ByAnyChar(" []=");
  const std::vector<absl::string_view> wants = absl::StrSplit(want, separator);
  const std::vector<absl::string_view> gots = absl::StrSplit(got, separator);
  if (wants.size() != gots.size()) return false;
  const absl::string_view head = want.substr(0, want.find('='));
  const bool is_float =
      absl::StrContains(head, "f") || absl::StrContains(head, "complex");
  for (size_t i = 0; i < wants.size(); ++i) {
    if (wants[i] == gots[i]) continue;
    if (!is_float || !SameNumber(wants[i], gots[i], tolerance)) return false;
  }
  return true;
}

}  // namespace

hal::DriverOptions EveryFormat() {
  hal::DriverOptions options;
  options.loaders.push_back(hal::vmvx::CreateLoader());
  return options;
}

SessionOr NewSession(const ProgramsOr& programs,
                     std::vector<Ref<hal::Device>> devices,
                     const vm::Limits& limits) {
  RETURN_IF_ERROR(programs.status());
  if (devices.empty()) {
    ASSIGN_OR_RETURN(devices, abi::OpenDevices(programs->devices, {}));
  }
  while (devices.size() < programs->devices.size()) {
    devices.push_back(devices.back());
  }
  abi::SessionOptions options;
  options.limits = limits;
  return abi::Session::Create(*programs, std::move(devices),
                              std::move(options));
}

namespace {

absl::StatusOr<std::vector<vm::Value>> ResultsOf(abi::Session& session,
                                                 const Json& call) {
  ASSIGN_OR_RETURN(abi::Callable callable,
                   session.Lookup(call["function"].get<std::string>()));
  ASSIGN_OR_RETURN(std::vector<vm::Value> arguments,
                   ReadArguments(callable, session.devices()[0],
                                 call["inputs"].get<Lines>()));
  return callable.Call(arguments);
}

}  // namespace

absl::StatusOr<std::string> Call(abi::Session& session, const Json& call) {
  ASSIGN_OR_RETURN(std::vector<vm::Value> results, ResultsOf(session, call));
  std::string text;
  abi::AppendValues("result", results, {}, text);
  return text;
}

absl::StatusOr<std::string> CallForBits(abi::Session& session,
                                        const Json& call) {
  ASSIGN_OR_RETURN(std::vector<vm::Value> results, ResultsOf(session, call));
  std::string text;
  abi::AppendValues("result", results, {}, text);
  for (const vm::Value& result : results) {
    if (!result.is_ref()) continue;
    auto* view = RefCast<hal::BufferView>(result.ref());
    if (view == nullptr) continue;
    std::string bytes(view->buffer()->byte_length(), '\0');
    RETURN_IF_ERROR(view->buffer()->Read(
        0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}));
    absl::StrAppend(&text, absl::BytesToHexString(bytes), "\n");
  }
  return text;
}

std::string Judge(const Json& call, const absl::StatusOr<std::string>& got) {
  if (call.contains("fails")) {
    const std::string want = call["fails"];
    if (got.ok()) return absl::StrCat("succeeds: ", *got);
    const std::string code = absl::StatusCodeToString(got.status().code());
    if (want == "ANY" || want == code) return "";
    return got.status().ToString();
  }
  if (!got.ok()) return got.status().ToString();
  const Lines want = call["expected"].get<Lines>();
  Lines lines = absl::StrSplit(*got, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  bool same = want.size() == lines.size();
  const double tolerance = call.value("tolerance", kRounding);
  for (size_t i = 0; same && i < want.size(); ++i) {
    same = SameLine(want[i], lines[i], tolerance);
  }
  if (same) return "";
  return absl::StrCat("\n  want: ", absl::StrJoin(want, "\n        "),
                      "\n  got:  ", absl::StrJoin(lines, "\n        "));
}

std::string RunCase(const Json& module, const Json& entry,
                    const SessionOr& session) {
  for (const Json& call : CallsOf(entry)) {
    const std::string wrong = Judge(
        call, session.ok() ? Call(**session, call)
                           : absl::StatusOr<std::string>(session.status()));
    if (wrong.empty()) continue;
    return absl::StrCat(module["file"].get<std::string>(), " ",
                        call["function"].get<std::string>(), " ",
                        call["inputs"].dump(), ": ", wrong);
  }
  return "";
}

}  // namespace eyrie::tests
