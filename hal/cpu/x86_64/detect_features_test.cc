// Compares the features of this processor with those that the compiler finds.
#include <optional>

#include "gtest/gtest.h"
#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

TEST(CpuFeatures, ThisMachine) {
  const FeatureSet machine = MachineFeatures();
  EXPECT_EQ(machine.Has(Feature::kSse42),
            __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(machine.Has(Feature::kAvx2), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(machine.Has(Feature::kFma), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(machine.Has(Feature::kAvx512F),
            __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(machine.Has(Feature::kAvx512Vnni),
            __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(CpuFeature("avx2"), machine.Has(Feature::kAvx2) ? 1 : 0);
  EXPECT_EQ(CpuFeature("bmi2"), std::nullopt);  // modules do not query it
  EXPECT_EQ(CpuFeature("dotprod"), std::nullopt);
  EXPECT_EQ(CpuFeature("neon"), std::nullopt);
}

}  // namespace
}  // namespace eyrie::hal::cpu
