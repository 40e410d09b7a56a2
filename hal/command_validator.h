// Validates commands and binding tables, for all drivers.
//
// A reference to a buffer is validated when it is recorded. A reference to a
// slot of the binding table adds to the slot's requirements instead; a
// submission validates each slot of its table once, however many commands use
// it.
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

// A range of a buffer, or of slot `slot` of the binding table if `buffer` is
// null.
struct BufferRef {
  Ref<Buffer> buffer;
  uint32_t slot = 0;
  uint64_t offset = 0;
  uint64_t length = 0;  // kWholeBuffer: the rest
};

// One entry of the table given at submission. The buffer is borrowed; it may be
// null if no command uses the slot.
struct BufferBinding {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t length = 0;  // kWholeBuffer: the rest
};

// A table that retains its buffers, for submissions that outlive their call.
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

// A BufferRef as recorded. The command buffer retains the buffer. The length is
// resolved, except that a slot's may be kWholeBuffer.
struct RecordedRef {
  Buffer* buffer;  // null: slot
  uint32_t slot;
  uint64_t offset;  // direct: within `buffer`; indirect: added to the slot's
  uint64_t length;
};

// Returns the length of a binding in bytes. The binding must fit its buffer.
inline uint64_t LengthOf(const BufferBinding& binding) {
  return binding.length != kWholeBuffer
             ? binding.length
             : binding.buffer->byte_length() - binding.offset;
}

// A range with its buffer and length resolved.
struct LocatedRange {
  const Buffer& buffer;
  uint64_t offset;  // within `buffer`
  uint64_t length;
};

// Resolves a reference. The table must have passed ValidateTable.
inline LocatedRange Locate(const RecordedRef& ref,
                           std::span<const BufferBinding> table) {
  if (ref.buffer != nullptr) return {*ref.buffer, ref.offset, ref.length};
  const BufferBinding& binding = table[ref.slot];
  return {
      *binding.buffer, binding.offset + ref.offset,
      ref.length != kWholeBuffer ? ref.length : LengthOf(binding) - ref.offset};
}

// How a command uses a range.
struct RangeUse {
  absl::string_view what;  // for messages: "the fill's target"
  BufferUsage usage;
  MemoryAccess access;
  uint32_t alignment;  // of offset and length
};

// The combined requirements of all commands that use a slot.
struct SlotRequirements {
  BufferUsage usage = 0;
  MemoryAccess access = 0;
  uint32_t alignment = 1;        // of the binding's offset
  uint32_t length_multiple = 1;  // of the binding's length
  bool used = false;
  uint64_t end = 0;  // the binding's minimum length in bytes
};
using SlotTable = std::vector<SlotRequirements>;

// Upper limit of the slots that commands may use.
inline constexpr uint32_t kMaxBindingSlots = 1u << 16;
// Upper limits of workgroups in z, and in total. The first is the range of the
// narrowest kernel interface; the second bounds a dispatch's time.
inline constexpr uint32_t kMaxWorkgroupsZ = 0xFFFF;
inline constexpr uint64_t kMaxWorkgroups = uint64_t{1} << 31;

// Validates one reference and resolves its length if it names a buffer.
// OUT_OF_RANGE: past the buffer's end, or past the last slot.
// PERMISSION_DENIED: the buffer lacks the usage, access or device visibility.
// INVALID_ARGUMENT: misaligned.
absl::StatusOr<RecordedRef> ValidateRef(const BufferRef& ref,
                                        const RangeUse& use, SlotTable& slots);

// INVALID_ARGUMENT: the pattern does not have 1, 2, 4 or 8 bytes.
absl::Status ValidatePattern(size_t pattern_length);

// INVALID_ARGUMENT: the lengths differ, or the ranges overlap. Overlaps of
// indirect ranges are not detected.
absl::Status ValidateCopy(const RecordedRef& source, const RecordedRef& target);

// INVALID_ARGUMENT: no executable, or the export takes other numbers of
// constants or bindings. OUT_OF_RANGE: the export does not exist.
absl::Status ValidateDispatch(const Executable* executable,
                              uint64_t export_ordinal, size_t constant_count,
                              size_t binding_count);

// INVALID_ARGUMENT: more workgroups than the limits above. Drivers must also
// call this for the counts that an indirect dispatch reads when it runs.
absl::Status ValidateWorkgroupCount(const uint32_t (&count)[3]);

// Validates a submission's table.
// INVALID_ARGUMENT: a used slot is empty or misaligned.
// OUT_OF_RANGE: the table has too few slots, or a binding too few bytes.
// PERMISSION_DENIED: as ValidateRef.
absl::Status ValidateTable(const SlotTable& slots,
                           std::span<const BufferBinding> table);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COMMAND_VALIDATOR_H_
