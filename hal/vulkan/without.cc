// For builds without Vulkan (EYRIE_VULKAN=OFF in CMake): the driver has no
// devices and reads no shaders.
//
// Tested by without_test.cc.
#include "absl/strings/match.h"
#include "hal/vulkan/driver.h"

namespace eyrie::hal::vulkan {
namespace {

absl::Status NoVulkan() {
  return absl::UnimplementedError(
      "This build has no Vulkan driver; it was built with EYRIE_VULKAN=OFF.");
}

class NoVulkanDriver final : public Driver {
 public:
  absl::string_view name() const override { return "vulkan"; }
  absl::string_view description() const override {
    return "not in this build: EYRIE_VULKAN=OFF";
  }
  absl::StatusOr<std::vector<std::string>> ListDevices() const override {
    return std::vector<std::string>();
  }
  absl::StatusOr<std::string> DescribeDevice(absl::string_view) const override {
    return NoVulkan();
  }
  std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view format, std::span<const uint8_t>) const override {
    if (!absl::StartsWith(format, "vulkan-")) return std::nullopt;
    return NoVulkan();
  }
  absl::StatusOr<Ref<hal::Device>> Open(absl::string_view,
                                        const DriverOptions&) const override {
    return NoVulkan();
  }
};

}  // namespace

std::unique_ptr<Driver> CreateVulkanDriver() {
  return std::make_unique<NoVulkanDriver>();
}

}  // namespace eyrie::hal::vulkan
