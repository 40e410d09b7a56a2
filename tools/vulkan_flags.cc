// Flags of Vulkan devices.
#include "tools/vulkan_flags.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxSubgroupSize = 128;  // of any device known

constexpr Flag kVulkanFlags[] = {
    {"vulkan_subgroup_size", FlagKind::kInt, "0",
     "Subgroup size of kernels that use subgroups and do not state the size "
     "that\n"
     "they were compiled for; 0 lets the device choose."},
    {"vulkan_pipeline_cache", FlagKind::kString, "",
     "The folder that keeps compiled pipelines for the next run, created if "
     "it\n"
     "does not exist. The default is eyrie in $XDG_CACHE_HOME or in\n"
     "$HOME/.cache. An empty value keeps none."},
    {"vulkan_validate_spirv", FlagKind::kBool, "false",
     "Validates shaders with SPIRV-Tools before the device's driver reads "
     "them.\n"
     "Needs the plug-in //plugins/spirv_tools:libSPIRV-Tools-shared.so."},
    {"vulkan_validation_layers", FlagKind::kBool, "false",
     "Enables Khronos' validation layer, including synchronization "
     "validation.\n"
     "Its messages are printed to stderr when the device is closed."},
    {"vulkan_robust_buffer_access", FlagKind::kBool, "false",
     "Prevents shaders from accessing memory outside their buffers, as far as\n"
     "the device supports it."},
    {"vulkan_hide_device_memory", FlagKind::kBool, "false",
     "For tests: treats device memory as invisible to the host."},
};

bool IsAbsolute(const char* path) { return path != nullptr && *path == '/'; }

}  // namespace

std::span<const Flag> VulkanFlags() { return kVulkanFlags; }

std::string DefaultCacheFolder(const char* xdg_cache_home, const char* home) {
  if (IsAbsolute(xdg_cache_home)) return absl::StrCat(xdg_cache_home, "/eyrie");
  if (IsAbsolute(home)) return absl::StrCat(home, "/.cache/eyrie");
  return "";
}

absl::StatusOr<hal::vulkan::VulkanOptions> VulkanOptionsOf(
    const Arguments& arguments) {
  hal::vulkan::VulkanOptions options;
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
