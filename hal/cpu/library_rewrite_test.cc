// Tests new tables of libraries: what their query functions answer.
#include "hal/cpu/library_rewrite.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/library.h"
#include "tests/support/files.h"

namespace eyrie::hal::cpu {
namespace {

std::vector<uint8_t> Read(const std::string& file) {
  return FileBytes(absl::StrCat("hal/cpu/testdata/", file, ".so"));
}

// Returns "6 add_dispatch_0: add (0, 3)": the only version that the library
// answers for, its name, and its kernels with their counts.
std::string Answer(const std::vector<uint8_t>& file) {
  const auto image = ElfImage::Load(file);
  if (!image.ok()) return std::string(image.status().message());
  const auto found = (*image)->FindFunction(kLibraryQuerySymbol);
  if (!found.ok()) return std::string(found.status().message());
  const auto query = reinterpret_cast<LibraryQuery>(found->address);
  Environment environment = {};
  std::string text;
  for (uint32_t version = 0; version < 10; ++version) {
    const auto* const answer = query(version, &environment);
    if (answer == nullptr) continue;
    const auto library = ReadLibrary(**image, version, answer);
    if (!library.ok()) return std::string(library.status().message());
    absl::StrAppend(&text, version, " ", library->name, ":");
    for (const LibraryExport& entry : library->exports) {
      absl::StrAppend(&text, " ", entry.name);
      if (version < 5) continue;
      absl::StrAppend(&text, " (", entry.constant_count, ", ",
                      entry.binding_count, ")");
    }
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
      {"matmul_v5", 6,
       "6 matmul_linked: kernel_0 (0, 2) kernel_1 (0, 2) kernel_2 (0, 2) "
       "kernel_3 (0, 2)"},
      {"matmul_v6", 3,
       "3 matmul_linked: matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 "
       "_encoding_0_encode_128x256xi8_to_128x256xi8 "
       "_encoding_1_encode_256x128xi8_to_256x128xi8"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(absl::StrCat(row.file, " to ", row.version));
    const auto made =
        RewriteLibrary(Read(row.file), row.version, {}, /*needs_names=*/true);
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(Answer(*made), row.want);
  }
}

TEST(LibraryRewrite, LeavesWhatNeedsNoChange) {
  const std::vector<uint8_t> file = Read("add_v5");
  const auto same = RewriteLibrary(file, 5, {}, /*needs_names=*/false);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(*same, file);
}

TEST(LibraryRewrite, TakesCountsThatTheLibraryLacks) {
  const auto old = RewriteLibrary(Read("add_v6"), 3, {}, true);
  ASSERT_TRUE(old.ok());
  const KernelCounts counts[] = {{4, 3}};
  const auto made = RewriteLibrary(*old, 5, counts, true);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(Answer(*made),
            "5 add_dispatch_0: add_dispatch_0_elementwise_16_f32 (4, 3)");
  EXPECT_EQ(RewriteLibrary(*old, 5, {}, true).status().message(),
            "Library version 5 counts the constants and bindings of kernels, "
            "which are unknown.");
}

TEST(LibraryRewrite, RefusesDamagedFiles) {
  std::vector<uint8_t> file = Read("add_v6");
  for (size_t i = 0; i < file.size(); i += 3) {
    file[i] ^= 0xFF;
    const auto made = RewriteLibrary(file, 5, {}, true);
    EXPECT_TRUE(!made.ok() || made->size() < file.size() + (1 << 20)) << i;
    file[i] ^= 0xFF;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
