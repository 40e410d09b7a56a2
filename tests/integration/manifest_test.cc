// Every case of tests/modules/manifest.json in this process, where sanitizers
// see it; also the sequences, several calls on one context, that the command
// line (run_manifest.py) cannot make.
//
// EYRIE_MANIFEST_ONLY, a part of a module's path, leaves other modules out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/function_io.h"
#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace eyrie {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

constexpr char kFolder[] = "tests/modules/";
// Upstream's word for bytes, which we print.
constexpr char kNoPrinter[] = "(no printer)";

// A module and those it needs, verified; any number of sessions may share them.
absl::StatusOr<std::vector<abi::Program>> LoadPrograms(const Json& module) {
  std::vector<abi::Program> programs;
  Lines paths;
  if (module.contains("needs")) paths = module["needs"].get<Lines>();
  paths.push_back(module["file"].get<std::string>());
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(abi::Program program,
                     abi::LoadProgram(absl::StrCat(kFolder, path)));
    programs.push_back(std::move(program));
  }
  return programs;
}

using SessionOr = absl::StatusOr<std::unique_ptr<abi::Session>>;

SessionOr NewSession(
    const absl::StatusOr<std::vector<abi::Program>>& programs) {
  RETURN_IF_ERROR(programs.status());
  ASSIGN_OR_RETURN(std::vector<Ref<hal::Device>> devices,
                   abi::OpenDevices({}, {}));
  return abi::Session::Create(*programs, std::move(devices));
}

// Calls a function with --input texts; gives what `eyrie run` prints.
absl::StatusOr<std::string> Call(abi::Session& session, const Json& call) {
  ASSIGN_OR_RETURN(abi::Callable callable,
                   session.Lookup(call["function"].get<std::string>()));
  std::vector<abi::ValueSlot> slots;
  for (size_t i = 0; i < callable.argument_types().size(); ++i) {
    slots.push_back({callable.argument_types()[i],
                     callable.declared_argument(i), callable.ArgumentName(i)});
  }
  abi::ValueReader reader(session.devices()[0], "--input");
  ASSIGN_OR_RETURN(std::vector<abi::ParsedValue> parsed,
                   reader.Read(call["inputs"].get<Lines>(), slots));
  std::vector<vm::Value> arguments;
  for (abi::ParsedValue& value : parsed) {
    arguments.push_back(std::move(value.value));
  }
  ASSIGN_OR_RETURN(std::vector<vm::Value> results, callable.Call(arguments));
  std::string text;
  abi::AppendValues("result", results, {}, text);
  return text;
}

// Floats are printed with six digits; equal ones may round apart.
constexpr double kRounding = 2e-6;

bool SameNumber(absl::string_view want, absl::string_view got,
                double tolerance) {
  double a = 0;
  double b = 0;
  if (!absl::SimpleAtod(want, &a) || !absl::SimpleAtod(got, &b)) return false;
  // The sign of a NaN is the processor's.
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
}

// Whether a printed line is the expected one. Numbers of floats may differ.
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

// What is wrong with a call's outcome, or nothing.
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

struct Tally {
  int passed = 0;
  int total = 0;
};

// Runs one case, a call or a sequence of them. True if it passes.
bool RunCase(const Json& module, const Json& entry, const SessionOr& session) {
  const Json calls =
      entry.contains("sequence") ? entry["sequence"] : Json::array({entry});
  for (const Json& call : calls) {
    const absl::StatusOr<std::string> got =
        session.ok() ? Call(**session, call)
                     : absl::StatusOr<std::string>(session.status());
    const std::string wrong = Judge(call, got);
    EXPECT_EQ(wrong, "") << module["file"] << " " << call["function"] << " "
                         << call["inputs"].dump();
    if (!wrong.empty()) return false;
  }
  return true;
}

// The modules that have cases, of those asked for.
std::vector<Json> Modules() {
  std::ifstream file(absl::StrCat(kFolder, "manifest.json"));
  const Json manifest = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  std::vector<Json> modules;
  if (!manifest.is_object()) return modules;
  const char* only = std::getenv("EYRIE_MANIFEST_ONLY");
  for (const Json& module : manifest["modules"]) {
    if (!module.contains("cases")) continue;
    const std::string path = module["file"];
    if (only == nullptr || absl::StrContains(path, only)) {
      modules.push_back(module);
    }
  }
  return modules;
}

TEST(Manifest, EveryCallGivesWhatItsReleaseGives) {
  std::map<std::string, Tally> by_release;
  for (const Json& module : Modules()) {
    const auto programs = LoadPrograms(module);
    Tally& tally = by_release[module["release"]];
    for (const Json& entry : module["cases"]) {
      ++tally.total;
      tally.passed += RunCase(module, entry, NewSession(programs));
    }
  }
  EXPECT_FALSE(by_release.empty());
  for (const auto& [release, tally] : by_release) {
    std::printf("%s: %d of %d cases pass\n", release.c_str(), tally.passed,
                tally.total);
  }
}

// Programs write to constants of theirs; nobody else may see it, and neither
// may the file.
TEST(Manifest, SessionsOfOneModuleShareNothingThatIsWritten) {
  for (const Json& module : Modules()) {
    const std::string source = module["source"];
    if (source != "sort.mlir" && source != "constants.mlir" &&
        source != "counter.mlir") {
      continue;
    }
    const auto programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    const auto bytes = programs->back()->def().archive().bytes();
    const std::vector<uint8_t> before(bytes.begin(), bytes.end());
    const bool has_state = source == "counter.mlir";
    for (const Json& entry : module["cases"]) {
      const SessionOr first = NewSession(programs);
      const SessionOr second = NewSession(programs);
      RunCase(module, entry, first);
      if (!has_state) RunCase(module, entry, first);
      RunCase(module, entry, second);
    }
    EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes.begin()))
        << module["file"];
  }
}

}  // namespace
}  // namespace eyrie
