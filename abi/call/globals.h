// Globals that a module exports, and their names.
//
// The compiler gives each public `ml_program.global` functions that read and
// write it, named "global$NAME$get" and "global$NAME$set". Other globals have
// no names in the file.
// Tested by abi/c/state_test.cc.
#ifndef EYRIE_ABI_CALL_GLOBALS_H_
#define EYRIE_ABI_CALL_GLOBALS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vm/module/module_def.h"
#include "vm/run/context.h"

namespace eyrie::abi {

struct ExportedGlobal {
  absl::string_view name;  // valid as long as the module
  bool is_mutable = false;
};

// Returns the globals of a module, in the order of its exports.
std::vector<ExportedGlobal> ExportedGlobals(const vm::ModuleDef& def);

enum class GlobalAccess { kGet, kSet };

// Sets `function` to the name, for Session::Lookup, of the function that reads
// or writes a global. `global` is "name" or "module.name"; a name without a
// module is looked up in the last module first. NOT_FOUND: no module has such a
// global, and the message lists those that exist; or a constant is to be set,
// which hides globals of earlier modules.
absl::Status FindGlobal(const vm::Context& context, absl::string_view global,
                        GlobalAccess access, std::string& function);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_GLOBALS_H_
