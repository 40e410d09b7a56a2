// Vulkan devices for tests, opened with the test's options. If none exists, the
// test is skipped with the reason.
#ifndef EYRIE_TESTS_SUPPORT_VULKAN_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_VULKAN_DEVICE_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/vulkan/driver.h"
#include "hal/vulkan/options.h"
#include "tests/support/device_helpers.h"
#include "tests/support/lavapipe.h"

namespace eyrie::hal::vulkan {

// Whether tests open devices with the validation layer. Set by
// hal/vulkan/validation_test.cc.
inline bool& IsWatched() {
  static bool is_watched = false;
  return is_watched;
}

// Opens the first device with these options. UNAVAILABLE: this machine has no
// device.
inline absl::StatusOr<Ref<hal::Device>> OpenFirst(
    const VulkanOptions& options = VulkanOptions()) {
  ChooseLavapipe();
  DriverOptions all;
  all.Of<VulkanOptions>() = options;
  all.Of<VulkanOptions>().validation_layer |= IsWatched();
  const std::unique_ptr<Driver> driver = CreateVulkanDriver();
  absl::StatusOr<Ref<hal::Device>> opened = driver->Open("", all);
  if (!absl::IsUnavailable(opened.status())) return opened;
  // A device that exists but cannot be opened is a failure.
  const auto present = driver->ListDevices();
  if (present.ok() && present->empty()) return opened;
  return absl::InternalError(opened.status().message());
}

// Base of tests that need one device.
class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(VulkanOptions()); }

  // Opens the device, or skips the test if there is none.
  void Open(const VulkanOptions& options) {
    absl::StatusOr<Ref<hal::Device>> opened = OpenFirst(options);
    if (absl::IsUnavailable(opened.status())) {
      GTEST_SKIP() << StatusText(opened);
    }
    ASSERT_EQ(StatusText(opened), "OK");
    device_ = *std::move(opened);
  }

  Ref<hal::Device> device_;
};

// Options to use a device in one way.
struct VulkanKind {
  const char* name;
  bool hide_device_memory = false;
  bool hide_push_descriptors = false;
};

inline constexpr VulkanKind kVulkanKinds[] = {
    {"plain"},
    {"hidden", true},
    {"sets", false, true},
};

inline std::ostream& operator<<(std::ostream& out, const VulkanKind& kind) {
  return out << kind.name;
}

inline VulkanOptions OptionsOf(const VulkanKind& kind) {
  VulkanOptions options;
  options.hide_device_memory = kind.hide_device_memory;
  options.hide_push_descriptors = kind.hide_push_descriptors;
  return options;
}

// Runs each test in every way.
class EachVulkanDevice : public VulkanTest,
                         public ::testing::WithParamInterface<VulkanKind> {
 protected:
  void SetUp() override { Open(OptionsOf(GetParam())); }
};

inline auto AllVulkanKinds() { return ::testing::ValuesIn(kVulkanKinds); }
inline std::string NameOfVulkanKind(
    const ::testing::TestParamInfo<VulkanKind>& info) {
  return info.param.name;
}

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_TESTS_SUPPORT_VULKAN_DEVICE_H_
