// Tests loading intact and damaged embedded ELF files.
#include "hal/cpu/elf_loader.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/elf_machine.h"
#include "gtest/gtest.h"
#include "hal/cpu/elf_layout.h"
#include "hal/cpu/machine/instruction_set.h"
#include "tests/support/executable_file.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

constexpr char kQuery[] = "iree_hal_executable_library_query";

TEST(ElfLoader, LoadsWhatCompilersMake) {
  const struct {
    const InstructionSet& set;
    const char* file;
    uint64_t query_size;
  } kCases[] = {
      {kX86_64, "add_v5", 17},      {kX86_64, "add_v6", 17},
      {kX86_64, "add_avx512", 17},  {kX86_64, "matmul_v5", 17},
      {kX86_64, "matmul_v6", 17},   {kAArch64, "add_v5", 20},
      {kAArch64, "add_v6", 20},     {kAArch64, "matmul_v5", 20},
      {kAArch64, "matmul_v6", 20},  {kAArch64, "matmul_i8mm", 20},
      {kRiscv64, "add_v5", 22},     {kRiscv64, "add_v6", 20},
      {kRiscv64, "add_vector", 20}, {kRiscv64, "matmul_v5", 22},
      {kRiscv64, "matmul_v6", 20},
  };
  for (const auto& [set, file, query_size] : kCases) {
    SCOPED_TRACE(absl::StrCat(set.embedded_format, " ", file));
    auto image = ElfImage::Load(TestFile(file, set), ElfUse::kRead);
    ASSERT_EQ(StatusText(image), "OK");
    EXPECT_EQ(&(*image)->instruction_set(), &set);
    ASSERT_EQ((*image)->ranges().size(), 3u);
    EXPECT_FALSE((*image)->ranges()[0].executable);
    EXPECT_TRUE((*image)->ranges()[1].executable);
    auto query = (*image)->FindFunction(kQuery);
    ASSERT_EQ(StatusText(query), "OK");
    EXPECT_TRUE((*image)->IsCode(query->address));
    EXPECT_EQ(query->size, query_size);
    EXPECT_EQ(StatusText((*image)->FindFunction("iree_hal")),
              "NOT_FOUND: The ELF file exports no symbol 'iree_hal'.");
    EXPECT_FALSE((*image)->code_pointers().empty());
    EXPECT_TRUE((*image)->initializers().empty());
  }
}

// Files for x86-64 and RISC-V have pages of 4 KiB, those for AArch64 of 64 KiB.
TEST(ElfLoader, PagesOfSystems) {
  const struct {
    const InstructionSet& set;
    uint64_t page;
    const char* want;
  } kCases[] = {
      {kX86_64, 4096, "OK"},
      {kX86_64, 16384,
       "INVALID_ARGUMENT: The ELF segment at address 4960 begins in the last "
       "page of the segment before it; that page has 16384 bytes and ends at "
       "16384."},
      {kAArch64, 4096, "OK"},
      {kAArch64, 16384, "OK"},
      {kAArch64, 65536, "OK"},
      {kRiscv64, 4096, "OK"},
  };
  for (const auto& [set, page, want] : kCases) {
    const auto layout =
        ReadElfLayout(TestFile("add_v6", set), ElfUse::kRead, page);
    EXPECT_EQ(StatusText(layout), want) << set.embedded_format << " " << page;
    EXPECT_EQ(layout.ok() ? layout->size % page : 0, 0u);
  }
}

TEST(ElfLoader, OtherMachines) {
  const std::string here = ElfMachineName(ThisElfMachine());
  const struct {
    uint16_t machine;
    const char* name;
    const char* want_read;
  } kCases[] = {
      {258, "LoongArch",
       "UNIMPLEMENTED: ELF files for LoongArch are not known."},
      {999, "machine 999",
       "UNIMPLEMENTED: ELF files for machine 999 are not known."},
  };
  for (const auto& [machine, name, want_read] : kCases) {
    std::vector<uint8_t> file = TestFile("add_v6");
    std::memcpy(file.data() + 18, &machine, sizeof(machine));
    EXPECT_EQ(StatusText(ElfImage::Load(file)),
              absl::StrCat("UNIMPLEMENTED: The executable is built for ", name,
                           "; this machine is ", here, "."));
    EXPECT_EQ(StatusText(ElfImage::Load(file, ElfUse::kRead)), want_read);
  }
}

