// NumPy's .npz files: a ZIP of .npy arrays, stored or deflated.
//
// Sizes, offsets and checksums of the ZIP are checked against the file's
// bytes; ZIP64 fields are understood.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_NPZ_H_
#define EYRIE_ABI_NPZ_H_

#include <cstdint>
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
  void Add(absl::string_view name, absl::string_view bytes);
  // The whole file. The writer is empty afterwards.
  std::string Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t size;
    uint64_t offset;
  };
  std::string file_;
  std::vector<Entry> entries_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NPZ_H_
