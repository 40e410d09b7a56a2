// Queries the features of a physical device, and chooses those to enable on a
// logical device, from the rows of device_features.def.
//
// Not synchronized; each object is used by one thread.
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_FEATURES_H_
#define EYRIE_HAL_VULKAN_FEATURES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hal/vulkan/api.h"  // Vulkan's types
#include "hal/vulkan/device_limits.h"

namespace eyrie::hal::vulkan {

// A chain of the feature structures that a device supports.
class FeatureChain {
 public:
  // `extensions` must list the extensions that the device supports.
  FeatureChain(uint32_t api_version,
               const std::vector<std::string>& extensions);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;
  ~FeatureChain();

  // Returns the chain for vkGetPhysicalDeviceFeatures2 and
  // VkDeviceCreateInfo::pNext.
  VkPhysicalDeviceFeatures2* head();
  // Returns the extensions that define the structures of the chain.
  const std::vector<const char*>& extensions() const { return extensions_; }

  // Returns the features that are set, except subgroup operations.
  FeatureSet Read() const;
  // Sets these features, and those that the driver itself uses if `has`
  // contains them.
  void Enable(const FeatureSet& rows, const FeatureChain& has);

  // Sets the features that a host enabled for its device: those of Vulkan 1.0
  // to 1.3 in the structures of these versions, and timeline semaphores. Other
  // structures are not read.
  void TakeEnabled(const VkDeviceCreateInfo& info);
  // Removes the features from `rows` that are not set, except subgroup
  // operations.
  void Restrict(FeatureSet& rows) const;

  // Enables the strictest bounds checks for descriptor accesses that `has`
  // contains. UNIMPLEMENTED: it contains none.
  absl::Status EnableRobustAccess(const FeatureChain& has);

  bool has_timeline_semaphores() const;
  bool has_host_query_reset() const;

 private:
  struct Structures;
  std::unique_ptr<Structures> structures_;
  std::vector<const char*> extensions_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_FEATURES_H_