// Offsets in x86-64's add_v6.so, whose layout is: program headers 0x40, .dynsym
// 0x1c8, .hash 0x1f8, .dynstr 0x210, .rela.dyn 0x238; the loadable segments are
// program headers 1 to 3, the dynamic one 4, RELRO 5, the stack 6.
constexpr size_t Segment(int index) { return 0x40 + index * 56; }

// Returns the address of the dynamic entry with a tag.
size_t Dynamic(const std::vector<uint8_t>& file, int64_t tag) {
  size_t at = LoadLittleEndian<uint64_t>(file.data() + Segment(4) + 8);
  while (LoadLittleEndian<int64_t>(file.data() + at) != tag) at += 16;
  return at;
}

// A value that overwrites part of a file.
struct Damage {
  const char* what;
  size_t offset;
  int size;  // bytes
  uint64_t value;
  const char* want;
};

void ExpectDamage(std::vector<uint8_t> file, const Damage& damage) {
  std::memcpy(file.data() + damage.offset, &damage.value, damage.size);
  EXPECT_EQ(StatusText(ElfImage::Load(file, ElfUse::kRead)), damage.want)
      << damage.what;
}

// A worker refuses a file with data that its code can write, and one that needs
// much more memory than it has bytes.
TEST(ElfLoader, ForAnIsolatedWorker) {
  const Damage kCases[] = {
      {"intact", 0, 1, 0x7F, "OK"},
      {"no RELRO", Segment(5), 4, 0,
       "UNIMPLEMENTED: The ELF file has 3136 bytes of data at address 9152 "
       "that "
       "its code may write, which an isolated worker does not allow."},
      {"2 MiB", Segment(3) + 40, 8, 2 << 20,
       "RESOURCE_EXHAUSTED: The ELF file of 2472 bytes needs 2109440 bytes of "
       "memory, and an isolated worker allows 1053520."},
  };
  for (const Damage& damage : kCases) {
    std::vector<uint8_t> file = TestFile("add_v6", kX86_64);
    std::memcpy(file.data() + damage.offset, &damage.value, damage.size);
    auto image = ElfImage::Load(file, ElfUse::kRead);
    ASSERT_EQ(StatusText(image), "OK") << damage.what;
    EXPECT_EQ(StatusText((*image)->for_worker()), damage.want) << damage.what;
  }
}

TEST(ElfLoader, DamagedHeaders) {
  const Damage kCases[] = {
      {"magic", 0, 1, 'E',
       "INVALID_ARGUMENT: The executable is not an ELF file."},
      {"class", 4, 1, 1,
       "UNIMPLEMENTED: The executable is not a 64-bit little-endian ELF file."},
      {"encoding", 5, 1, 2,
       "UNIMPLEMENTED: The executable is not a 64-bit little-endian ELF file."},
      {"version", 20, 4, 2,
       "UNIMPLEMENTED: The ELF file is of version 2; 1 is known."},
      {"type", 16, 2, 2,
       "UNIMPLEMENTED: The ELF file is of type 2; only shared objects (3) are "
       "loaded."},
      {"header size", 54, 2, 55,
       "INVALID_ARGUMENT: The ELF file's program headers have 55 bytes "
       "instead of 56."},
      {"header count", 56, 2, 60000,
       "INVALID_ARGUMENT: The ELF file's 60000 program headers at offset 64 "
       "exceed its 2472 bytes."},
      {"header offset", 32, 8, ~0ull,
       "INVALID_ARGUMENT: The ELF file's 7 program headers at offset "
       "18446744073709551615 exceed its 2472 bytes."},
      {"no headers", 56, 2, 0,
       "INVALID_ARGUMENT: The ELF file has no segments to load, or no dynamic "
       "one."},
      {"segment offset", Segment(2) + 8, 8, ~0ull - 8,
       "INVALID_ARGUMENT: An ELF segment of 81 bytes at offset "
       "18446744073709551607 exceeds the file's 2472 bytes."},
      {"file size", Segment(2) + 32, 8, 1 << 20,
       "INVALID_ARGUMENT: An ELF segment of 1048576 bytes at offset 864 "
       "exceeds the file's 2472 bytes."},
      {"memory size", Segment(2) + 40, 8, 8,
       "INVALID_ARGUMENT: An ELF segment has 81 bytes in the file, more than "
       "its 8 in memory."},
      {"code in memory only", Segment(2) + 40, 8, 1 << 30,
       "INVALID_ARGUMENT: An executable ELF segment has 1073741824 bytes in "
       "memory, more than its 81 in the file."},
      {"writable code", Segment(2) + 4, 4, 7,
       "INVALID_ARGUMENT: An ELF segment is both writable and executable."},
      {"alignment", Segment(2) + 48, 8, 48,
       "INVALID_ARGUMENT: An ELF segment's alignment (48) is not a power of "
       "two up to 67108864."},
      {"overlap", Segment(2) + 16, 8, 0x20,
       "INVALID_ARGUMENT: The ELF segment at address 32 begins in the last "
       "page of the segment before it; that page has 4096 bytes and ends at "
       "4096."},
      {"address", Segment(3) + 16, 8, ~0ull - 64,
       "INVALID_ARGUMENT: An ELF segment of 3136 bytes at address "
       "18446744073709551551 exceeds the address space."},
      {"huge", Segment(3) + 40, 8, 1ull << 40,
       "RESOURCE_EXHAUSTED: The ELF image needs 1099511640064 bytes; the limit "
       "is 2147483648."},
      {"thread-local data", Segment(6), 4, 7,
       "UNIMPLEMENTED: The ELF file has thread-local data, which is not "
       "loaded."},
      {"no dynamic segment", Segment(4), 4, 0,
       "INVALID_ARGUMENT: The ELF file has no segments to load, or no dynamic "
       "one."},
      {"dynamic elsewhere", Segment(4) + 16, 8, 0x9000,
       "INVALID_ARGUMENT: The ELF file's dynamic section (192 bytes at address "
       "36864) lies in no segment."},
  };
  const std::vector<uint8_t> file = TestFile("add_v6", kX86_64);
  ASSERT_FALSE(file.empty());
  for (const Damage& damage : kCases) ExpectDamage(file, damage);
}

