// Tests that the features of this processor are known, and how modules query
// them.
#include <sys/auxv.h>

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

TEST(CpuFeatures, ThisMachine) {
  const FeatureSet machine = MachineFeatures();
  const bool vectors = (getauxval(AT_HWCAP) >> ('V' - 'A') & 1) != 0;
  EXPECT_EQ(machine.Has(Feature::kRiscvV), vectors);
  EXPECT_EQ(CpuFeature("v"), vectors ? 1 : 0);
  EXPECT_EQ(CpuFeature("zbb"), std::nullopt);  // modules do not query it
  EXPECT_EQ(CpuFeature("avx2"), std::nullopt);
  EXPECT_EQ(EncodeFeatures(machine) & 1, vectors ? 1 : 0);
  // Arithmetic with half floats includes conversions.
  EXPECT_LE(machine.Has(Feature::kRiscvZfh),
            machine.Has(Feature::kRiscvZfhmin));
  EXPECT_LE(machine.Has(Feature::kRiscvZvfh),
            machine.Has(Feature::kRiscvZvfhmin));
}

}  // namespace
}  // namespace eyrie::hal::cpu
