// Limits of both formats of executables.
//
// They are far above real executables. Tables of a FlatBuffer may share parts,
// so without limits, a small damaged file could take a gigabyte.
// Tested by executable_def_test.cc, older_executable_test.cc.
#ifndef EYRIE_HAL_VULKAN_EXECUTABLE_LIMITS_H_
#define EYRIE_HAL_VULKAN_EXECUTABLE_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal::vulkan {

inline constexpr uint32_t kMaxEntryPoints = 65536;
// Counts the layouts of all entry points together.
inline constexpr uint32_t kMaxBindingsInAll = 1 << 20;

// RESOURCE_EXHAUSTED: `value` exceeds the limit. `what` names it in the
// message: "entry points".
inline absl::Status CheckLimit(uint64_t value, uint64_t limit,
                               absl::string_view what) {
  if (value <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("The Vulkan executable has ", value, " ", what,
                   "; the limit is ", limit, "."));
}

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXECUTABLE_LIMITS_H_
