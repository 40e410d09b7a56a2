// Tells which compiler releases may have built a module, by the host functions
// that it imports.
//
// Tested by host_imports_test.cc.
#ifndef EYRIE_ABI_CALL_HOST_IMPORTS_H_
#define EYRIE_ABI_CALL_HOST_IMPORTS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "vm/isa/release.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Reports whether every session provides this module.
bool IsHostModule(absl::string_view name);

// Returns the releases whose programs import "module.function" with this
// calling convention; nullopt if no host module has the function.
std::optional<vm::ReleaseRange> ReleasesOf(
    absl::string_view full_name, absl::string_view calling_convention);

// Returns the roles of this function's arguments, as hal/module/imports.def
// lists them; empty if no host module has the function.
absl::string_view RolesOf(absl::string_view full_name,
                          absl::string_view calling_convention);

// Returns the releases that may have compiled the module, by its bytecode
// version and imports. Empty if these contradict each other.
vm::ReleaseRange ReleasesOf(const vm::ModuleDef& module);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_HOST_IMPORTS_H_
