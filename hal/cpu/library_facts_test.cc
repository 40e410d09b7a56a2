// Tests finding a library's tables without running its query function.
#include "hal/cpu/library_facts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hal/cpu/machine/instruction_set.h"
#include "tests/support/executable_file.h"

namespace eyrie::hal::cpu {
namespace {

// Returns "add: kernel (constants, bindings) size memory; ...", or the error.
std::string Describe(const InstructionSet& set, const std::string& file,
                     FeatureSet machine) {
  const auto facts = ReadLibraryFacts(TestFile(file, set), machine);
  if (!facts.ok()) return std::string(facts.status().message());
  return absl::StrCat(
      facts->name, ": ",
      absl::StrJoin(facts->kernels, "; ",
                    [](std::string* out, const KernelFacts& kernel) {
                      absl::StrAppend(out, kernel.name, " (",
                                      *kernel.constant_count, ", ",
                                      *kernel.binding_count, ") ",
                                      absl::StrJoin(kernel.workgroup_size, "x"),
                                      " ", kernel.local_memory);
                    }),
      facts->uses.empty() ? "" : absl::StrCat(" uses ", facts->uses),
      facts->lacks.empty() ? "" : absl::StrCat(" lacks ", facts->lacks),
      facts->not_isolated);
}

TEST(LibraryFacts, OfBothVersions) {
  const struct {
    const InstructionSet& set;
    const char* file;
    const char* want;
  } kCases[] = {
      {kX86_64, "add_v5", "add_dispatch_0:  (0, 3) 1x1x1 0"},
      {kX86_64, "add_v6",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {kX86_64, "matmul_v5",
       "matmul_linked:  (0, 2) 1x1x1 0;  (0, 2) 1x1x1 0;  (0, 2) 1x1x1 "
       "0;  (0, 2) 1x1x1 0 uses avx, avx2"},
      {kX86_64, "matmul_v6",
       "matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, "
       "2) 1x1x1 0; _encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) "
       "1x1x1 0; _encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 "
       "0"},
      {kX86_64, "add_avx512",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0 "
       "uses avx, avx512f"},
      {kX86_64, "add_system",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {kAArch64, "add_v5", "add_dispatch_0:  (0, 3) 1x1x1 0"},
      {kAArch64, "add_v6",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {kAArch64, "matmul_v5", "matmul_dispatch_0:  (0, 3) 1x1x1 0"},
      {kAArch64, "matmul_v6",
       "matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, 2) "
       "1x1x1 0; _encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) 1x1x1 0; "
       "_encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 0"},
      {kAArch64, "matmul_i8mm",
       "matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, 2) "
       "1x1x1 0; _encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) 1x1x1 0; "
       "_encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 0 uses i8mm"},
      {kRiscv64, "add_v5", "add_dispatch_0:  (0, 3) 1x1x1 0"},
      {kRiscv64, "add_v6",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {kRiscv64, "add_vector",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0 uses "
       "v"},
      {kRiscv64, "add_system",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {kRiscv64, "matmul_v5", "matmul_dispatch_0:  (0, 3) 1x1x1 0"},
      {kRiscv64, "matmul_v6",
       "matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, 2) "
       "1x1x1 0; _encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) 1x1x1 0; "
       "_encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 0"},
  };
  for (const auto& [set, file, want] : kCases) {
    EXPECT_EQ(Describe(set, file, set.features), want)
        << set.embedded_format << " " << file;
  }
}

TEST(LibraryFacts, SayWhatAMachineLacks) {
  EXPECT_EQ(Describe(kX86_64, "add_avx512", FeatureSet()),
            "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0 "
            "uses avx, avx512f lacks avx, avx512f");
  EXPECT_THAT(Describe(kAArch64, "matmul_i8mm", {Feature::kArmDotProd}),
              testing::EndsWith(" uses i8mm lacks i8mm"));
  EXPECT_THAT(Describe(kRiscv64, "add_vector", {Feature::kRiscvZbb}),
              testing::EndsWith(" uses v lacks v"));
}

TEST(LibraryFacts, RefuseDamagedFiles) {
  std::vector<uint8_t> file = TestFile("add_v6");
  for (size_t size = 0; size < file.size(); size += 64) {
    const auto facts = ReadLibraryFacts({file.data(), size}, FeatureSet());
    EXPECT_TRUE(!facts.ok() || facts->kernels.size() <= 1) << size;
  }
  // A flipped byte gives an error, or facts that fit into the file.
  for (size_t i = 0; i < file.size(); ++i) {
    file[i] ^= 0xFF;
    const auto facts = ReadLibraryFacts(file, FeatureSet());
    EXPECT_TRUE(!facts.ok() || facts->kernels.size() <= file.size()) << i;
    file[i] ^= 0xFF;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
