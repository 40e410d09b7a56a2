// The bytes of bindings, and which of them a dispatch has changed.
//
// Tested by difference_test.cc.
#ifndef EYRIE_TOOLS_BISECT_BYTES_H_
#define EYRIE_TOOLS_BISECT_BYTES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/buffer.h"
#include "hal/dispatch_observer.h"

namespace eyrie::tools {

using Bytes = std::span<const uint8_t>;

// Returns the buffer's bytes in place, or a copy in `copy`. Fails as
// Buffer::Read does.
absl::StatusOr<Bytes> Look(hal::Buffer& buffer, std::vector<uint8_t>& copy);

// Reports whether buffers are the same range of one allocation.
bool IsSameRange(const hal::Buffer& a, const hal::Buffer& b);

// A range of bytes.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
  bool Overlaps(const ByteRange& other) const {
    return begin < other.end && other.begin < end;
  }
};

// Compilers place tensors at multiples of this many bytes.
inline constexpr uint64_t kTensorAlignment = 64;

// Returns the ranges in which bytes differ, ascending. Each begins at a
// multiple of kTensorAlignment. Ranges with few equal bytes between them are
// one, because a kernel may write what was there already.
std::vector<ByteRange> ChangedRanges(Bytes before, Bytes after);

// Returns the indices of bindings without those that are the same range of
// memory as an earlier one.
std::vector<size_t> DistinctBindings(const hal::ObservedDispatch& dispatch);

// Sees all dispatches. Fills new memory, which two runs would otherwise find
// with different bytes, with a pattern that is rarely a result, if the host can
// write it.
class EachDispatch : public hal::DispatchObserver {
 public:
  absl::Status Allocated(hal::Buffer& buffer) final;
  bool Wants(const hal::Executable&, uint32_t) final { return true; }
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_BYTES_H_
