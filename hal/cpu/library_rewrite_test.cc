// Tests new tables of libraries: what their query functions answer.
#include "hal/cpu/library_rewrite.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/library.h"
#include "hal/cpu/library_facts.h"
#include "hal/cpu/machine/instruction_set.h"
#include "tests/support/executable_file.h"

namespace eyrie::hal::cpu {
namespace {

// Appends "6 add_dispatch_0: add (0, 3)": the version of a library, its name,
// and its kernels with their counts.
void Describe(const Library& library, std::string* text) {
  absl::StrAppend(text, library.version, " ", library.name, ":");
  for (const LibraryExport& entry : library.exports) {
    absl::StrAppend(text, " ", entry.name);
    if (library.version < 5) continue;
    absl::StrAppend(text, " (", entry.constant_count, ", ", entry.binding_count,
                    ")");
  }
}

// Returns the libraries that the query function returns for all versions: only
// one. If the file is for another machine, returns that in its tables.
std::string Answer(const std::vector<uint8_t>& file,
                   const InstructionSet& set = ThisInstructionSet()) {
  const bool runs = &set == &ThisInstructionSet();
  const auto image = ElfImage::Load(file, runs ? ElfUse::kRun : ElfUse::kRead);
  if (!image.ok()) return std::string(image.status().message());
  std::string text;
  if (!runs) {
    const auto library = FindLibrary(**image);
    if (library.has_value()) Describe(*library, &text);
    return text;
  }
  const auto found = (*image)->FindFunction(kLibraryQuerySymbol);
  if (!found.ok()) return std::string(found.status().message());
  const auto query = reinterpret_cast<LibraryQuery>(found->address);
  Environment environment = {};
  for (uint32_t version = 0; version < 10; ++version) {
    const auto* const answer = query(version, &environment);
    if (answer == nullptr) continue;
    const auto library = ReadLibrary(**image, version, answer);
    if (!library.ok()) return std::string(library.status().message());
    Describe(*library, &text);
  }
  return text;
}

TEST(LibraryRewrite, AnswersForTheNewVersion) {
  const struct {
    const char* file;
    uint32_t version;
    const char* want;
  } kRows[] = {
      {"add_v5", 3, "3 add_dispatch_0: kernel_0"},
      {"add_v5", 4, "4 add_dispatch_0: kernel_0"},
      {"add_v5", 5, "5 add_dispatch_0: kernel_0 (0, 3)"},
      {"add_v5", 6, "6 add_dispatch_0: kernel_0 (0, 3)"},
      {"add_v6", 5,
       "5 add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3)"},
      {"add_v6", 6,
       "6 add_dispatch_0: add_dispatch_0_elementwise_16_f32 (0, 3)"},
      {"matmul_v6", 3,
       "3 matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 "
       "_encoding_0_encode_128x256xi8_to_128x256xi8 "
       "_encoding_1_encode_256x128xi8_to_256x128xi8"},
  };
  for (const InstructionSet* set : {&kX86_64, &kAArch64, &kRiscv64}) {
    for (const auto& row : kRows) {
      SCOPED_TRACE(absl::StrCat(set->embedded_format, " ", row.file, " to ",
                                row.version));
      const auto made = RewriteLibrary(TestFile(row.file, *set), row.version,
                                       {}, /*needs_names=*/true);
      ASSERT_TRUE(made.ok()) << made.status().message();
      EXPECT_EQ(Answer(*made, *set), row.want);
    }
  }
}

TEST(LibraryRewrite, NumbersKernelsWithoutNames) {
  const auto made = RewriteLibrary(TestFile("matmul_v5", kX86_64), 6, {}, true);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(Answer(*made, kX86_64),
            "6 matmul_linked: kernel_0 (0, 2) kernel_1 (0, 2) kernel_2 (0, 2) "
            "kernel_3 (0, 2)");
}

TEST(LibraryRewrite, LeavesWhatNeedsNoChange) {
  const std::vector<uint8_t> file = TestFile("add_v5");
  const auto same = RewriteLibrary(file, 5, {}, /*needs_names=*/false);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(*same, file);
}

TEST(LibraryRewrite, TakesCountsThatTheLibraryLacks) {
  const auto old = RewriteLibrary(TestFile("add_v6"), 3, {}, true);
  ASSERT_TRUE(old.ok());
  using Counts = std::optional<KernelCounts>;
  const Counts counts[] = {KernelCounts{4, 3}};
  const auto made = RewriteLibrary(*old, 5, counts, true);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(Answer(*made),
            "5 add_dispatch_0: add_dispatch_0_elementwise_16_f32 (4, 3)");
  constexpr char kUnknown[] =
      "Library version 5 declares the numbers of constants and bindings of "
      "each kernel, and those of kernel 0 are unknown, or differ between its "
      "dispatches.";
  const struct {
    std::vector<Counts> counts;
    const char* want;
  } kRows[] = {
      {{}, kUnknown},
      {{std::nullopt}, kUnknown},
      {{KernelCounts{64, 64}}, ""},
      {{KernelCounts{65, 3}},
       "Kernel 0 takes 65 constants and 3 bindings; the limits are 64 and 64."},
      {{KernelCounts{0, 256}},
       "Kernel 0 takes 0 constants and 256 bindings; the limits are 64 and "
       "64."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(RewriteLibrary(*old, 5, row.counts, true).status().message(),
              row.want);
  }
}

TEST(LibraryRewrite, RefusesDamagedFiles) {
  std::vector<uint8_t> file = TestFile("add_v6");
  for (size_t i = 0; i < file.size(); i += 3) {
    file[i] ^= 0xFF;
    const auto made = RewriteLibrary(file, 5, {}, true);
    EXPECT_TRUE(!made.ok() || made->size() < file.size() + (1 << 20)) << i;
    file[i] ^= 0xFF;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
