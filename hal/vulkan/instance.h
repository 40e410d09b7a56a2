// A Vulkan instance, used to find physical devices.
//
// Thread-safe. Devices keep it alive. If the validation layer is enabled, the
// instance collects the layer's messages.
// Tested by driver_test.cc, validation_test.cc.
#ifndef EYRIE_HAL_VULKAN_INSTANCE_H_
#define EYRIE_HAL_VULKAN_INSTANCE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/fork_mark.h"
#include "hal/vulkan/api.h"  // Vulkan's types

namespace eyrie::hal::vulkan {

// Returns UNAVAILABLE with a message that no driver with a device was found,
// and where the loader searched.
absl::Status NoDriverError();

class Instance {
 public:
  // Returns the process's live instance, or creates one. UNAVAILABLE: there is
  // no loader or driver, or the requested validation layer is not installed.
  static absl::StatusOr<std::shared_ptr<Instance>> Get(bool validation_layer);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  absl::StatusOr<std::vector<VkPhysicalDevice>> PhysicalDevices() const;

  // Reports whether objects can be named and commands labelled.
  bool has_debug_names() const { return has_debug_names_; }

  // Returns the layer's messages since the last call, oldest first. Keeps at
  // most 100.
  std::vector<std::string> TakeMessages();

 private:
  Instance() = default;
  absl::Status Open(bool validation_layer);
  static VkBool32 VKAPI_PTR
  TakeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
              VkDebugUtilsMessageTypeFlagsEXT types,
              const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance);

  const ForkMark mark_;
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool has_debug_names_ = false;
  std::mutex mutex_;
  std::vector<std::string> messages_;  // guarded by mutex_
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_INSTANCE_H_
