// A parameter as the tables of a file describe it.
//
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_ENTRY_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_ENTRY_H_

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal {

// Names the memory of entries in messages.
inline constexpr absl::string_view kParameterEntries =
    "the entries of a parameter file";

// Returns a key or scope for messages: in quotes, shortened, without control
// characters.
std::string QuotedName(absl::string_view name);

// A repeated pattern of bytes: an entry without data in a file.
struct Splat {
  std::array<uint8_t, 16> pattern = {};
  uint8_t length = 1;  // bytes of the pattern: 1, 2, 4, 8 or 16

  // Returns the byte at an offset of the entry.
  uint8_t at(uint64_t offset) const { return pattern[offset % length]; }
};

// The offset of an entry in its file, in bytes.
struct FileOffset {
  uint64_t offset = 0;
};

// A parameter as described by a file's tables.
struct ParameterEntry {
  std::string key;
  std::string metadata;   // a type such as "f32[2x3]", or the file's own
  bool has_type = false;  // `metadata` is a type, from a file's table
  uint64_t length = 0;    // bytes
  std::variant<FileOffset, Splat> storage;
  // The error of a lookup, not of the file. UNIMPLEMENTED: a type or a kind of
  // entry that is not known; `storage` is then a FileOffset.
  absl::Status fault;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_ENTRY_H_
