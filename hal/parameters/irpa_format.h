// The layout of a parameter archive, format 0.0, little-endian: a header, then
// the three segments that it points to. Offsets are relative to the header's
// start.
//
// Source: runtime/src/iree/schemas/parameter_archive.h. IREE's writer leaves
// the end of the table unaligned, sets the offset of empty metadata to 0,
// aligns the data only if there are any, and gives all data entries an
// alignment of 64.
#ifndef EYRIE_HAL_PARAMETERS_IRPA_FORMAT_H_
#define EYRIE_HAL_PARAMETERS_IRPA_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::irpa {

inline constexpr uint32_t kMagic = 0x41505249;  // "IRPA"
inline constexpr uint64_t kHeaderAlignment = 16;
inline constexpr uint64_t kEntryAlignment = 16;
inline constexpr uint64_t kDataAlignment = 64;    // by default, and in entries
inline constexpr uint64_t kFileAlignment = 4096;  // of the size that is written

struct Range {
  uint64_t offset;
  uint64_t length;
};

struct Header {
  uint32_t magic;
  uint16_t version_major;
  uint16_t version_minor;
  uint64_t header_size;
  uint64_t next_header;  // 0: none; relative to this header
  uint64_t flags;
  // Values of major version 0:
  uint64_t entry_count;
  Range entries;   // the table
  Range metadata;  // names and metadata
  Range storage;   // data
};
static_assert(sizeof(Header) == 88);
inline constexpr size_t kHeaderPrefixSize = offsetof(Header, entry_count);
static_assert(kHeaderPrefixSize == 32);

enum class EntryType : uint32_t {
  kSkip = 0,
  kSplat = 1,
  kData = 2,
  kExternal = 3,
};

// The fields of entries are not aligned, so no references to them may be taken.
#pragma pack(push, 1)
struct Entry {
  uint64_t size;  // of the entry, without padding
  EntryType type;
  uint64_t flags;
  Range name;      // in the metadata segment
  Range metadata;  // in the metadata segment
  uint64_t minimum_alignment;
};
static_assert(sizeof(Entry) == 60);

struct SplatEntry {
  Entry header;
  uint64_t length;
  uint8_t pattern[16];
  uint8_t pattern_length;
};
static_assert(sizeof(SplatEntry) == 85);

struct DataEntry {
  Entry header;
  Range storage;  // in the storage segment
};
static_assert(sizeof(DataEntry) == 76);
#pragma pack(pop)

}  // namespace eyrie::hal::irpa

#endif  // EYRIE_HAL_PARAMETERS_IRPA_FORMAT_H_
