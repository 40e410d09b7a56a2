// Flags of the JIT compiler: --jit, --verbose, --perf_map, --gdb.
//
// Tested by cli_test.sh.
#ifndef EYRIE_TOOLS_JIT_FLAGS_H_
#define EYRIE_TOOLS_JIT_FLAGS_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "base/perf_map.h"
#include "tools/arg_parser.h"
#include "vm/run/compiled.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> JitFlags();

// Returns the process's only map for perf, or null without --perf_map. Fails as
// PerfMap::Create does.
absl::StatusOr<std::shared_ptr<PerfMap>> PerfMapOf(const Arguments& arguments);

// Returns the compiler, or null if functions are interpreted only: with
// --jit=off, or if the system or the processor does not support it (--verbose
// then prints the reason). INVALID_ARGUMENT: --jit has an unknown value.
// Otherwise fails as PerfMapOf does.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(
    const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JIT_FLAGS_H_
