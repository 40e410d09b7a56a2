// `eyrie upgrade`: rewrites a module for the runtime of another release.
//
// Tested by upgrade_test.txt.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/load_flags.h"
#include "tools/other_files.h"
#include "tools/trace_flags.h"
#include "tools/upgrade/rewrite.h"
#include "tools/upgrade/upgrade_check.h"
#include "tools/usage_error.h"
#include "vm/isa/release.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

constexpr char kUsage[] =
    "# Usage: eyrie upgrade [flags] module.vmfb --to=RELEASE -o new.vmfb\n"
    "# Rewrites a compiled module so that the runtime of another release runs\n"
    "# it, older or newer. If the release cannot express a part of the "
    "module,\n"
    "# nothing is written and the error names the part.\n"
    "#   eyrie upgrade old.vmfb --to=3.13 -o new.vmfb\n"
    "#   eyrie upgrade old.vmfb --to=3.13 -o new.vmfb --check\n\n";

constexpr Flag kOwnFlags[] = {
    Heading("The new module"),
    {"to", FlagKind::kString, "",
     "The release whose runtime shall run the module, such as 3.13 or 20240828."
     "\nThe default is the newest that is known."},
    {"output", FlagKind::kString, "",
     "The file to write; also -o FILE. '-' is standard output. Without it the\n"
     "module is only rewritten in memory.",
     "-o"},
    {"check", FlagKind::kBool, "false",
     "Calls --function of both modules and compares the results, byte for\n"
     "byte. Without --function it calls all functions, with --input=auto.\n"
     "Writes nothing if results differ; the exit code is 1 then."},
};

absl::StatusOr<int> ReleaseOf(const Arguments& arguments) {
  const std::string& name = arguments.GetString("to");
  if (name.empty()) return vm::kNewestRelease;
  const std::optional<int> release = vm::FindRelease(name);
  if (release.has_value()) return *release;
  return UsageError(absl::StrCat("--to='", PlainName(name),
                                 "' is not a known release; expected ",
                                 vm::WritableReleases().ToString(), "."));
}

// Returns the arguments, with inputs for all functions if --check needs them.
absl::StatusOr<Arguments> Parse(std::span<const Flag> flags,
                                std::span<const char* const> args) {
  ASSIGN_OR_RETURN(Arguments arguments, ParseArguments(flags, args));
  if (!arguments.GetBool("check") || arguments.IsSet("function") ||
      arguments.IsSet("input")) {
    return arguments;
  }
  std::vector<const char*> with_inputs(args.begin(), args.end());
  with_inputs.insert(with_inputs.begin(), "--input=auto");
  return ParseArguments(flags, with_inputs);
}

// Returns false if --check finds results that differ.
absl::StatusOr<bool> Upgrade(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const int release, ReleaseOf(arguments));
  const std::vector<std::string> paths = ModulePaths(arguments);
  if (paths.empty() || (paths.size() > 1 && !arguments.GetBool("check"))) {
    return UsageError(absl::StrCat("eyrie upgrade takes one module, not ",
                                   paths.size(), "."));
  }
  const std::string& output = arguments.GetString("output");
  if (!output.empty()) {
    RETURN_IF_ERROR(CheckOutputPath(arguments.Prefix("output"), output, paths));
  }
  std::optional<UpgradeCheck> check;
  std::shared_ptr<const vm::VerifiedModule> module;
  if (arguments.GetBool("check")) {
    ASSIGN_OR_RETURN(check, UpgradeCheck::Prepare(arguments));
  } else {
    ASSIGN_OR_RETURN(module,
                     WithCommands(vm::LoadModule(paths.back()), paths.back()));
  }
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                   RewriteModule(check ? check->module() : *module, release));
  if (check.has_value()) {
    ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments));
    RETURN_IF_ERROR(tracing.Begin());
    ASSIGN_OR_RETURN(const bool same, check->Run(bytes));
    RETURN_IF_ERROR(tracing.Finish());
    if (!same) return false;
  }
  if (!output.empty()) RETURN_IF_ERROR(WriteFile(output, bytes));
  return true;
}

absl::StatusOr<bool> Run(std::span<const char* const> args) {
  const std::vector<Flag> flags = WithLoadFlags(kOwnFlags);
  ASSIGN_OR_RETURN(const Arguments arguments, Parse(flags, args));
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags))));
    return true;
  }
  ReportIgnoredFlags(arguments);
  return Upgrade(arguments);
}

}  // namespace

int UpgradeMain(std::span<const char* const> args) {
  const absl::StatusOr<bool> passed = Run(args);
  if (!passed.ok()) return ReportError(passed.status());
  return *passed ? 0 : 1;
}

}  // namespace eyrie::tools
