// Flags of Vulkan devices, of every command that opens devices.
//
// Tested by vulkan_flags_test.cc, vulkan_test.txt.
#ifndef EYRIE_TOOLS_VULKAN_FLAGS_H_
#define EYRIE_TOOLS_VULKAN_FLAGS_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "hal/driver.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

std::span<const Flag> VulkanFlags();

// What they say. INVALID_ARGUMENT: a subgroup size that no device has.
absl::StatusOr<hal::VulkanOptions> VulkanOptionsOf(const Arguments& arguments);

// Where pipeline caches are kept if nobody says: "eyrie" in XDG_CACHE_HOME, or
// in .cache of HOME; empty if neither is an absolute path. Either may be null.
std::string DefaultCacheFolder(const char* xdg_cache_home, const char* home);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_VULKAN_FLAGS_H_
