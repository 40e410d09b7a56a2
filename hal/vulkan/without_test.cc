// Tests builds without Vulkan: each function says so.
#include "gtest/gtest.h"
#include "hal/vulkan/driver.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kNoVulkan[] =
    "UNIMPLEMENTED: This build has no Vulkan driver; it was built with "
    "EYRIE_VULKAN=OFF.";

TEST(WithoutVulkan, HasNoDevices) {
  const std::unique_ptr<Driver> driver = CreateVulkanDriver();
  EXPECT_EQ(driver->name(), "vulkan");
  EXPECT_TRUE(driver->ListDevices()->empty());
  EXPECT_EQ(StatusText(driver->DescribeDevice("")), kNoVulkan);
  EXPECT_EQ(StatusText(driver->Open("", DriverOptions())), kNoVulkan);
}

TEST(WithoutVulkan, DescribesNoShaders) {
  const std::unique_ptr<Driver> driver = CreateVulkanDriver();
  EXPECT_EQ(StatusText(*driver->DescribeExecutable("vulkan-spirv-fb", {})),
            kNoVulkan);
  EXPECT_FALSE(driver->DescribeExecutable("embedded-elf-x86_64", {}));
}

}  // namespace
}  // namespace eyrie::hal::vulkan
