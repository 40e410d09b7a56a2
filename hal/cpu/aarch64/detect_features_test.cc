// Compares the features of this processor with those that /proc/cpuinfo names.
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

// Returns the words of the first line "Features : fp asimd ...".
std::vector<std::string> KernelFeatures() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Features", 0) != 0) continue;
    return absl::StrSplit(line, absl::ByAnyChar(" \t:"), absl::SkipEmpty());
  }
  return {};
}

TEST(CpuFeatures, ThisMachine) {
  const FeatureSet machine = MachineFeatures();
  EXPECT_TRUE(machine.Has(Feature::kArmFp));  // Linux for AArch64 needs it
  EXPECT_EQ(CpuFeature("fp-armv8"), 1);
  EXPECT_EQ(CpuFeature("dotprod"), machine.Has(Feature::kArmDotProd) ? 1 : 0);
  EXPECT_EQ(CpuFeature("crc"), std::nullopt);  // modules do not query it
  EXPECT_EQ(CpuFeature("avx2"), std::nullopt);
  const std::vector<std::string> names = KernelFeatures();
  if (names.empty()) return;  // qemu shows the host's file
  const struct {
    const char* name;
    Feature feature;
  } kRows[] = {
      {"atomics", Feature::kArmLse},      {"asimddp", Feature::kArmDotProd},
      {"i8mm", Feature::kArmI8mm},        {"bf16", Feature::kArmBf16},
      {"asimdhp", Feature::kArmFullFp16}, {"sve", Feature::kArmSve},
      {"sve2", Feature::kArmSve2},        {"sme", Feature::kArmSme},
      {"crc32", Feature::kArmCrc},        {"asimdrdm", Feature::kArmRdm},
  };
  for (const auto& row : kRows) {
    bool named = false;
    for (const std::string& name : names) named |= name == row.name;
    EXPECT_EQ(machine.Has(row.feature), named) << row.name;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
