// Reads and writes NumPy's .npz files: ZIP files of .npy arrays, stored or
// deflated.
//
// All sizes, offsets and checksums in the ZIP are checked against the file, and
// members must not overlap. ZIP64 is supported. A member is inflated only if
// its size matches the header of its array.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_TENSOR_NPZ_H_
#define EYRIE_ABI_TENSOR_NPZ_H_

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/tensor/npy.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"

namespace eyrie::abi {

// A member of a ZIP, as in its central directory.
struct NpzMember {
  std::string name;  // "arr_0.npy"
  bool deflated = false;
  uint32_t crc = 0;                 // of its bytes
  uint64_t size = 0;                // inflated, in bytes
  std::span<const uint8_t> packed;  // in the file; borrowed

  // Returns the array's name: the member's without ".npy".
  absl::string_view array_name() const;
};

// A member's bytes. Movable but not copyable, because `bytes` may point into
// `inflated`.
struct NpzContents {
  NpzContents() = default;
  NpzContents(NpzContents&&) noexcept = default;
  NpzContents& operator=(NpzContents&&) noexcept = default;

  std::vector<uint8_t> inflated;   // if the member is deflated
  std::span<const uint8_t> bytes;  // in `inflated` or, borrowed, the file
  MemoryCharge charge;             // for `inflated`
};

// An array of a .npz, and the memory of its elements.
struct NpzArray {
  NpzContents contents;
  NpyArray array;
};

// Reports whether the bytes begin like a ZIP.
bool LooksLikeZip(std::span<const uint8_t> bytes);

// The maximum inflated size of a member, in bytes, if no meter limits it.
inline constexpr uint64_t kMaxInflated = uint64_t{1} << 30;

// Returns all members, in the archive's order, without inflating any.
// INVALID_ARGUMENT: the ZIP is damaged, or two members have the same name or
// overlap. UNIMPLEMENTED: a member is encrypted, or its compression is unknown.
absl::StatusOr<std::vector<NpzMember>> ReadZip(std::span<const uint8_t> bytes);

// Returns a member's bytes, inflated if necessary. `memory` counts inflated
// bytes while they live. INVALID_ARGUMENT: the data is damaged, or its checksum
// is wrong. RESOURCE_EXHAUSTED: the member inflates beyond the limit of
// `memory`, or beyond kMaxInflated if `memory` is null.
absl::StatusOr<NpzContents> ReadMember(
    const NpzMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Returns the array in a member. Checks the array's header before it inflates
// the rest. INVALID_ARGUMENT: the header does not match the member's size.
// Otherwise fails as ReadNpy and ReadMember do.
absl::StatusOr<NpzArray> ReadNpzArray(
    const NpzMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Writes a ZIP of stored members. The bytes of each are aligned to 64 from the
// start of the file.
class ZipWriter {
 public:
  ZipWriter() = default;
  // Creates a writer that adds members to a ZIP; an empty span starts a new
  // one. INVALID_ARGUMENT: the directory is not at the end of the file.
  // Otherwise fails as ReadZip does.
  static absl::StatusOr<ZipWriter> Continue(std::span<const uint8_t> zip);

  void Add(absl::string_view name, absl::string_view bytes);
  // Adds a .npy file as arr_N, where N is the next number that no member has.
  void AddArray(absl::string_view npy);
  // Returns the offset in the file at which the bytes from Finish begin. The
  // file must be unchanged before it.
  uint64_t begin() const { return begin_; }
  // Returns the rest of the file, and leaves the writer empty.
  std::string Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t size;
    uint64_t offset;
  };
  uint64_t begin_ = 0;
  // The directory entries of the ZIP that is continued, unchanged.
  std::string old_rows_;
  uint64_t old_count_ = 0;
  std::set<std::string> old_names_;
  std::string file_;  // from begin_ on
  std::vector<Entry> entries_;
  uint64_t next_array_ = 0;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_NPZ_H_