TEST(ElfLoader, DamagedTables) {
  const std::vector<uint8_t> file = TestFile("add_v6", kX86_64);
  ASSERT_FALSE(file.empty());
  const size_t kSymbol = 0x1E0;  // the only symbol
  const size_t kHashTable = 0x1F8;
  const size_t kRelocation = 0x238;
  // The loader ignores DT_RELACOUNT, so its entry can hold other tags.
  const size_t kSpare = Dynamic(file, 0x6FFFFFF9);
  const Damage kCases[] = {
      {"needs a library", kSpare, 8, 1,
       "UNIMPLEMENTED: The ELF file needs a system library; embedded "
       "executables have none."},
      {"REL", kSpare, 8, 17,
       "UNIMPLEMENTED: The ELF file has relocations without addends, which "
       "x86-64 does not use."},
      {"initializer", kSpare, 8, 12,
       "INVALID_ARGUMENT: An ELF initializer lies outside the code."},
      {"symbol size", Dynamic(file, 11) + 8, 8, 16,
       "INVALID_ARGUMENT: The ELF file's symbols have 16 bytes instead of "
       "24."},
      {"relocation size", Dynamic(file, 9) + 8, 8, 16,
       "INVALID_ARGUMENT: The ELF file's relocations have 16 bytes instead of "
       "24."},
      {"no symbols", Dynamic(file, 6), 8, 0x70000000,
       "INVALID_ARGUMENT: The ELF file has no symbol table."},
      {"no hash table", Dynamic(file, 4), 8, 0x70000000,
       "INVALID_ARGUMENT: The ELF file has no symbol hash table."},
      {"hash table elsewhere", Dynamic(file, 4) + 8, 8, ~0ull - 4,
       "INVALID_ARGUMENT: The ELF file's symbol hash table (8 bytes at address "
       "18446744073709551611) lies in no segment."},
      {"strings", Dynamic(file, 10) + 8, 8, ~0ull,
       "INVALID_ARGUMENT: The ELF file's string table (18446744073709551615 "
       "bytes at address 528) lies in no segment."},
      {"symbol count", kHashTable + 4, 4, 0xFFFFFFFF,
       "INVALID_ARGUMENT: The ELF file's symbol table (103079215080 bytes at "
       "address 456) lies in no segment."},
      {"import", kSymbol + 6, 2, 0,
       "NOT_FOUND: The ELF file imports the symbol "
       "'iree_hal_executable_library_query'; embedded executables can import "
       "none."},
      {"import without a name", kSymbol, 8, 0x00000012FFFFFFFF,
       "NOT_FOUND: The ELF file imports the symbol '(unnamed)'; embedded "
       "executables can import none."},
      {"relocations", Dynamic(file, 8) + 8, 8, 1ull << 32,
       "INVALID_ARGUMENT: The ELF file's relocation table (4294967296 bytes at "
       "address 568) lies in no segment."},
      {"relocation type", kRelocation + 8, 8, 9,
       "UNIMPLEMENTED: ELF relocation type 9 is not known for x86-64."},
      {"relocation of code", kRelocation, 8, 0x1360,
       "INVALID_ARGUMENT: An ELF relocation changes address 4960, which is in "
       "no writable segment."},
      {"relocation past the end", kRelocation, 8, ~0ull,
       "INVALID_ARGUMENT: An ELF relocation changes address "
       "18446744073709551615, which is in no writable segment."},
      {"relocation's target", kRelocation + 16, 8, 0x100000,
       "INVALID_ARGUMENT: An ELF relocation refers to address 1048576, outside "
       "the image (0 to 12288)."},
      {"relocation's symbol", kRelocation + 8, 8, 5ull << 32 | 6,
       "INVALID_ARGUMENT: An ELF relocation's symbol (5) is past the last one "
       "(2 symbols)."},
      {"relocation by symbol", kRelocation + 8, 8, 1ull << 32 | 6, "OK"},
      {"no relocation", kRelocation + 8, 8, 0, "OK"},
  };
  for (const Damage& damage : kCases) ExpectDamage(file, damage);
}

