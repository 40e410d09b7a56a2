// Reads and writes NumPy's .npz files: ZIP files of .npy arrays, stored or
// deflated.
//
// base/zip.h checks the ZIP; the checksums of its members are checked here. A
// member is inflated only if its size matches the header of its array.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_TENSOR_NPZ_H_
#define EYRIE_ABI_TENSOR_NPZ_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/tensor/npy.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/zip.h"

namespace eyrie::abi {

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

// The maximum inflated size of a member, in bytes, if no meter limits it.
inline constexpr uint64_t kMaxInflated = uint64_t{1} << 30;

// Returns all members, in the archive's order, without inflating any.
// INVALID_ARGUMENT: the ZIP is damaged, or two members have the same name.
// UNIMPLEMENTED: a member is encrypted, or its compression is unknown.
absl::StatusOr<std::vector<ZipMember>> ReadNpz(std::span<const uint8_t> bytes);

// Returns the index of the colon before the array's name in "a.npz:name", where
// the name may contain colons; npos if there is none.
size_t ArrayColon(absl::string_view text);

// Returns the array's name: the member's without ".npy".
absl::string_view ArrayName(const ZipMember& member);

// Returns a member's bytes, inflated if necessary. `memory` counts inflated
// bytes while they live. INVALID_ARGUMENT: the data is damaged, or its checksum
// is wrong. RESOURCE_EXHAUSTED: the member inflates beyond the limit of
// `memory`, or beyond kMaxInflated if `memory` is null.
absl::StatusOr<NpzContents> ReadMember(
    const ZipMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Returns the array in a member. Checks the array's header before it inflates
// the rest. INVALID_ARGUMENT: the header does not match the member's size.
// Otherwise fails as ReadNpy and ReadMember do.
absl::StatusOr<NpzArray> ReadNpzArray(
    const ZipMember& member,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Returns a writer that adds arrays to a .npz; an empty span starts a new one.
// INVALID_ARGUMENT: the directory is not at the end of the file. Otherwise
// fails as ReadNpz does.
absl::StatusOr<ZipWriter> ContinueNpz(std::span<const uint8_t> bytes);

// Adds a .npy file as arr_N, where N is the next number that no member has.
void AddNpzArray(ZipWriter& zip, absl::string_view npy);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_NPZ_H_
