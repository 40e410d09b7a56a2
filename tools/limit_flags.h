// Flags that bound what a module may use: --fuel, --timeout, --max_memory,
// --max_stack.
//
// Tested by limit_flags_test.cc.
#ifndef EYRIE_TOOLS_LIMIT_FLAGS_H_
#define EYRIE_TOOLS_LIMIT_FLAGS_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "tools/arg_parser.h"
#include "vm/limits.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> LimitFlags();

// The limits that the flags name. INVALID_ARGUMENT: a text that is no number,
// size or duration, or a stack that is too small or large.
absl::StatusOr<vm::Limits> LimitsOf(const Arguments& arguments);

// What counts the memory that is made for a call on the word of files: its
// context's own meter, or one of kMaxMade where that is null.
inline constexpr uint64_t kMaxMade = uint64_t{1} << 30;
std::shared_ptr<MemoryMeter> MeterOf(
    const std::shared_ptr<MemoryMeter>& memory);

// Adds to a failure for want of memory that --max_memory allows more, if it is
// not given.
absl::Status HintAtMaxMemory(const Arguments& arguments,
                             const absl::Status& status);

// "4096", "64KiB", "1.5GiB": bytes; B, KiB, MiB, GiB, TiB and KB, MB, GB, TB.
// INVALID_ARGUMENT.
absl::StatusOr<uint64_t> ParseBytes(absl::string_view text);

// The same of a flag's value; the error names the flag.
absl::Status ReadSize(const Arguments& arguments, const char* name,
                      uint64_t& bytes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_LIMIT_FLAGS_H_
