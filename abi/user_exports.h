// The exported functions of a module that its user calls.
//
// A module also exports functions that a runtime calls. What tells them apart
// is what the format says of each, not how its name begins: a user's function
// may be named "__scale".
// Tested by user_exports_test.cc.
#ifndef EYRIE_ABI_USER_EXPORTS_H_
#define EYRIE_ABI_USER_EXPORTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Returns the indices in `def.exports`, ascending, of all exports except
//   - "__init" and "__deinit" (vm/module/lifecycle.h),
//   - "f$async" where "f" is exported: the compiler makes "f" to call it,
//   - result allocators, which the attribute "fbr" of another export names.
// RESOURCE_EXHAUSTED: no memory for the list.
absl::StatusOr<std::vector<uint32_t>> UserExports(const vm::ModuleDef& def);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_USER_EXPORTS_H_
