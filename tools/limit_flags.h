// Flags that limit a module's resources: --fuel, --timeout, --max_memory,
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
#include "absl/time/time.h"
#include "base/memory_meter.h"
#include "tools/arg_parser.h"
#include "vm/limits/limits.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> LimitFlags();

// Returns the limits that the flags set. INVALID_ARGUMENT: a value is not a
// number, size or duration, or the stack size is out of range.
absl::StatusOr<vm::Limits> LimitsOf(const Arguments& arguments);

// Returns the meter of memory that is allocated for a call because an input
// file asks for it: `memory`, or a new meter of kMaxMade bytes if it is null.
inline constexpr uint64_t kMaxMade = uint64_t{1} << 30;
std::shared_ptr<MemoryMeter> MeterOf(
    const std::shared_ptr<MemoryMeter>& memory);

// Adds a hint at --max_memory to a RESOURCE_EXHAUSTED error of the kMaxMade
// limit, unless the flag is given.
absl::Status HintAtMaxMemory(const Arguments& arguments,
                             const absl::Status& status);

// Parses a size, such as "4096", "64M" or "1.5GiB", as bytes. Units are B,
// KiB, MiB, GiB, TiB, the same as K, M, G, T, and KB, MB, GB, TB.
// INVALID_ARGUMENT: the text is not a size.
absl::StatusOr<uint64_t> ParseBytes(absl::string_view text);

// Parses the value of the flag `name` in the same way; the error names the
// flag.
absl::Status ReadSize(const Arguments& arguments, const char* name,
                      uint64_t& bytes);

// Parses the value of the flag `name` as a duration such as "500ms", or as a
// number of `unit`s. INVALID_ARGUMENT: it is neither, or is negative.
absl::Status ReadDuration(const Arguments& arguments, const char* name,
                          absl::Duration unit, absl::Duration& duration);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_LIMIT_FLAGS_H_
