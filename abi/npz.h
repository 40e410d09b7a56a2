// NumPy's .npz files: a ZIP of .npy arrays, stored or deflated.
//
// Sizes, offsets and checksums of the ZIP are checked against the file's
// bytes, and members must not share any; ZIP64 fields are understood. Nothing
// is inflated before the header of its array agrees with its size.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_NPZ_H_
#define EYRIE_ABI_NPZ_H_

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/npy.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"

namespace eyrie::abi {

// A member of a ZIP, as its directory has it.
struct NpzMember {
  std::string name;  // "arr_0.npy"
  bool deflated = false;
  uint32_t crc = 0;                 // of its bytes
  uint64_t size = 0;                // once inflated
  std::span<const uint8_t> packed;  // in the file: borrowed

  // The array's name: without ".npy".
  absl::string_view array_name() const;
};

// A member's bytes. Movable only: `bytes` may be those of `inflated`.
struct NpzContents {
  NpzContents() = default;
  NpzContents(NpzContents&&) noexcept = default;
  NpzContents& operator=(NpzContents&&) noexcept = default;

  std::vector<uint8_t> inflated;   // of a deflated member
  std::span<const uint8_t> bytes;  // of `inflated`, or of the file: borrowed
  MemoryCharge charge;             // for `inflated`
};

// An array of a .npz, and what holds its elements.
struct NpzArray {
  NpzContents contents;
  NpyArray array;
};

// True if the bytes begin as a ZIP does.
bool LooksLikeZip(std::span<const uint8_t> bytes);

// What a member may inflate to where no meter counts it.
inline constexpr uint64_t kMaxInflated = uint64_t{1} << 30;

// All members, in the archive's order, as they are in the file.
// INVALID_ARGUMENT: the ZIP is damaged, two members have the same name or share
// bytes. UNIMPLEMENTED: an encrypted member, or another compression.
absl::StatusOr<std::vector<NpzMember>> ReadZip(std::span<const uint8_t> bytes);

// A member's bytes, inflated if need be, which `memory` counts while they
// live. INVALID_ARGUMENT: damaged, or of a checksum that differs.
// RESOURCE_EXHAUSTED: it inflates beyond the meter's limit, or beyond
// kMaxInflated where `memory` is null.
absl::StatusOr<NpzContents> ReadMember(
    const NpzMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// The array that a member is. Reads its header before the rest is inflated.
// Besides ReadNpy's errors and ReadMember's, INVALID_ARGUMENT: the member's
// size is not the one that the header says.
absl::StatusOr<NpzArray> ReadNpzArray(
    const NpzMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

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
