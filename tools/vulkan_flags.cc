// Flags of Vulkan devices.
//
// Tested by vulkan_flags_test.cc, vulkan_test.txt.
#include "tools/vulkan_flags.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxSubgroupSize = 128;  // of any device known

constexpr Flag kVulkanFlags[] = {
    {"vulkan_subgroup_size", FlagKind::kInt, "0",
     "Invocations of a subgroup for kernels that use subgroups and do not say\n"
     "how many they were compiled for; 0 leaves it to the device."},
    {"vulkan_pipeline_cache", FlagKind::kString, "",
     "The folder where compiled pipelines are kept for the next run, made if\n"
     "it is missing; nothing (--vulkan_pipeline_cache=) keeps none. If this "
     "is\n"
     "not given, eyrie in $XDG_CACHE_HOME, or in .cache of $HOME."},
    {"vulkan_validate_spirv", FlagKind::kBool, "false",
     "Checks shaders with SPIRV-Tools before the device's driver sees them:\n"
     "the target //plugins/spirv_tools:libSPIRV-Tools-shared.so."},
    {"vulkan_validation_layers", FlagKind::kBool, "false",
     "Has Khronos' validation layer watch uses of Vulkan, synchronization\n"
     "included; what it finds is printed to stderr when the device is closed."},
    {"vulkan_robust_buffer_access", FlagKind::kBool, "false",
     "Keeps shaders to their buffers, as far as the device can."},
    {"vulkan_hide_device_memory", FlagKind::kBool, "false",
     "For tests: treats memory of the device as if the host could not see it."},
};

bool IsAbsolute(const char* path) { return path != nullptr && *path == '/'; }

}  // namespace

std::span<const Flag> VulkanFlags() { return kVulkanFlags; }

std::string DefaultCacheFolder(const char* xdg_cache_home, const char* home) {
  if (IsAbsolute(xdg_cache_home)) return absl::StrCat(xdg_cache_home, "/eyrie");
  if (IsAbsolute(home)) return absl::StrCat(home, "/.cache/eyrie");
  return "";
}

absl::StatusOr<hal::VulkanOptions> VulkanOptionsOf(const Arguments& arguments) {
  hal::VulkanOptions options;
  const int64_t size = arguments.GetInt("vulkan_subgroup_size");
  if (size < 0 || size > kMaxSubgroupSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("--vulkan_subgroup_size=", size, " is not between 0 and ",
                     kMaxSubgroupSize, "."));
  }
  options.subgroup_size = static_cast<uint32_t>(size);
  options.cache_folder = arguments.IsSet("vulkan_pipeline_cache")
                             ? arguments.GetString("vulkan_pipeline_cache")
                             : DefaultCacheFolder(std::getenv("XDG_CACHE_HOME"),
                                                  std::getenv("HOME"));
  options.validate_spirv = arguments.GetBool("vulkan_validate_spirv");
  options.validation_layer = arguments.GetBool("vulkan_validation_layers");
  options.robust_buffer_access =
      arguments.GetBool("vulkan_robust_buffer_access");
  options.hide_device_memory = arguments.GetBool("vulkan_hide_device_memory");
  return options;
}

}  // namespace eyrie::tools
