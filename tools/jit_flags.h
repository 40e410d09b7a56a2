// The flag that says which functions of modules become machine code: --jit.
//
// Tested by cli_test.sh.
#ifndef EYRIE_TOOLS_JIT_FLAGS_H_
#define EYRIE_TOOLS_JIT_FLAGS_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"
#include "vm/compiled.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> JitFlags();

// What compiles; null: nothing does. Where the system or the processor does not
// allow it, a note says so. INVALID_ARGUMENT: the flag is none of its words.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(
    const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JIT_FLAGS_H_
