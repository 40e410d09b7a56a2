// Tests a machine without a Vulkan loader, simulated with LD_LIBRARY_PATH: a
// file that is not a library replaces the loader.
#include <string>

#include "gtest/gtest.h"
#include "hal/vulkan/driver.h"
#include "hal/vulkan/options.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

TEST(NoLoader, NothingIsThere) {
  const std::unique_ptr<Driver> driver = CreateVulkanDriver();
  const auto uris = driver->ListDevices();
  ASSERT_EQ(StatusText(uris), "OK");
  EXPECT_TRUE(uris->empty());
  const std::string none =
      "UNAVAILABLE: The Vulkan loader, libvulkan.so.1, is not installed or "
      "cannot be loaded "
      "(Debian: libvulkan1, and a driver such as mesa-vulkan-drivers).";
  DriverOptions options;
  for (const bool validation : {false, true}) {
    options.Of<VulkanOptions>().validation_layer = validation;
    for (const char* path : {"", "0"}) {
      EXPECT_EQ(StatusText(driver->Open(path, options)), none);
      EXPECT_EQ(StatusText(driver->DescribeDevice(path)), none);
    }
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
