// Which releases ask for the functions that host modules offer: what a module
// imports says who compiled it.
//
// Tested by host_imports_test.cc.
#ifndef EYRIE_ABI_HOST_IMPORTS_H_
#define EYRIE_ABI_HOST_IMPORTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Releases 3.first to 3.last.
struct ReleaseRange {
  int first = 1;
  int last = 13;

  bool empty() const { return first > last; }
  // What both have.
  ReleaseRange And(const ReleaseRange& other) const;
  // "3.4 to 3.9", "3.10"; empty: "none".
  std::string ToString() const;

  friend bool operator==(const ReleaseRange&, const ReleaseRange&) = default;
};

// Whether sessions offer this module by themselves.
bool IsHostModule(absl::string_view name);

// The releases whose programs import "module.function" with this convention;
// nullopt: no host module has it.
std::optional<ReleaseRange> ReleasesOf(absl::string_view full_name,
                                       absl::string_view calling_convention);

// The releases that may have compiled the module, by its bytecode and imports.
// Empty: they contradict each other.
ReleaseRange ReleasesOf(const vm::ModuleDef& module);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_HOST_IMPORTS_H_
