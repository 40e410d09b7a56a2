// The flags that say which functions of modules become machine code, and who
// is told: --jit, --verbose, --perf_map.
//
// Tested by cli_test.sh.
#ifndef EYRIE_TOOLS_JIT_FLAGS_H_
#define EYRIE_TOOLS_JIT_FLAGS_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "base/perf_map.h"
#include "tools/arg_parser.h"
#include "vm/compiled.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> JitFlags();

// The process's one map for perf; null: none is wanted. Fails as
// PerfMap::Create does.
absl::StatusOr<std::shared_ptr<PerfMap>> PerfMapOf(const Arguments& arguments);

// What compiles; null: nothing does. Where the system or the processor does not
// allow it, --verbose says so. INVALID_ARGUMENT: the flag is none of its words.
// Otherwise as PerfMapOf.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(
    const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JIT_FLAGS_H_
