// NumPy's .npz files: a ZIP of .npy arrays, stored or deflated.
//
// Sizes, offsets and checksums of the ZIP are checked against the file's
// bytes; ZIP64 fields are understood.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_NPZ_H_
#define EYRIE_ABI_NPZ_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// A member of a ZIP, uncompressed.
struct NpzMember {
  NpzMember() = default;
  NpzMember(NpzMember&&) noexcept = default;  // not copied: `bytes` would lie
  NpzMember& operator=(NpzMember&&) noexcept = default;

  std::string name;                // "arr_0.npy"
  std::vector<uint8_t> inflated;   // of a deflated member
  std::span<const uint8_t> bytes;  // of `inflated`, or of the file: borrowed

  // The array's name: without ".npy".
  absl::string_view array_name() const;
};

// True if the bytes begin as a ZIP does.
bool LooksLikeZip(std::span<const uint8_t> bytes);

// All members, in the archive's order. INVALID_ARGUMENT: damaged, encrypted
// or of a checksum that differs. UNIMPLEMENTED: another compression.
// RESOURCE_EXHAUSTED: a member that inflates beyond `max_inflated` bytes.
absl::StatusOr<std::vector<NpzMember>> ReadZip(
    std::span<const uint8_t> bytes, uint64_t max_inflated = uint64_t{1} << 36);

// A ZIP of stored members, their bytes aligned to 64 from the file's start.
class ZipWriter {
 public:
  ZipWriter() = default;
  // Adds to a ZIP, whose directory is at its end. An empty span is a new ZIP.
  // Besides ReadZip's errors for a directory, INVALID_ARGUMENT: a member's
  // bytes are after it.
  static absl::StatusOr<ZipWriter> Continue(std::span<const uint8_t> zip);

  void Add(absl::string_view name, absl::string_view bytes);
  // Adds a .npy file as arr_N, the next number that no member has.
  void AddArray(absl::string_view npy);
  // Where what Finish returns begins in the file: what is there before stays.
  uint64_t begin() const { return begin_; }
  // The rest of the file. The writer is empty afterwards.
  std::string Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t size;
    uint64_t offset;
  };
  uint64_t begin_ = 0;
  // Of the ZIP that is continued: rows of its directory as they are.
  std::string old_rows_;
  uint64_t old_count_ = 0;
  std::set<std::string> old_names_;
  std::string file_;  // from begin_ on
  std::vector<Entry> entries_;
  uint64_t next_array_ = 0;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NPZ_H_
