#include "tools/jit_flags.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/command.h"
#include "tools/usage_error.h"
#include "vm/jit/jit.h"

namespace eyrie::tools {
namespace {

constexpr Flag kJitFlags[] = {
    Heading("Compiled functions"),
    {"jit", FlagKind::kString, "lazy",
     "Compiles functions of modules to machine code: lazy compiles hot\n"
     "functions, eager each function when it is first called, off none. Other\n"
     "functions are interpreted.",
     nullptr, /*needs_jit=*/true},
    {"perf_map", FlagKind::kBool, "false",
     "Tells Linux perf the names of native kernels and compiled functions, in\n"
     "perf-PID.map under /tmp. The file is kept when the process ends."},
    {"gdb", FlagKind::kBool, "false",
     "Tells gdb the names and call frames of compiled functions.", nullptr,
     /*needs_jit=*/true},
    {"verbose", FlagKind::kBool, "false",
     "Prints why functions of modules are not compiled to machine code.",
     nullptr,
     /*needs_jit=*/true},
};

// Returns null if compiling is not possible, with a note if the user would miss
// it. A lazy compiler fails only when a function is hot, so an eager one is
// created to report the reason.
std::shared_ptr<const vm::Jit> CreateJit(vm::jit::Mode mode,
                                         vm::jit::Names names, bool verbose) {
  if (verbose || mode == vm::jit::Mode::kEager) {
    const auto refused = vm::jit::Create(vm::jit::Mode::kEager).status();
    if (!refused.ok()) {
      PrintNote(absl::StrCat(refused.message(), " Modules are interpreted."));
    }
  }
  return vm::jit::Create(mode, std::move(names)).value_or(nullptr);
}

}  // namespace

std::span<const Flag> JitFlags() { return kJitFlags; }

absl::StatusOr<std::shared_ptr<PerfMap>> PerfMapOf(const Arguments& arguments) {
  if (!arguments.GetBool("perf_map")) return std::shared_ptr<PerfMap>();
  static const absl::StatusOr<std::shared_ptr<PerfMap>> kMap =
      PerfMap::Create();
  return kMap;
}

absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(
    const Arguments& arguments) {
  const std::string& text = arguments.GetString("jit");
  if (text == "off") return std::shared_ptr<const vm::Jit>();
  if (text != "lazy" && text != "eager") {
    return UsageError(absl::StrCat(
        "--jit='", text, "' is not valid; expected off, lazy or eager."));
  }
  vm::jit::Names names;
  names.gdb = arguments.GetBool("gdb");
  ASSIGN_OR_RETURN(names.perf_map, PerfMapOf(arguments));
  // Devices and sessions share one compiler.
  static const std::shared_ptr<const vm::Jit> kJit =
      CreateJit(text == "lazy" ? vm::jit::Mode::kLazy : vm::jit::Mode::kEager,
                std::move(names), arguments.GetBool("verbose"));
  return kJit;
}

}  // namespace eyrie::tools
