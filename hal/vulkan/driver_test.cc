// Tests how the Vulkan driver lists, describes and opens devices, and its
// errors.
#include "hal/vulkan/driver.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "hal/vulkan/api.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/physical_device.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

class DriverTest : public VulkanTest {
 protected:
  // Opens a path and returns the device's id, or the error.
  std::string Opened(absl::string_view path) {
    const auto opened = driver_->Open(path, DriverOptions());
    return opened.ok() ? std::string((*opened)->id()) : StatusText(opened);
  }

  const std::unique_ptr<Driver> driver_ = CreateVulkanDriver();
};

TEST_F(DriverTest, ListsWhatOpens) {
  EXPECT_EQ(driver_->name(), "vulkan");
  EXPECT_FALSE(driver_->description().empty());
  const auto uris = driver_->ListDevices();
  ASSERT_EQ(StatusText(uris), "OK");
  ASSERT_FALSE(uris->empty());
  for (const std::string& uri : *uris) {
    const std::vector<std::string> parts = absl::StrSplit(uri, "://");
    ASSERT_EQ(parts.size(), 2u) << uri;
    EXPECT_EQ(parts[0], "vulkan");
    const std::string& path = parts[1];
    ASSERT_EQ(path.size(), 36u) << path;
    EXPECT_EQ(path.substr(0, 4), "GPU-");
    EXPECT_EQ(path.substr(4).find_first_not_of("0123456789abcdef"),
              std::string::npos);
    // Both forms of the UUID, in upper or lower case, name the same device.
    const std::string uuid = absl::StrCat(
        path.substr(4, 8), "-", path.substr(12, 4), "-", path.substr(16, 4),
        "-", path.substr(20, 4), "-", path.substr(24));
    for (const std::string& name : {path, absl::AsciiStrToUpper(path), uuid,
                                    absl::AsciiStrToUpper(uuid)}) {
      EXPECT_EQ(Opened(name), "vulkan");
    }
    const auto text = driver_->DescribeDevice(path);
    ASSERT_EQ(StatusText(text), "OK");
    EXPECT_TRUE(absl::StrContains(*text, absl::StrCat("uuid: ", uuid, "\n")))
        << *text;
  }
  EXPECT_EQ(Opened(""), "vulkan");
  EXPECT_EQ(Opened("0"), "vulkan");
}

TEST_F(DriverTest, Describes) {
  const auto text = driver_->DescribeDevice("0");
  ASSERT_EQ(StatusText(text), "OK");
  std::vector<std::string> keys;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (!line.empty()) {
      keys.push_back(std::string(line.substr(0, line.find(':'))));
    }
  }
  const std::string all = absl::StrJoin(keys, ", ");
  EXPECT_TRUE(
      absl::StartsWith(all, "name, driver, Vulkan, uuid, memory heap 0"))
      << all;
  EXPECT_TRUE(absl::EndsWith(
      all, "subgroup size, workgroup, binding, push constants, features"))
      << all;
}

TEST_F(DriverTest, WrongPaths) {
  for (const char* path :
       {"99", "-1", "gpu", "GPU-", "GPU-00", "00000000-0000-0000-0000",
        "GPU-00000000000000000000000000000000", "4294967296"}) {
    const std::string text = Opened(path);
    EXPECT_TRUE(absl::StartsWith(
        text, absl::StrCat("NOT_FOUND: There is no Vulkan device '", path,
                           "'; vulkan://0 is '")))
        << text;
    EXPECT_EQ(StatusText(driver_->DescribeDevice(path)), text);
  }
}

TEST_F(DriverTest, Options) {
  DriverOptions options;
  for (const uint32_t size : {3u, 1u << 20, ~0u}) {
    options.Of<VulkanOptions>().subgroup_size = size;
    const std::string text = StatusText(driver_->Open("", options));
    EXPECT_TRUE(absl::StartsWith(
        text, absl::StrCat("INVALID_ARGUMENT: A subgroup size of ", size,
                           " is not supported by '")))
        << text;
  }
}

// A device for SelectDevice only; it cannot be opened.
PhysicalDevice Fake(const char* name, uint8_t first, const char* lacks) {
  PhysicalDevice device;
  device.name = name;
  device.lacks = lacks;
  device.uuid[0] = first;
  device.uuid[15] = 0xAB;
  return device;
}

