// A connection to Vulkan: what physical devices are found through.
//
// Thread-safe. Devices hold it. With the validation layer on it keeps what the
// layer says.
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
#include "hal/vulkan/api.h"

namespace eyrie::hal::vulkan {

// UNAVAILABLE: no driver with a device was found, and where it was looked for.
absl::Status NoDriverError();

class Instance {
 public:
  // An instance that is alive already in this process, or a new one.
  // UNAVAILABLE: no loader, no driver, or the layer is asked for and not
  // installed.
  static absl::StatusOr<std::shared_ptr<Instance>> Get(bool validation_layer);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  absl::StatusOr<std::vector<VkPhysicalDevice>> PhysicalDevices() const;

  // Whether objects can be named and commands labelled.
  bool has_debug_names() const { return has_debug_names_; }

  // What the layer has said and nobody has taken, oldest first; no more than
  // a hundred are kept.
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
