// The limits and features of a Vulkan device, in plain numbers and bits. They
// are filled in when a device is opened and checked when an executable is
// loaded.
//
// Needs no Vulkan headers. Tested by spirv_check_test.cc.
#ifndef EYRIE_HAL_VULKAN_DEVICE_LIMITS_H_
#define EYRIE_HAL_VULKAN_DEVICE_LIMITS_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::hal::vulkan {

// One value for each row of device_features.def: Feature::shaderInt64 (Vulkan's
// spelling), Feature::kSubgroupShuffle, Feature::kDenormPreserve32.
enum class Feature : uint8_t {
#define FEATURE(structure, member) member,
#define SUBGROUP(bit, name) kSubgroup##name,
#define FLOAT_CONTROL(name, mode, width) k##name##width,
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
};

inline constexpr size_t kFeatureCount = 0
#define FEATURE(structure, member) +1
#define SUBGROUP(bit, name) +1
#define FLOAT_CONTROL(name, mode, width) +1
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
    ;

// Returns a phrase for messages: "the feature shaderInt64", "subgroup
// operations of the kind ShuffleRelative", "the property
// shaderDenormPreserveFloat32".
std::string DescribeFeature(Feature feature);

// A set of features.
class FeatureSet {
 public:
  bool Has(Feature feature) const {
    return bits_[static_cast<size_t>(feature)];
  }
  void Set(Feature feature, bool value = true) {
    bits_[static_cast<size_t>(feature)] = value;
  }

 private:
  std::bitset<kFeatureCount> bits_;
};

// The limits that kernels are checked against, from VkPhysicalDeviceLimits and
// related structures. The defaults are the minimum that Vulkan guarantees.
struct DeviceLimits {
  uint32_t spirv_version = 0x00010600;  // header word; 1.6 with Vulkan 1.3
  uint32_t max_workgroup_size[3] = {128, 128, 64};
  uint32_t max_workgroup_invocations = 128;
  uint32_t max_shared_memory = 16384;      // maxComputeSharedMemorySize
  uint32_t max_push_constants_size = 128;  // bytes
  uint32_t max_storage_buffers = 4;        // per stage
  uint32_t max_uniform_buffers = 12;       // per stage
  uint32_t min_subgroup_size = 1;          // smallest that can be required
  uint32_t max_subgroup_size = 1;          // largest of compute shaders
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_DEVICE_LIMITS_H_