TEST(SelectDevice, ByAnyName) {
  const std::vector<PhysicalDevice> devices = {
      Fake("old", 1, "it has Vulkan 1.1.0; at least 1.2 is needed"),
      Fake("one", 2, ""), Fake("two", 3, "")};
  const std::string there =
      "vulkan://0 is 'old' (GPU-010000000000000000000000000000ab): it has "
      "Vulkan 1.1.0; at least 1.2 is needed, vulkan://1 is 'one' "
      "(GPU-020000000000000000000000000000ab), vulkan://2 is 'two' "
      "(GPU-030000000000000000000000000000ab).";
  const std::string old =
      "FAILED_PRECONDITION: The Vulkan device 'old' cannot be used: it has "
      "Vulkan 1.1.0; at least 1.2 is needed.";
  const struct {
    const char* path;
    std::string want;
  } kCases[] = {
      {"", "one"},
      {"0", old},
      {"1", "one"},
      {"2", "two"},
      {"3", "NOT_FOUND: There is no Vulkan device '3'; " + there},
      {"GPU-030000000000000000000000000000ab", "two"},
      {"gpu-030000000000000000000000000000AB", "two"},
      {"03000000-0000-0000-0000-0000000000ab", "two"},
      {"GPU-010000000000000000000000000000ab", old},
      {"GPU-04", "NOT_FOUND: There is no Vulkan device 'GPU-04'; " + there},
  };
  for (const auto& c : kCases) {
    const auto selected = SelectDevice(devices, c.path);
    EXPECT_EQ(selected.ok() ? selected->name : StatusText(selected), c.want);
  }
  EXPECT_EQ(StatusText(SelectDevice({devices[0]}, "")),
            "NOT_FOUND: No Vulkan device can be used; vulkan://0 is 'old' "
            "(GPU-010000000000000000000000000000ab): it has Vulkan 1.1.0; at "
            "least 1.2 is needed.");
  for (const char* path : {"", "0"}) {
    EXPECT_EQ(StatusText(SelectDevice({}, path)), StatusText(NoDriverError()));
  }
}

// A loader that finds no driver.
TEST(Driver, WithoutDrivers) {
  if (!LoadVulkan().ok()) GTEST_SKIP() << StatusText(LoadVulkan());
  const std::string empty =
      absl::StrCat(std::getenv("TEST_TMPDIR"), "/no_driver.json");
  std::ofstream(empty) << "{}";
  const char* const before = std::getenv("VK_ICD_FILENAMES");
  const std::string kept = before != nullptr ? before : "";
  setenv("VK_ICD_FILENAMES", empty.c_str(), 1);
  const std::unique_ptr<Driver> driver = CreateVulkanDriver();
  const auto uris = driver->ListDevices();
  EXPECT_EQ(StatusText(uris), "OK");
  EXPECT_EQ(absl::StrJoin(uris.value_or(std::vector<std::string>{"?"}), ","),
            "");
  const std::string none = absl::StrCat(
      "UNAVAILABLE: Vulkan has no device on this machine: its loader looked in "
      "VK_ICD_FILENAMES='",
      empty,
      "' and found no driver with a device (Debian: mesa-vulkan-drivers, or "
      "the GPU vendor's driver).");
  EXPECT_EQ(StatusText(driver->Open("", DriverOptions())), none);
  EXPECT_EQ(StatusText(driver->DescribeDevice("0")), none);
  if (before == nullptr) {
    unsetenv("VK_ICD_FILENAMES");
  } else {
    setenv("VK_ICD_FILENAMES", kept.c_str(), 1);
  }
}

// All concurrent users share one instance.
TEST_F(DriverTest, InstancesAreShared) {
  const auto first = Instance::Get(false);
  ASSERT_EQ(StatusText(first), "OK");
  EXPECT_EQ(*first, *Instance::Get(false));
  EXPECT_TRUE((*first)->TakeMessages().empty());
}

TEST(Check, Results) {
  const struct {
    int result;
    const char* want;
  } kCases[] = {
      {VK_SUCCESS, "OK"},
      {VK_TIMEOUT, "OK"},
      {VK_INCOMPLETE, "OK"},
      {VK_ERROR_OUT_OF_HOST_MEMORY,
       "RESOURCE_EXHAUSTED: vkX failed: VK_ERROR_OUT_OF_HOST_MEMORY (-1)."},
      {VK_ERROR_OUT_OF_DEVICE_MEMORY,
       "RESOURCE_EXHAUSTED: vkX failed: VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)."},
      {VK_ERROR_TOO_MANY_OBJECTS,
       "RESOURCE_EXHAUSTED: vkX failed: VK_ERROR_TOO_MANY_OBJECTS (-10)."},
      {VK_ERROR_DEVICE_LOST,
       "UNAVAILABLE: vkX failed: VK_ERROR_DEVICE_LOST (-4)."},
      {VK_ERROR_INCOMPATIBLE_DRIVER,
       "UNAVAILABLE: vkX failed: VK_ERROR_INCOMPATIBLE_DRIVER (-9)."},
      {VK_ERROR_MEMORY_MAP_FAILED,
       "INTERNAL: vkX failed: VK_ERROR_MEMORY_MAP_FAILED (-5)."},
      {VK_ERROR_UNKNOWN, "INTERNAL: vkX failed: VK_ERROR_UNKNOWN (-13)."},
      {-12345, "INTERNAL: vkX failed: unknown result (-12345)."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(StatusText(Check(static_cast<VkResult>(c.result), "vkX")),
              c.want);
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
