// `eyrie cpuinfo`: prints the processor's features that modules ask for, as
// iree-cpuinfo does.
//
// Tested by cli_test.txt, names_test.txt.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "hal/cpu/machine/cpu_features.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kCpuinfoUsage[] =
    "Usage: eyrie cpuinfo\n"
    "Prints the features of this machine's processor that modules ask for, by\n"
    "LLVM's names: 1 if it has them and the system saves their registers, "
    "else 0.\n\n";

constexpr Flag kCpuinfoFlags[] = {
    kHelpFlag,
};

absl::Status Print() {
  std::string text;
  for (const absl::string_view name : hal::cpu::QueriedFeatures()) {
    absl::StrAppendFormat(&text, "%-20s %d\n", name,
                          hal::cpu::CpuFeature(name).value_or(0));
  }
  return WriteStdout(text);
}

absl::Status RunCpuinfo(std::span<const char* const> args) {
  // The public tool ignores its arguments.
  if (UsesPublicExitCodes()) return Print();
  ASSIGN_OR_RETURN(const Arguments arguments,
                   ParseArguments(kCpuinfoFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kCpuinfoUsage, FlagsHelp(kCpuinfoFlags)));
  }
  if (!arguments.positional().empty()) {
    return UsageError("eyrie cpuinfo takes no arguments.");
  }
  return Print();
}

}  // namespace

int CpuInfoMain(std::span<const char* const> args) {
  const absl::Status status = RunCpuinfo(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
