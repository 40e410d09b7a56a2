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

const char* const* eyrie_features(void) {
  static const auto& kNames = *[] {
    auto* const names = new std::vector<const char*>();
    for (const std::string& feature : eyrie::abi::Features()) {
      names->push_back(feature.c_str());
    }
    names->push_back(nullptr);
    return names;
  }();
  return kNames.data();
}
