// What a physical device offers, asked of Vulkan, and what of it a device is
// opened with: both by the rows of device_features.def.
//
// Immutable helpers; thread-safe.
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_FEATURES_H_
#define EYRIE_HAL_VULKAN_FEATURES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hal/vulkan/api.h"
#include "hal/vulkan/device_limits.h"

namespace eyrie::hal::vulkan {

// Structures of features, chained as far as a device knows them.
class FeatureChain {
 public:
  // `extensions` are those the device has.
  FeatureChain(uint32_t api_version,
               const std::vector<std::string>& extensions);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;
  ~FeatureChain();

  // For vkGetPhysicalDeviceFeatures2 and VkDeviceCreateInfo::pNext.
  VkPhysicalDeviceFeatures2* head();
  // Extensions that the structures belong to.
  const std::vector<const char*>& extensions() const { return extensions_; }

  // The rows that are set, but for those of subgroups.
  FeatureSet Read() const;
  // Sets these rows and what the driver itself works with, if `has` has it.
  void Enable(const FeatureSet& rows, const FeatureChain& has);

  // Bounds what shaders reach through descriptors, as tightly as `has` can.
  // UNIMPLEMENTED: it cannot.
  absl::Status EnableRobustAccess(const FeatureChain& has);

  bool has_timeline_semaphores() const;

 private:
  struct Structures;
  std::unique_ptr<Structures> structures_;
  std::vector<const char*> extensions_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_FEATURES_H_
