// Lists the exported functions of a module that users call.
//
// A module also exports functions for the runtime. They are recognized by the
// format's rules, not by the start of their names: a user's function may be
// called "__scale".
// Tested by user_exports_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_USER_EXPORTS_H_
#define EYRIE_ABI_SIGNATURE_USER_EXPORTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Returns the indices in `def.exports`, ascending, of all exports except
//   - "__init" and "__deinit" (vm/module/lifecycle.h),
//   - "f$async" if "f" is exported, too: the compiler makes "f" to call it,
//   - result allocators, which the attribute "fbr" of another export names.
// RESOURCE_EXHAUSTED: no memory for the list.
absl::StatusOr<std::vector<uint32_t>> UserExports(const vm::ModuleDef& def);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_USER_EXPORTS_H_
