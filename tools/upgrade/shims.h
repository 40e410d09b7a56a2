// Replaces calls of host functions by calls of the functions that other
// releases have: the rows of shims.def.
//
// Tested by shims_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_SHIMS_H_
#define EYRIE_TOOLS_UPGRADE_SHIMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/upgrade/code_editor.h"
#include "tools/upgrade/import_call.h"
#include "vm/flow/value_flow.h"

namespace eyrie::tools {

// One direction of a row.
struct Shim {
  std::string full_name;  // of the new function
  std::string convention;
  const char* recipe;
};

// Reports whether programs of the release may import the function. True for
// functions of modules that are not the host's.
bool HasImport(int release, absl::string_view full_name,
               absl::string_view convention);

// Returns the rows that lead from a function that the release lacks towards it.
// Their new functions may need further rows.
std::vector<Shim> ShimsFor(int release, absl::string_view full_name,
                           absl::string_view convention);

// Returns the version of a host module for which a function of it was added in
// this release.
uint32_t ModuleVersionOf(absl::string_view module, int release);

// Returns the call with the arguments of the new function, and adds the
// instructions that make them to `editor`. UNIMPLEMENTED: a condition of the
// row does not hold, and nothing was added; the message is "argument 8 is 3; it
// must be 0".
absl::StatusOr<ImportCall> ApplyShim(const Shim& shim, const ImportCall& call,
                                     const vm::KnownRegisters& registers,
                                     CodeEditor& editor);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_SHIMS_H_
