// The assembler makes plans and restores every module from its text, so the
// plan is made in this way. Only constants do not become text.
#include "tools/upgrade/module_plan_of.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/asm/assembler.h"
#include "vm/asm/disassembler.h"

namespace eyrie::tools {

absl::StatusOr<vm::ModulePlan> PlanOf(const vm::VerifiedModule& module) {
  vm::DisassemblyOptions to_text;
  to_text.inline_bytes = 0;
  to_text.store = [](size_t ordinal, std::span<const uint8_t>) {
    return absl::StatusOr<std::string>(absl::StrCat(ordinal));
  };
  ASSIGN_OR_RETURN(const std::string text, vm::Disassemble(module, to_text));
  vm::AssemblerOptions to_plan;
  to_plan.verify = false;
  to_plan.read_file =
      [&module](
          const std::string& name) -> absl::StatusOr<std::vector<uint8_t>> {
    size_t ordinal = 0;
    const auto& rodata = module.def().rodata;
    if (!absl::SimpleAtoi(name, &ordinal) || ordinal >= rodata.size()) {
      return absl::InternalError(
          absl::StrCat("The module has no constant '", name, "'."));
    }
    const std::span<const uint8_t> bytes = rodata[ordinal].bytes;
    return std::vector<uint8_t>(bytes.begin(), bytes.end());
  };
  ASSIGN_OR_RETURN(vm::ModulePlan plan,
                   vm::AssemblePlan(text, "the module's text", to_plan));
  return plan;
}

}  // namespace eyrie::tools
