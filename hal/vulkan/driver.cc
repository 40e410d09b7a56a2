// Lists and opens Vulkan devices.
#include "hal/vulkan/driver.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/signal_block.h"
#include "base/status_macros.h"
#include "hal/vulkan/device.h"
#include "hal/vulkan/host_device.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/options.h"
#include "hal/vulkan/physical_device.h"
#include "hal/vulkan/shader_facts.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kFormatPrefix[] = "vulkan-";

constexpr DeviceSetting kSettings[] = {
    {"pipeline_cache", "a folder",
     [](const std::string& value, DriverOptions& options) {
       options.Of<VulkanOptions>().cache_folder = value;
       return !value.empty();
     }},
};

class VulkanDriver final : public Driver {
 public:
  absl::string_view name() const override { return "vulkan"; }
  absl::string_view description() const override {
    return "SPIR-V kernels on a Vulkan device: a GPU, or the CPU by lavapipe";
  }
  std::span<const DeviceSetting> settings() const override { return kSettings; }
  absl::StatusOr<std::vector<std::string>> ListDevices() const override;
  absl::StatusOr<std::string> DescribeDevice(
      absl::string_view path) const override;
  std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view format, std::span<const uint8_t> data) const override;
  absl::StatusOr<Ref<hal::Device>> Open(
      absl::string_view path, const DriverOptions& options) const override;
};

// Vulkan drivers start threads when they are loaded and when devices are
// opened. Signals are blocked so that these threads do not receive them.
absl::StatusOr<std::vector<std::string>> VulkanDriver::ListDevices() const {
  const SignalBlock no_signals;
  std::vector<std::string> uris;
  const auto instance = Instance::Get(/*validation_layer=*/false);
  // Without Vulkan the list is empty.
  if (absl::IsUnavailable(instance.status())) return uris;
  RETURN_IF_ERROR(instance.status());
  ASSIGN_OR_RETURN(const std::vector<PhysicalDevice> devices,
                   FindDevices(**instance));
  for (const PhysicalDevice& device : devices) {
    if (device.lacks.empty()) {
      uris.push_back(absl::StrCat("vulkan://", device.path()));
    }
  }
  return uris;
}

absl::StatusOr<std::string> VulkanDriver::DescribeDevice(
    absl::string_view path) const {
  const SignalBlock no_signals;
  ASSIGN_OR_RETURN(const std::shared_ptr<Instance> instance,
                   Instance::Get(/*validation_layer=*/false));
  ASSIGN_OR_RETURN(const std::vector<PhysicalDevice> devices,
                   FindDevices(*instance));
  ASSIGN_OR_RETURN(const PhysicalDevice device, SelectDevice(devices, path));
  return device.Describe();
}

std::optional<absl::StatusOr<ExecutableFacts>> VulkanDriver::DescribeExecutable(
    absl::string_view format, std::span<const uint8_t> data) const {
  if (!absl::StartsWith(format, kFormatPrefix)) return std::nullopt;
  return DescribeShaders(data);
}

absl::StatusOr<Ref<hal::Device>> VulkanDriver::Open(
    absl::string_view path, const DriverOptions& options) const {
  if (options.isolate) {
    return absl::UnimplementedError(
        "Vulkan devices cannot be isolated: the GPU's driver runs in this "
        "process. --no_native_code keeps shaders to their buffers.");
  }
  if (options.host_memory != nullptr) {
    return absl::UnimplementedError(
        "Vulkan devices have memory of their own, not of the host's "
        "allocator.");
  }
  const SignalBlock no_signals;
  ASSIGN_OR_RETURN(const std::shared_ptr<Instance> instance,
                   Instance::Get(options.Of<VulkanOptions>().validation_layer));
  if (const auto host = options.Of<VulkanOptions>().host_device) {
    if (!path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "A Vulkan device that the host created takes no name; got '", path,
          "'."));
    }
    ASSIGN_OR_RETURN(PhysicalDevice device, InspectHostDevice(*host));
    return OpenVulkanDevice(instance, std::move(device), options);
  }
  ASSIGN_OR_RETURN(const std::vector<PhysicalDevice> devices,
                   FindDevices(*instance));
  ASSIGN_OR_RETURN(PhysicalDevice device, SelectDevice(devices, path));
  return OpenVulkanDevice(instance, std::move(device), options);
}

}  // namespace

std::unique_ptr<Driver> CreateVulkanDriver() {
  return std::make_unique<VulkanDriver>();
}

}  // namespace eyrie::hal::vulkan
