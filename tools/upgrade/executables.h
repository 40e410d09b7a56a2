// Rewrites the executables in a module for a release.
//
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_EXECUTABLES_H_
#define EYRIE_TOOLS_UPGRADE_EXECUTABLES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/asm/module_plan.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// Rewrites a module of bytecode.
using ModuleRewriter = absl::FunctionRef<absl::StatusOr<std::vector<uint8_t>>(
    const vm::VerifiedModule& module)>;

// Changes the constants of `plan`, which is the plan of `module`, that are
// executables. `rewrite` rewrites executables of bytecode. UNIMPLEMENTED: one
// cannot be expressed; the message names it.
absl::Status RewriteExecutables(const vm::VerifiedModule& module, int release,
                                ModuleRewriter rewrite, vm::ModulePlan& plan);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_EXECUTABLES_H_
