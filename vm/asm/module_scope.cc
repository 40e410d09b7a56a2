// Maps names to ordinals, and completes the module at its end.
#include "vm/asm/module_scope.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/asm/frame_needs.h"
#include "vm/isa/callconv.h"

namespace eyrie::vm {
namespace {

void Store32(std::vector<uint8_t>& code, uint32_t at, uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    code[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }
}

uint32_t Load32(const std::vector<uint8_t>& code, uint32_t at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | code[at + i];
  return value;
}

}  // namespace

uint32_t ModuleScope::TypeOrdinal(const std::string& name) {
  if (const auto it = types.find(name); it != types.end()) return it->second;
  if (absl::StartsWith(name, "vm.")) {
    const auto it = types.find(absl::StrCat("!", name));
    if (it != types.end()) return it->second;
  }
  const auto ordinal = static_cast<uint32_t>(plan.types.size());
  types.emplace(name, ordinal);
  plan.types.push_back(name);
  return ordinal;
}

void ModuleScope::PlaceGlobals() {
  uint32_t refs = 0;
  uint32_t bytes = 0;
  for (uint32_t size : {0u, 4u, 8u}) {
    for (const std::string& name : global_order) {
      NamedGlobal& global = globals.at(name);
      if (global.size != size) continue;
      if (size == 0) {
        global.place = refs++;
      } else {
        bytes = (bytes + size - 1) / size * size;
        global.place = bytes;
        bytes += size;
      }
    }
  }
  used_global_bytes = bytes;
  used_global_refs = refs;
}

absl::StatusOr<uint32_t> ModuleScope::Find(const FunctionUse& use) const {
  const auto it = functions.find(use.name);
  if (it != functions.end()) return it->second;
  return use.place.Error(
      absl::StrCat("Function @", use.name, " does not exist."));
}

absl::Status ModuleScope::Resolve() {
  for (const FunctionUse& use : calls) {
    ASSIGN_OR_RETURN(const uint32_t callee, Find(use));
    Store32(plan.functions[use.function].code, use.offset, callee);
  }
  for (const FunctionUse& use : exports) {
    ASSIGN_OR_RETURN(plan.exports[use.function].function, Find(use));
  }
  SettleFrames();
  plan.requirements = 0;
  for (const ModulePlan::Function& function : plan.functions) {
    plan.requirements |= function.requirements;
  }
  if (requirements) plan.requirements = *requirements;
  plan.global_bytes = used_global_bytes;
  plan.global_refs = used_global_refs;
  if (global_sizes) {
    plan.global_bytes = global_sizes->first;
    plan.global_refs = global_sizes->second;
  }
  return absl::OkStatus();
}

void ModuleScope::SettleFrames() {
  // The verifier reports conventions that cannot be parsed.
  std::vector<CallingConvention> own;
  for (const ModulePlan::Function& function : plan.functions) {
    own.push_back(CallingConvention::Parse(function.convention)
                      .value_or(CallingConvention()));
  }
  std::vector<CallingConvention> imported;
  for (const ModulePlan::Import& import : plan.imports) {
    imported.push_back(CallingConvention::Parse(import.convention)
                           .value_or(CallingConvention()));
  }
  for (const ValueUse& use : values) {
    ModulePlan::Function& function = plan.functions[use.function];
    FrameNeeds needs;
    if (!IsCall(*use.instruction.op)) {
      needs.AddReturn(use.instruction, own[use.function]);
    } else {
      const uint32_t callee = Load32(function.code, use.offset);
      const bool import = (callee & kImportBit) != 0;
      const uint32_t ordinal = callee & ~kImportBit;
      if (ordinal >= (import ? imported.size() : own.size())) continue;
      needs.AddCall(use.instruction, import ? imported[ordinal] : own[ordinal]);
    }
    if (fixed_frames.contains(use.function)) continue;
    function.i32_registers =
        std::max(function.i32_registers, needs.i32_registers);
    function.ref_registers =
        std::max(function.ref_registers, needs.ref_registers);
  }
}

}  // namespace eyrie::vm
