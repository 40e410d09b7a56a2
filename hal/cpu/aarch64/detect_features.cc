// Reads the processor's features from the vector that the kernel gives to each
// process.
//
// Tested by detect_features_test.cc.
#include <sys/auxv.h>

#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t Bit(int bit) { return uint64_t{1} << bit; }

struct HwcapRow {
  Feature feature;
  int vector;  // 1: AT_HWCAP, 2: AT_HWCAP2
  uint64_t bits;
};

constexpr HwcapRow kRows[] = {
#define FEATURE(feature, name, word, vector, bits) \
  {Feature::k##feature, vector, bits},
#include "hal/cpu/machine/aarch64_features.def"
#undef FEATURE
};

}  // namespace

FeatureSet DetectFeatures() {
  const uint64_t first = getauxval(AT_HWCAP);
  const uint64_t second = getauxval(AT_HWCAP2);
  FeatureSet features;
  for (const HwcapRow& row : kRows) {
    const uint64_t vector = row.vector == 1 ? first : second;
    if ((vector & row.bits) == row.bits) features.Add(row.feature);
  }
  return features;
}

}  // namespace eyrie::hal::cpu
