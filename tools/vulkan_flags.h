// Flags of Vulkan devices, which all commands that open devices share.
//
// Tested by vulkan_flags_test.cc, vulkan_test.txt.
#ifndef EYRIE_TOOLS_VULKAN_FLAGS_H_
#define EYRIE_TOOLS_VULKAN_FLAGS_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "hal/drivers/drivers.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

std::span<const Flag> VulkanFlags();

// Returns the options that the flags set. INVALID_ARGUMENT: the subgroup size
// is out of range.
absl::StatusOr<hal::vulkan::VulkanOptions> VulkanOptionsOf(
    const Arguments& arguments);

// Returns the default folder of pipeline caches: "eyrie" in XDG_CACHE_HOME, or
// in .cache of HOME, or "" if neither is an absolute path. Either argument may
// be null.
std::string DefaultCacheFolder(const char* xdg_cache_home, const char* home);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_VULKAN_FLAGS_H_
