// An opened Vulkan device: its functions, queue handle and memory types, and
// the data that all of its objects share.
//
// Immutable except for the record of notices already given. Thread-safe except
// for the queue handle, which queue.h guards.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_LOGICAL_DEVICE_H_
#define EYRIE_HAL_VULKAN_LOGICAL_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fork_mark.h"
#include "hal/driver.h"
#include "hal/vulkan/api.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/options.h"
#include "hal/vulkan/physical_device.h"

namespace eyrie::hal::vulkan {

class LogicalDevice {
 public:
  static absl::StatusOr<std::shared_ptr<LogicalDevice>> Open(
      std::shared_ptr<Instance> instance, PhysicalDevice physical,
      const DriverOptions& options);
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;
  ~LogicalDevice();

  // Returns Vulkan's functions for this device: fn().vkQueueSubmit(…). In a
  // forked child of the process that opened the device it returns functions
  // that do nothing, because the driver's threads do not exist there and the
  // driver might wait for them.
  const VolkDeviceTable& fn() const {
    return mark_.IsForked() ? LostFunctions() : table_;
  }
  const ForkMark& mark() const { return mark_; }
  // Returns FAILED_PRECONDITION in a forked child.
  absl::Status CheckProcess() const { return mark_.Check("The Vulkan device"); }
  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  Instance& instance() const { return *instance_; }
  // Returns the number of this device among those that are open now, from 0.
  int number() const { return number_; }
  // Returns the name of the device's track in traces: "vulkan queue", "vulkan
  // queue 1".
  const std::string& queue_name() const { return queue_name_; }
  const PhysicalDevice& physical() const { return physical_; }
  const VulkanOptions& options() const { return own_options_; }
  std::optional<uint64_t> max_idle_memory() const {
    return options_.max_idle_memory;
  }
  bool allows_native_code() const { return options_.allow_native_code; }
  // Passes a message to DriverOptions::notice.
  void Notice(absl::string_view sentence) const {
    if (options_.notice) options_.notice(sentence);
  }
  // Return true at the first call only, to give a notice once per device and
  // not once per executable.
  bool IsFirstUseOfSubgroups() const { return !told_subgroups_.exchange(true); }
  bool IsFirstUnvalidated() const { return !told_unvalidated_.exchange(true); }
  const VkPhysicalDeviceLimits& limits() const {
    return physical_.properties.limits;
  }
  bool Has(Feature feature) const { return physical_.features.Has(feature); }
  bool has_addresses() const { return Has(Feature::bufferDeviceAddress); }
  bool has_push_descriptors() const {
    return physical_.max_push_descriptors != 0 &&
           !own_options_.hide_push_descriptors;
  }

  bool has_calibrated_timestamps() const {
    return table_.vkGetCalibratedTimestampsEXT != nullptr;
  }

  // Names an object for debuggers and for the validation layer's messages.
  template <typename Handle>
  void SetName(VkObjectType type, Handle handle, absl::string_view name) const {
    // The extension may not be enabled in the instance of the host.
    if (instance_->has_debug_names() && !own_options_.host_device) {
      SetNameOf(type, reinterpret_cast<uint64_t>(handle), name);
    }
  }

 private:
  LogicalDevice(std::shared_ptr<Instance> instance, PhysicalDevice physical,
                const DriverOptions& options);
  absl::Status Create();
  // Uses a device of the host. UNIMPLEMENTED: robust access is asked for, and
  // the host did not enable it.
  absl::Status Adopt(const HostDevice& host);
  void SetNameOf(VkObjectType type, uint64_t handle,
                 absl::string_view name) const;

  const ForkMark mark_;
  const std::shared_ptr<Instance> instance_;
  const PhysicalDevice physical_;
  const DriverOptions options_;
  const VulkanOptions own_options_ = options_.Of<VulkanOptions>();
  const int number_;
  const std::string queue_name_;
  mutable std::atomic<bool> told_subgroups_{false};
  mutable std::atomic<bool> told_unvalidated_{false};
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VolkDeviceTable table_ = {};
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_LOGICAL_DEVICE_H_
