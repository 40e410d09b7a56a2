// The 64-bit little-endian ELF structures and numbers that the loader reads.
//
// Names are those of the specification, without prefixes. Fields that the
// loader does not read are present, too.
#ifndef EYRIE_HAL_CPU_ELF_FORMAT_H_
#define EYRIE_HAL_CPU_ELF_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::cpu::elf {

inline constexpr uint8_t kMagic[4] = {0x7F, 'E', 'L', 'F'};
inline constexpr uint8_t kClass64 = 2;
inline constexpr uint8_t kLittleEndian = 1;
inline constexpr uint16_t kTypeShared = 3;

inline constexpr uint16_t kMachineX86_64 = 62;
inline constexpr struct {
  uint16_t machine;
  const char* name;
} kMachineNames[] = {
    {3, "x86-32"},    {8, "MIPS"},          {20, "PowerPC"}, {21, "PowerPC 64"},
    {22, "S/390"},    {40, "Arm (32-bit)"}, {62, "x86-64"},  {164, "Hexagon"},
    {183, "AArch64"}, {224, "AMD GPU"},     {243, "RISC-V"}, {258, "LoongArch"},
};

struct Header {
  uint8_t magic[4];
  uint8_t file_class;
  uint8_t data_encoding;
  uint8_t ident_version;
  uint8_t os_abi;
  uint8_t ident_padding[8];
  uint16_t type;
  uint16_t machine;
  uint32_t version;
  uint64_t entry;
  uint64_t program_header_offset;
  uint64_t section_header_offset;
  uint32_t flags;
  uint16_t header_size;
  uint16_t program_header_size;
  uint16_t program_header_count;
  uint16_t section_header_size;
  uint16_t section_header_count;
  uint16_t section_name_index;
};
static_assert(sizeof(Header) == 64);

inline constexpr uint32_t kSegmentLoad = 1;
inline constexpr uint32_t kSegmentDynamic = 2;
inline constexpr uint32_t kSegmentTls = 7;
inline constexpr uint32_t kSegmentRelro = 0x6474E552;
inline constexpr uint32_t kSegmentExecutable = 1;
inline constexpr uint32_t kSegmentWritable = 2;

struct ProgramHeader {
  uint32_t type;
  uint32_t flags;
  uint64_t offset;
  uint64_t address;
  uint64_t physical_address;
  uint64_t file_size;
  uint64_t memory_size;
  uint64_t alignment;
};
static_assert(sizeof(ProgramHeader) == 56);

inline constexpr uint32_t kSectionSymbols = 2;
inline constexpr uint32_t kSectionDynamicSymbols = 11;

struct SectionHeader {
  uint32_t name;
  uint32_t type;
  uint64_t flags;
  uint64_t address;
  uint64_t offset;
  uint64_t size;
  uint32_t link;  // in a symbol table: the section with the names
  uint32_t info;
  uint64_t alignment;
  uint64_t entry_size;
};
static_assert(sizeof(SectionHeader) == 64);

enum class DynamicTag : int64_t {
  kNull = 0,
  kNeeded = 1,
  kPltRelocationsSize = 2,
  kHash = 4,
  kStrings = 5,
  kSymbols = 6,
  kRela = 7,
  kRelaSize = 8,
  kRelaEntrySize = 9,
  kStringsSize = 10,
  kSymbolSize = 11,
  kInit = 12,
  kRel = 17,
  kPltRelocationsType = 20,
  kPltRelocations = 23,
  kInitArray = 25,
  kInitArraySize = 27,
  kPreinitArray = 32,
  kRelrSize = 35,
  kRelr = 36,
  kGnuHash = 0x6FFFFEF5,
};

struct DynamicEntry {
  DynamicTag tag;
  uint64_t value;
};
static_assert(sizeof(DynamicEntry) == 16);

inline constexpr uint8_t kSymbolGlobal = 1;
inline constexpr uint8_t kSymbolWeak = 2;
inline constexpr uint8_t kSymbolFunction = 2;
inline constexpr uint16_t kUndefinedSection = 0;

struct Symbol {
  uint32_t name;
  uint8_t info;
  uint8_t other;
  uint16_t section;
  uint64_t value;
  uint64_t size;

  uint8_t binding() const { return info >> 4; }
  uint8_t type() const { return info & 15; }
};
static_assert(sizeof(Symbol) == 24);

enum class RelocationType : uint32_t {
  kNone = 0,
  kAbsolute64 = 1,
  kGlobalData = 6,
  kJumpSlot = 7,
  kRelative = 8,
};

struct Rela {
  uint64_t offset;
  uint64_t info;
  int64_t addend;

  RelocationType type() const {
    return static_cast<RelocationType>(info & 0xFFFFFFFF);
  }
  uint32_t symbol() const { return static_cast<uint32_t>(info >> 32); }
};
static_assert(sizeof(Rela) == 24);

}  // namespace eyrie::hal::cpu::elf

#endif  // EYRIE_HAL_CPU_ELF_FORMAT_H_