TEST(ElfLoader, CountsSymbolsByTheGnuHashTable) {
  // A file of the system's linker has both hash tables.
  std::vector<uint8_t> file = TestFile("add_system", kX86_64);
  ASSERT_FALSE(file.empty());
  const size_t hash = Dynamic(file, 4);
  const uint64_t ignored = 0x70000000;
  std::memcpy(file.data() + hash, &ignored, 8);
  auto image = ElfImage::Load(file, ElfUse::kRead);
  ASSERT_EQ(StatusText(image), "OK");
  EXPECT_EQ(StatusText((*image)->FindFunction(kQuery)), "OK");

  const size_t table =
      LoadLittleEndian<uint64_t>(file.data() + Dynamic(file, 0x6FFFFEF5) + 8);
  const Damage kCases[] = {
      {"buckets", table, 4, 0x10000,
       "INVALID_ARGUMENT: The ELF file's symbol hash table (262144 bytes at "
       "address 528) lies in no segment."},
      {"bloom filter", table + 8, 4, 0xFFFFFFFF,
       "INVALID_ARGUMENT: The ELF file's symbol hash table (4 bytes at address "
       "34359738880) lies in no segment."},
      {"chain", table + 24, 4, 0xFFFFFF,
       "INVALID_ARGUMENT: The ELF file's symbol hash table (4 bytes at address "
       "67109388) lies in no segment."},
      {"empty", table + 24, 4, 0, "OK"},
  };
  for (const Damage& damage : kCases) ExpectDamage(file, damage);
}

TEST(ElfLoader, TruncatedAtEveryLength) {
  for (const char* name : {"add_v5", "add_v6"}) {
    const std::vector<uint8_t> file = TestFile(name, kX86_64);
    // After the segments are only section headers, which the loader ignores.
    size_t end = 0;
    for (int i = 1; i <= 3; ++i) {
      const uint8_t* segment = file.data() + Segment(i);
      end = std::max<size_t>(end, LoadLittleEndian<uint64_t>(segment + 8) +
                                      LoadLittleEndian<uint64_t>(segment + 32));
    }
    for (size_t size = 0; size < file.size(); ++size) {
      // A copy of exactly this size, so that sanitizers detect a read past it.
      const std::vector<uint8_t> part(file.begin(), file.begin() + size);
      EXPECT_EQ(ElfImage::Load(part, ElfUse::kRead).ok(), size >= end)
          << name << " " << size;
    }
  }
}

// Returns the access rights of the page at an address, such as "r-xp".
std::string RightsAt(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char flags[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, flags) == 3 &&
        address >= begin && address < end) {
      return flags;
    }
  }
  return "none";
}

// Returns the access rights of each segment's first page.
std::string Rights(const ElfImage& image) {
  std::string rights;
  for (const Image::Range& range : image.ranges()) {
    absl::StrAppend(&rights,
                    RightsAt(reinterpret_cast<uintptr_t>(range.bytes.data())),
                    " ");
  }
  return rights;
}

TEST(ElfLoader, NoPageIsWritableAndExecutable) {
  auto image = ElfImage::Load(TestFile("matmul_v5"));
  ASSERT_EQ(StatusText(image), "OK");
  EXPECT_EQ(Rights(**image), "r--p r-xp r--p ");
  image = ElfImage::Load(TestFile("matmul_v5"), ElfUse::kRead);
  ASSERT_EQ(StatusText(image), "OK");
  EXPECT_EQ(Rights(**image), "r--p r--p r--p ");
}

