// Rewrites a module so that the runtime of another release runs it.
//
//   ASSIGN_OR_RETURN(auto bytes, RewriteModule(*module, release));
//
// Tested by upgrade_test.cc, upgrade_test.txt.
#ifndef EYRIE_TOOLS_UPGRADE_REWRITE_H_
#define EYRIE_TOOLS_UPGRADE_REWRITE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// Returns the contents of a module file for the release (vm/isa/release.h).
// UNIMPLEMENTED: the module uses something that the release cannot express; the
// message names it. RESOURCE_EXHAUSTED: the module or one of its functions
// would be too large.
absl::StatusOr<std::vector<uint8_t>> RewriteModule(
    const vm::VerifiedModule& module, int release);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_REWRITE_H_
