// The features of the library, for eyrie_has_feature.
//
// Drivers and conventions of native functions are features by their names. Only
// the other features are listed here.
// Tested by introspection_test.cc.
#include <cstddef>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "eyrie/c_base.h"
#include "hal/drivers/drivers.h"

namespace eyrie::abi {
namespace {

constexpr const char* kOthers[] = {"jit", "mpi"};

constexpr const char* kConventions[] = {
#define NATIVE_CONVENTION(name, declare) name,
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION
};

// Returns all features, in ascending order.
const std::vector<std::string>& Features() {
  static const auto& kFeatures = *[] {
    auto* const features = new std::vector<std::string>();
    for (const char* const name : kOthers) features->emplace_back(name);
    for (const char* const name : kConventions) features->emplace_back(name);
    for (const auto& driver : hal::AllDrivers()) {
      features->emplace_back(driver->name());
    }
    absl::c_sort(*features);
    return features;
  }();
  return kFeatures;
}

}  // namespace
}  // namespace eyrie::abi

int eyrie_has_feature(const char* name) {
  return absl::c_binary_search(eyrie::abi::Features(), name) ? 1 : 0;
}

size_t eyrie_feature_count(void) { return eyrie::abi::Features().size(); }

const char* eyrie_feature(size_t index) {
  const auto& features = eyrie::abi::Features();
  return index < features.size() ? features[index].c_str() : nullptr;
}
