// Tells which compiler releases may have built a module, by the host functions
// that it imports.
//
// Tested by host_imports_test.cc.
#ifndef EYRIE_ABI_CALL_HOST_IMPORTS_H_
#define EYRIE_ABI_CALL_HOST_IMPORTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// A range of compiler releases, 3.first to 3.last.
struct ReleaseRange {
  int first = 1;
  int last = 13;

  bool empty() const { return first > last; }
  // Returns the releases that are in both ranges.
  ReleaseRange And(const ReleaseRange& other) const;
  // Returns "3.4 to 3.9", or "3.10", or "none" if the range is empty.
  std::string ToString() const;

  friend bool operator==(const ReleaseRange&, const ReleaseRange&) = default;
};

// Reports whether every session provides this module.
bool IsHostModule(absl::string_view name);

// Returns the releases whose programs import "module.function" with this
// calling convention; nullopt if no host module has the function.
std::optional<ReleaseRange> ReleasesOf(absl::string_view full_name,
                                       absl::string_view calling_convention);

// Returns the roles of this function's arguments, as hal/module/imports.def
// lists them; empty if no host module has the function.
absl::string_view RolesOf(absl::string_view full_name,
                          absl::string_view calling_convention);

// Returns the releases that may have compiled the module, by its bytecode
// version and imports. Empty if these contradict each other.
ReleaseRange ReleasesOf(const vm::ModuleDef& module);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_HOST_IMPORTS_H_
