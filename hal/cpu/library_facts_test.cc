// Tests finding a library's tables without running its query function.
#include "hal/cpu/library_facts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace eyrie::hal::cpu {
namespace {

// Returns "add: kernel (constants, bindings) size memory; ...", or the error.
std::string Describe(const std::string& file, FeatureSet machine) {
  const auto facts = ReadLibraryFacts(
      FileBytes(absl::StrCat("hal/cpu/testdata/", file, ".so")), machine);
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
      facts->lacks.empty() ? "" : absl::StrCat(" lacks ", facts->lacks));
}

TEST(LibraryFacts, OfBothVersions) {
  const struct {
    const char* file;
    const char* want;
  } kCases[] = {
      {"add_v5", "add_dispatch_0:  (0, 3) 1x1x1 0"},
      {"add_v6",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
      {"matmul_v5",
       "matmul_linked:  (0, 2) 1x1x1 0;  (0, 2) 1x1x1 0;  (0, 2) 1x1x1 "
       "0;  (0, 2) 1x1x1 0 uses avx, avx2"},
      {"matmul_v6",
       "matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, "
       "2) 1x1x1 0; _encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) "
       "1x1x1 0; _encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 "
       "0"},
      {"add_avx512",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0 "
       "uses avx, avx512f"},
      {"add_system",
       "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0"},
  };
  for (const auto& [file, want] : kCases) {
    EXPECT_EQ(Describe(file, FeatureSet::All()), want) << file;
  }
}

TEST(LibraryFacts, SayWhatAMachineLacks) {
  EXPECT_EQ(Describe("add_avx512", FeatureSet()),
            "add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0 "
            "uses avx, avx512f lacks avx, avx512f");
}

TEST(LibraryFacts, RefuseDamagedFiles) {
  std::vector<uint8_t> file = FileBytes("hal/cpu/testdata/add_v6.so");
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
