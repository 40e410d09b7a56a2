// `eyrie diff`: says what differs between two modules.
//
// Tested by diff_test.txt.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/diff/changes.h"
#include "tools/diff/diff_report.h"
#include "tools/diff/line_diff.h"
#include "tools/diff/module_parts.h"
#include "tools/other_files.h"
#include "vm/asm/function_texts.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLines = 40;  // per list
// Comparisons of lines, over all functions: less than a second.
constexpr int64_t kLineBudget = int64_t{1} << 26;

// Exit codes, as those of diff(1).
constexpr int kEqual = 0;
constexpr int kDifferent = 1;
constexpr int kTrouble = 2;

constexpr char kUsage[] =
    "# Usage: eyrie diff [flags] a.vmfb b.vmfb\n"
    "# Says what differs between two compiled modules: functions, imports,\n"
    "# exports and their reflection, constants, executables, requirements.\n"
    "# Runs no code of them. '-' reads standard input. The exit code is 0 if\n"
    "# nothing differs, 1 if something differs, and 2 after an error.\n"
    "#   eyrie diff old.vmfb new.vmfb\n"
    "#   eyrie diff old.vmfb new.vmfb --code\n\n";

constexpr Flag kFlags[] = {
    kHelpFlag,
    kFlagfileFlag,
    {"code", FlagKind::kBool, "false",
     "Shows the lines of assembly that differ in functions that both modules\n"
     "have."},
    {"all", FlagKind::kBool, "false",
     "Shows all entries of each list instead of the first 40."},
    {"json", FlagKind::kBool, "false", "Prints the differences as JSON."},
};

using ModulePtr = std::shared_ptr<const vm::VerifiedModule>;

absl::StatusOr<ModulePtr> Load(const std::string& path) {
  return WithCommands(vm::LoadModule(path), path);
}

bool HaveSameBytes(const vm::VerifiedModule& a, const vm::VerifiedModule& b) {
  const auto before = a.def().archive().bytes();
  const auto after = b.def().archive().bytes();
  return std::equal(before.begin(), before.end(), after.begin(), after.end());
}

// Returns the functions whose code differs, as pairs of ordinals.
std::vector<std::pair<uint32_t, uint32_t>> ChangedCode(
    const std::vector<SectionChange>& changes) {
  std::vector<std::pair<uint32_t, uint32_t>> functions;
  for (const SectionChange& section : changes) {
    if (section.before->name != kFunctions) continue;
    for (const ItemChange& item : section.items) {
      if (item.before == nullptr || item.after == nullptr) continue;
      for (const PropertyChange& property : item.properties) {
        if (property.name() != kCode) continue;
        functions.emplace_back(item.before - section.before->items.data(),
                               item.after - section.after->items.data());
      }
    }
  }
  return functions;
}

using Texts = absl::flat_hash_map<uint32_t, std::string>;

// Stores the text of each function that `texts` has.
absl::Status ReadTexts(const vm::VerifiedModule& module,
                       const ModuleParts& parts, Texts& texts) {
  return vm::VisitFunctionTexts(
      module, parts.constants, [&texts](const vm::FunctionText& text) {
        const auto it = texts.find(text.function);
        if (it != texts.end()) {
          it->second = std::string(text.text.data(), text.text.size());
        }
      });
}

struct Side {
  ModulePtr module;
  ModuleParts parts;
};

// Adds the diffs of functions to the report.
absl::Status AddCode(const Side& before, const Side& after,
                     DiffReport& report) {
  const auto functions = ChangedCode(report.changes);
  Texts old_texts;
  Texts new_texts;
  for (const auto& [old_function, new_function] : functions) {
    old_texts[old_function];
    new_texts[new_function];
  }
  RETURN_IF_ERROR(ReadTexts(*before.module, before.parts, old_texts));
  RETURN_IF_ERROR(ReadTexts(*after.module, after.parts, new_texts));
  int64_t budget = kLineBudget;
  for (const SectionChange& section : report.changes) {
    if (section.before->name != kFunctions) continue;
    for (const auto& [old_function, new_function] : functions) {
      report.code[&section.before->items[old_function]] =
          UnifiedDiff(old_texts[old_function], new_texts[new_function], budget);
    }
  }
  return absl::OkStatus();
}

// Prints the differences and returns the exit code.
absl::StatusOr<int> Diff(const Arguments& arguments) {
  Side before;
  Side after;
  DiffReport report;
  report.before = arguments.positional()[0];
  report.after = arguments.positional()[1];
  ASSIGN_OR_RETURN(before.module, Load(report.before));
  ASSIGN_OR_RETURN(after.module, Load(report.after));
  for (const ModulePtr& module : {before.module, after.module}) {
    report.file_bytes += module->def().archive().bytes().size();
  }
  if (!HaveSameBytes(*before.module, *after.module)) {
    ASSIGN_OR_RETURN(before.parts, ReadModuleParts(*before.module));
    ASSIGN_OR_RETURN(after.parts, ReadModuleParts(*after.module));
    report.changes = CompareParts(before.parts, after.parts);
    if (arguments.GetBool("code")) {
      RETURN_IF_ERROR(AddCode(before, after, report));
    }
  }
  const size_t most = arguments.GetBool("all") ? 0 : kMaxLines;
  RETURN_IF_ERROR(WriteTextTo("-", [&](TextSink sink) {
    return arguments.GetBool("json") ? PrintDiffJson(report, sink)
                                     : PrintDiffText(report, most, sink);
  }));
  return report.changes.empty() ? kEqual : kDifferent;
}

absl::StatusOr<int> Run(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kFlags, args));
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kUsage, FlagsHelp(kFlags))));
    return kEqual;
  }
  const auto& files = arguments.positional();
  if (files.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "eyrie diff takes two module files, not ", files.size(), "."));
  }
  if (files[0] == "-" && files[1] == "-") {
    return absl::InvalidArgumentError(
        "Only one of the two files can be '-', standard input.");
  }
  return Diff(arguments);
}

}  // namespace

int DiffMain(std::span<const char* const> args) {
  const absl::StatusOr<int> code = Run(args);
  if (code.ok()) return *code;
  ReportError(code.status());
  return kTrouble;
}

}  // namespace eyrie::tools
