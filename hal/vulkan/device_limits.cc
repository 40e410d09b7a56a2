// Names what device_features.def lists.
#include "hal/vulkan/device_limits.h"

#include "absl/strings/str_cat.h"

namespace eyrie::hal::vulkan {

std::string DescribeFeature(Feature feature) {
  switch (feature) {
#define FEATURE(structure, member) \
  case Feature::member:            \
    return "the feature " #member;
#define SUBGROUP(bit, name)      \
  case Feature::kSubgroup##name: \
    return "subgroup operations of the kind " #name;
#define FLOAT_CONTROL(name, mode, width) \
  case Feature::k##name##width:          \
    return "the property shader" #name "Float" #width;
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  }
  return absl::StrCat("feature ", static_cast<int>(feature));
}

}  // namespace eyrie::hal::vulkan
