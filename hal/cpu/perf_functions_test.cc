// Compares the functions for perf with loaded libraries; damages symbol tables.
#include "hal/cpu/perf_functions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/perf_map.h"
#include "base/ref.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_symbols.h"
#include "hal/cpu/executable.h"
#include "hal/cpu/library_executable.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/driver.h"
#include "hal/executable.h"
#include "tests/support/executable_file.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

const absl::string_view kEmbedded = ThisInstructionSet().embedded_format;

absl::StatusOr<Ref<hal::Executable>> Load(const std::vector<uint8_t>& file,
                                          absl::string_view format,
                                          DriverOptions options = {}) {
  options.allow_system_executables = true;
  return LoadExecutable({.format = format, .data = file, .constants = {}},
                        options);
}

const LibraryExecutable& LibraryOf(const Ref<hal::Executable>& executable) {
  return static_cast<const LibraryExecutable&>(*executable);
}

TEST(PerfFunctions, CoverEveryKernel) {
  const std::pair<const char*, absl::string_view> kRows[] = {
      {"add_v5", kEmbedded},
      {"add_v6", kEmbedded},
      {"matmul_v5", kEmbedded},
      {"matmul_v6", kEmbedded},
      {"add_system", ThisInstructionSet().system_format},
  };
  for (const auto& [name, format] : kRows) {
    SCOPED_TRACE(name);
    const std::vector<uint8_t> file = TestFile(name);
    const auto executable = Load(file, format);
    ASSERT_TRUE(executable.ok()) << StatusText(executable);
    const LibraryExecutable& library = LibraryOf(*executable);
    std::map<uint64_t, PerfMap::Function> functions;
    uint64_t end = 0;
    for (const PerfMap::Function& function : PerfFunctions(library, file)) {
      EXPECT_GE(function.address, end) << function.name;
      EXPECT_GT(function.size, 0u) << function.name;
      end = function.address + function.size;
      EXPECT_TRUE(library.image().IsCode(function.address));
      EXPECT_TRUE(library.image().IsCode(end - 1));
      functions[function.address] = function;
    }
    for (size_t i = 0; i < library.exports().size(); ++i) {
      const auto address =
          reinterpret_cast<uintptr_t>(library.kernels()[i].function);
      ASSERT_EQ(functions.count(address), 1u);
      const absl::string_view want = library.exports()[i].name;
      const std::string& got = functions[address].name;
      EXPECT_TRUE(want.empty() ? absl::EndsWith(got, absl::StrCat(" ", i))
                               : got == want)
          << got;
    }
    // The query function has its name from the file.
    const auto query = library.image().FindFunction(kLibraryQuerySymbol);
    ASSERT_TRUE(query.ok());
    EXPECT_EQ(functions[query->address].name, kLibraryQuerySymbol);
  }
}

TEST(PerfFunctions, LoadingWritesTheMap) {
  const auto map = PerfMap::Create(testing::TempDir());
  ASSERT_TRUE(map.ok()) << StatusText(map);
  const std::vector<uint8_t> file = TestFile("add_v6");
  DriverOptions options;
  options.perf_map = *map;
  const auto executable = Load(file, kEmbedded, options);
  ASSERT_TRUE(executable.ok()) << StatusText(executable);
  std::ifstream written((*map)->path());
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(written, line)) lines.push_back(line);
  std::vector<std::string> want;
  for (const auto& function : PerfFunctions(LibraryOf(*executable), file)) {
    want.push_back(absl::StrCat(absl::Hex(function.address), " ",
                                absl::Hex(function.size), " ", function.name));
  }
  EXPECT_EQ(lines, want);
}

// For any bytes, names point into the file, and nothing outside it is read.
TEST(ElfFunctions, DamagedFiles) {
  const std::vector<uint8_t> whole = TestFile("matmul_v6");
  EXPECT_FALSE(ReadElfFunctions(whole).empty());
  const auto check = [](const std::vector<uint8_t>& file) {
    const auto* begin = reinterpret_cast<const char*>(file.data());
    for (const ElfFunction& function : ReadElfFunctions(file)) {
      EXPECT_GE(function.name.data(), begin);
      EXPECT_LE(function.name.data() + function.name.size(),
                begin + file.size());
    }
  };
  for (size_t size = 0; size < whole.size(); size += 61) {
    check(std::vector<uint8_t>(whole.begin(), whole.begin() + size));
  }
  // Damages the header, and the section headers at the end.
  const auto damage = [&](size_t from, size_t to) {
    for (size_t at = from; at < to; ++at) {
      for (const uint8_t byte : {0x00, 0x7F, 0xFF}) {
        std::vector<uint8_t> file = whole;
        file[at] = byte;
        check(file);
      }
    }
  };
  damage(0, 64);
  damage(whole.size() - std::min<size_t>(whole.size(), 640), whole.size());
}

}  // namespace
}  // namespace eyrie::hal::cpu