// Only whole pages that end within RELRO are protected.
TEST(ElfLoader, ProtectsEveryPageOfRelro) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const struct {
    const char* what;
    uint64_t end;      // of RELRO, from the begin of the data's first page
    const char* want;  // the second letter of each of the data's four pages
  } kRows[] = {
      {"all", 4 * page, "----"},
      {"to the end of a page", 3 * page, "---w"},
      {"to the last byte of a page", 3 * page - 1, "--ww"},
      {"one page", page, "-www"},
  };
  for (const auto& row : kRows) {
    std::vector<uint8_t> file = TestFile("add_v6");
    for (int i = 0; i < 7; ++i) {
      Elf64_Phdr header;
      std::memcpy(&header, file.data() + Segment(i), sizeof(header));
      const bool is_data = header.p_type == PT_LOAD && header.p_flags & PF_W;
      if (!is_data && header.p_type != PT_GNU_RELRO) continue;
      header.p_memsz = (is_data ? 4 * page : row.end) - header.p_vaddr % page;
      std::memcpy(file.data() + Segment(i), &header, sizeof(header));
    }
    auto image = ElfImage::Load(file);
    ASSERT_EQ(StatusText(image), "OK") << row.what;
    const uint64_t begin =
        reinterpret_cast<uintptr_t>((*image)->ranges().back().bytes.data()) /
        page * page;
    std::string rights;
    for (int i = 0; i < 4; ++i) rights += RightsAt(begin + i * page)[1];
    EXPECT_EQ(rights, row.want) << row.what;
  }
}

// Relocations of AArch64 have addends of all kinds. In add_v6.so, .rela.dyn is
// at 0x238 and its first symbol is the query function.
TEST(ElfLoader, RelocationsOfAArch64) {
  const std::vector<uint8_t> file = TestFile("add_v6", kAArch64);
  const size_t table =
      LoadLittleEndian<uint64_t>(file.data() + Dynamic(file, 7) + 8);
  const Damage kCases[] = {
      {"NONE", table + 8, 8, 0, "OK"},
      {"old NONE", table + 8, 8, 256, "OK"},
      {"ABS64", table + 8, 8, 1ull << 32 | 257, "OK"},
      {"GLOB_DAT", table + 8, 8, 1ull << 32 | 1025, "OK"},
      {"JUMP_SLOT", table + 8, 8, 1ull << 32 | 1026, "OK"},
      {"a symbol that does not exist", table + 8, 8, 5ull << 32 | 257,
       "INVALID_ARGUMENT: An ELF relocation's symbol (5) is past the last one "
       "(2 symbols)."},
      {"IRELATIVE", table + 8, 8, 1032,
       "UNIMPLEMENTED: ELF relocation type 1032 is not known for AArch64."},
      {"of x86-64", table + 8, 8, 8,
       "UNIMPLEMENTED: ELF relocation type 8 is not known for AArch64."},
      {"addend", table + 16, 8, 1 << 20,
       "INVALID_ARGUMENT: An ELF relocation refers to address 1048576, outside "
       "the image (0 to 135168)."},
  };
  for (const Damage& damage : kCases) ExpectDamage(file, damage);
}

TEST(ElfLoader, RelocationsOfRiscv) {
  const std::vector<uint8_t> file = TestFile("add_v6", kRiscv64);
  const size_t table =
      LoadLittleEndian<uint64_t>(file.data() + Dynamic(file, 7) + 8);
  const Damage kCases[] = {
      {"NONE", table + 8, 8, 0, "OK"},
      {"64", table + 8, 8, 1ull << 32 | 2, "OK"},
      {"JUMP_SLOT", table + 8, 8, 1ull << 32 | 5, "OK"},
      {"IRELATIVE", table + 8, 8, 58,
       "UNIMPLEMENTED: ELF relocation type 58 is not known for RISC-V."},
      {"32", table + 8, 8, 1,
       "UNIMPLEMENTED: ELF relocation type 1 is not known for RISC-V."},
      {"addend", table + 16, 8, 1 << 20,
       "INVALID_ARGUMENT: An ELF relocation refers to address 1048576, outside "
       "the image (0 to 12288)."},
  };
  for (const Damage& damage : kCases) ExpectDamage(file, damage);
}

}  // namespace
}  // namespace eyrie::hal::cpu
