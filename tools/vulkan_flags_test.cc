// Converts flags of Vulkan devices to options.
#include "tools/vulkan_flags.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace eyrie::tools {
namespace {

TEST(VulkanFlags, DefaultCacheFolder) {
  struct Case {
    const char* xdg_cache_home;
    const char* home;
    const char* want;
  };
  const Case cases[] = {
      {nullptr, nullptr, ""},
      {nullptr, "/srv/ada", "/srv/ada/.cache/eyrie"},
      {"", "/srv/ada", "/srv/ada/.cache/eyrie"},
      {"/srv/cache", "/srv/ada", "/srv/cache/eyrie"},
      {"/srv/cache", nullptr, "/srv/cache/eyrie"},
      {"cache", "/srv/ada", "/srv/ada/.cache/eyrie"},
      {nullptr, "", ""},
      {nullptr, "ada", ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(DefaultCacheFolder(c.xdg_cache_home, c.home), c.want);
  }
}

// Returns the options as text, or the error.
std::string Options(std::vector<const char*> flags) {
  const absl::StatusOr<Arguments> arguments =
      ParseArguments(VulkanFlags(), flags);
  if (!arguments.ok()) return std::string(arguments.status().message());
  const absl::StatusOr<hal::vulkan::VulkanOptions> options =
      VulkanOptionsOf(*arguments);
  if (!options.ok()) return std::string(options.status().message());
  std::string text = std::to_string(options->subgroup_size);
  if (options->validate_spirv) text += " spirv";
  if (options->validation_layer) text += " layer";
  if (options->robust_buffer_access) text += " robust";
  if (options->hide_device_memory) text += " hide";
  return text + " " + options->cache_folder;
}

TEST(VulkanFlags, Options) {
  struct Case {
    std::vector<const char*> flags;
    const char* want;
  };
  const Case cases[] = {
      {{"--vulkan_pipeline_cache="}, "0 "},
      {{"--vulkan_pipeline_cache=c"}, "0 c"},
      {{"--vulkan_pipeline_cache=", "--vulkan_subgroup_size=32"}, "32 "},
      {{"--vulkan_pipeline_cache=", "--vulkan_validate_spirv"}, "0 spirv "},
      {{"--vulkan_pipeline_cache=", "--vulkan_validation_layers"}, "0 layer "},
      {{"--vulkan_pipeline_cache=", "--vulkan_robust_buffer_access=1"},
       "0 robust "},
      {{"--vulkan_pipeline_cache=", "--vulkan_hide_device_memory"}, "0 hide "},
      {{"--vulkan_subgroup_size=-1"},
       "--vulkan_subgroup_size=-1 is not between 0 and 128."},
      {{"--vulkan_subgroup_size=4294967304"},
       "--vulkan_subgroup_size=4294967304 is not between 0 and 128."},
      {{"--vulkan_subgroup_size=wide"},
       "Flag --vulkan_subgroup_size takes a whole number, not 'wide'."},
      {{"--vulkan_validation_layers=2"},
       "Flag --vulkan_validation_layers takes true or false, not '2'."},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Options(c.flags), c.want);
  }
}

TEST(VulkanFlags, CacheFolderOfTheEnvironment) {
  const char* const xdg = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  EXPECT_EQ(Options({}), "0 " + DefaultCacheFolder(xdg, home));
}

}  // namespace
}  // namespace eyrie::tools
