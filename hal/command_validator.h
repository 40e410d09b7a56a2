// What may be recorded: the one set of checks above all drivers.
//
// A reference to a buffer is checked when it is recorded. One to a slot of the
// binding table adds to what its slot requires, and a submission checks each
// slot of its table once, whatever the number of commands.
// Tested by command_buffer_test.cc.
#ifndef EYRIE_HAL_COMMAND_VALIDATOR_H_
#define EYRIE_HAL_COMMAND_VALIDATOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/executable.h"
#include "hal/types.h"

namespace eyrie::hal {

// A range of a buffer, or of binding-table slot `slot` when `buffer` is null.
struct BufferRef {
  Ref<Buffer> buffer;
  uint32_t slot = 0;
  uint64_t offset = 0;
  uint64_t length = 0;  // kWholeBuffer: the rest
};

// One entry of the table an indirect submission supplies. The buffer is
// borrowed, and may be null where no command uses the slot.
struct BufferBinding {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t length = 0;  // kWholeBuffer: the rest
};

// A table that keeps its buffers: what outlasts its submission has one.
class BindingTable {
 public:
  BindingTable() = default;
  explicit BindingTable(std::span<const BufferBinding> bindings)
      : bindings_(bindings.begin(), bindings.end()) {
    kept_.reserve(bindings_.size());
    for (const BufferBinding& binding : bindings_) {
      kept_.push_back(Ref<Buffer>::Share(binding.buffer));
    }
  }

  operator std::span<const BufferBinding>() const { return bindings_; }
  void clear() { *this = BindingTable(); }

 private:
  std::vector<BufferBinding> bindings_;
  std::vector<Ref<Buffer>> kept_;
};

// A BufferRef as recorded. The buffer is retained by the command buffer, and
// its length is known; a slot's may still be kWholeBuffer.
struct RecordedRef {
  Buffer* buffer;  // null: slot
  uint32_t slot;
  uint64_t offset;  // direct: within `buffer`; indirect: added to the slot's
  uint64_t length;
};

// The bytes of a binding; the caller knows that it fits its buffer.
inline uint64_t LengthOf(const BufferBinding& binding) {
  return binding.length != kWholeBuffer
             ? binding.length
             : binding.buffer->byte_length() - binding.offset;
}

// A range with a buffer and a length, wherever it was named.
struct LocatedRange {
  const Buffer& buffer;
  uint64_t offset;  // within `buffer`
  uint64_t length;
};

// Where a reference's bytes are, in a table that has passed ValidateTable.
inline LocatedRange Locate(const RecordedRef& ref,
                           std::span<const BufferBinding> table) {
  if (ref.buffer != nullptr) return {*ref.buffer, ref.offset, ref.length};
  const BufferBinding& binding = table[ref.slot];
  return {
      *binding.buffer, binding.offset + ref.offset,
      ref.length != kWholeBuffer ? ref.length : LengthOf(binding) - ref.offset};
}

// What a command does with a range.
struct RangeUse {
  absl::string_view what;  // "The fill's target"
  BufferUsage usage;
  MemoryAccess access;
  uint32_t alignment;  // of the offset, and of the length where it is a fill's
};

// What the commands that name a slot ask of it, all together.
struct SlotRequirements {
  BufferUsage usage = 0;
  MemoryAccess access = 0;
  uint32_t alignment = 1;        // of the binding's offset
  uint32_t length_multiple = 1;  // of the binding's length
  bool used = false;
  uint64_t end = 0;  // bytes the binding has at least
};
using SlotTable = std::vector<SlotRequirements>;

// No table has more slots. A command that names one past it is refused.
inline constexpr uint32_t kMaxBindingSlots = 1u << 16;
// Workgroups in z, and in all: what the narrowest kernel interface counts, and
// what a dispatch could finish in reasonable time.
inline constexpr uint32_t kMaxWorkgroupsZ = 0xFFFF;
inline constexpr uint64_t kMaxWorkgroups = uint64_t{1} << 31;

// Checks one reference and resolves its length where that is known.
// OUT_OF_RANGE: past the buffer's end, or past the last slot.
// PERMISSION_DENIED: a usage, an access or device visibility that is missing.
// INVALID_ARGUMENT: not aligned.
absl::StatusOr<RecordedRef> ValidateRef(const BufferRef& ref,
                                        const RangeUse& use, SlotTable& slots);

// A pattern of 1, 2, 4 or 8 bytes.
absl::Status ValidatePattern(size_t pattern_length);

// Equal lengths, and no overlap that can be seen.
absl::Status ValidateCopy(const RecordedRef& source, const RecordedRef& target);

// The export exists and takes as many constants and bindings as are given.
absl::Status ValidateDispatch(const Executable* executable,
                              uint64_t export_ordinal, size_t constant_count,
                              size_t binding_count);

// Also for the counts that an indirect dispatch reads when it runs.
absl::Status ValidateWorkgroupCount(const uint32_t (&count)[3]);

// A submission's table against what the slots require.
// INVALID_ARGUMENT: a slot that is used and empty, or misaligned.
// OUT_OF_RANGE: a table with too few slots, or a binding with too few bytes.
absl::Status ValidateTable(const SlotTable& slots,
                           std::span<const BufferBinding> table);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COMMAND_VALIDATOR_H_
