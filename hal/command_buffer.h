// A recorded list of commands, shared by all drivers.
//
// Recording validates each command (command_validator.h) and appends it to an
// arena. Drivers walk or translate the list at submission. A binding names a
// buffer, or a slot of the table given at submission ("indirect"); the table is
// validated at submission. Recorded bytes are added to the charge that the
// object holds. Retains the objects that commands name. Thread-compatible while
// recording; immutable and thread-safe once finalized.
// Tested by command_buffer_test.cc.
#ifndef EYRIE_HAL_COMMAND_BUFFER_H_
#define EYRIE_HAL_COMMAND_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/collectives/channel.h"
#include "hal/collectives/collective.h"
#include "hal/command_validator.h"
#include "hal/executable.h"
#include "hal/types.h"

namespace eyrie::hal {

// Bits of a command buffer's mode; the values are those that modules pass.
using CommandBufferMode = uint32_t;
namespace command_buffer_mode {
inline constexpr CommandBufferMode kOneShot = 1u << 0;
inline constexpr CommandBufferMode kAllowInlineExecution = 1u << 4;
inline constexpr CommandBufferMode kUnvalidated = 1u << 5;  // ignored
}  // namespace command_buffer_mode

enum class CommandKind : uint8_t {
  kBarrier,
  kFill,
  kUpdate,
  kCopy,
  kDispatch,
  kDispatchIndirect,
  kCollective,
};

constexpr bool IsDispatch(CommandKind kind) {
  return kind == CommandKind::kDispatch ||
         kind == CommandKind::kDispatchIndirect;
}

// A recorded command. Every command struct begins with Command; its variable
// parts follow the struct in the arena. Lengths are resolved unless the range
// is indirect.
struct Command {
  CommandKind kind;
  uint32_t size;  // bytes to the next command, a multiple of 8

  const Command* After() const {
    return reinterpret_cast<const Command*>(
        reinterpret_cast<const uint8_t*>(this) + size);
  }
};

// Returns INTERNAL: `command` has a kind that is not in the list above.
absl::Status UnknownCommand(const Command& command);

struct BarrierCommand : Command {
  uint32_t source_stages;
  uint32_t target_stages;
};

struct FillCommand : Command {
  RecordedRef target;
  uint64_t pattern;         // repeated to eight bytes
  uint32_t pattern_length;  // 1, 2, 4 or 8
};

struct UpdateCommand : Command {
  RecordedRef target;
  // target.length bytes follow.
  const uint8_t* data() const {
    return reinterpret_cast<const uint8_t*>(this + 1);
  }
};

struct CopyCommand : Command {
  RecordedRef source;
  RecordedRef target;
};

struct CollectiveCommand : Command {
  Channel* channel;  // retained
  CollectivePlan plan;
  // Their lengths are those of the plan. A range of 0 bytes has no buffer.
  RecordedRef send;
  RecordedRef receive;
};

struct DispatchCommand : Command {
  Executable* executable;  // retained
  uint32_t export_ordinal;
  uint32_t workgroup_count[3];      // kDispatch
  RecordedRef workgroup_count_ref;  // kDispatchIndirect: 3 uint32_t
  uint32_t constant_count;
  uint32_t binding_count;
  // Bindings follow, then constants.
  std::span<const RecordedRef> bindings() const {
    return {reinterpret_cast<const RecordedRef*>(this + 1), binding_count};
  }
  std::span<const uint32_t> constants() const {
    return {
        reinterpret_cast<const uint32_t*>(bindings().data() + binding_count),
        constant_count};
  }
};

// Growing storage for commands. The first words are inside the object; when
// full, the capacity doubles.
class CommandArena {
 public:
  static constexpr size_t kFirstWords = 64;

  CommandArena() = default;
  CommandArena(const CommandArena&) = delete;
  CommandArena& operator=(const CommandArena&) = delete;
  ~CommandArena();

  // Appends zeroed words. Invalidates pointers into the arena.
  // RESOURCE_EXHAUSTED: out of memory, or the limit of `charge` is exceeded.
  absl::Status Append(size_t words, MemoryCharge& charge);
  // Truncates the arena to `size` words.
  void Cut(size_t size) { size_ = size; }

  uint64_t* data() { return words_; }
  const uint64_t* data() const { return words_; }
  size_t size() const { return size_; }

 private:
  bool is_first() const { return words_ == first_; }

  uint64_t* words_ = first_;  // or from malloc
  size_t size_ = 0;
  size_t capacity_ = kFirstWords;
  uint64_t first_[kFirstWords];
};

class CommandBuffer final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.command_buffer"};

  CommandBuffer(CommandBufferMode mode, QueueAffinity affinity,
                uint32_t binding_capacity);
  ~CommandBuffer() override;

  // Recording. FAILED_PRECONDITION: already finalized. RESOURCE_EXHAUSTED: out
  // of memory, or over the charge's limit. INVALID_ARGUMENT, OUT_OF_RANGE,
  // PERMISSION_DENIED: see command_validator.h. Commands without effect (0
  // bytes or workgroups) are not recorded.
  absl::Status ExecutionBarrier(uint32_t source_stages, uint32_t target_stages);
  absl::Status Fill(const BufferRef& target, std::span<const uint8_t> pattern);
  absl::Status Update(std::span<const uint8_t> source, const BufferRef& target);
  absl::Status Copy(const BufferRef& source, const BufferRef& target);
  absl::Status Dispatch(const Ref<Executable>& executable,
                        uint32_t export_ordinal,
                        const uint32_t (&workgroup_count)[3],
                        std::span<const uint32_t> constants,
                        std::span<const BufferRef> bindings);
  absl::Status DispatchIndirect(const Ref<Executable>& executable,
                                uint32_t export_ordinal,
                                const BufferRef& workgroup_count,
                                std::span<const uint32_t> constants,
                                std::span<const BufferRef> bindings);
  // Records this rank's part in a collective; ranges that it does not use are
  // ignored. Returns PlanCollective's errors, too.
  absl::Status Collective(const Ref<Channel>& channel, const CollectiveOp& op,
                          uint32_t param, const BufferRef& send,
                          const BufferRef& receive, uint64_t element_count);
  absl::Status BeginDebugGroup(absl::string_view label);
  absl::Status EndDebugGroup();
  // Ends recording. FAILED_PRECONDITION: already ended, or a debug group is
  // open.
  absl::Status Finalize();

  bool finalized() const { return finalized_; }
  CommandBufferMode mode() const { return mode_; }
  QueueAffinity affinity() const { return affinity_; }
  // The number of slots given at creation. Commands may use higher slots: only
  // the table given at submission limits them.
  uint32_t binding_capacity() const { return binding_capacity_; }
  // Returns the highest slot that commands use plus one; 0 if they use none.
  uint32_t slots_used() const { return static_cast<uint32_t>(slots_.size()); }

  // Reports whether any command communicates with other ranks.
  bool talks_to_ranks() const { return talks_to_ranks_; }

  // Validates a binding table for all indirect commands; see
  // hal::ValidateTable. Must be called once per submission, before any command
  // runs.
  absl::Status ValidateTable(std::span<const BufferBinding> table) const {
    return hal::ValidateTable(slots_, table);
  }

  // Calls `see` with each range that commands name.
  void ForEachRef(absl::FunctionRef<void(const RecordedRef&)> see) const;
  // Copies the commands for one submission; the copy is finalized. `change` may
  // replace the buffer and offset of each range; new buffers must be in `kept`,
  // which the copy retains. The copy holds `charge`. RESOURCE_EXHAUSTED: out of
  // memory, or over the charge's limit.
  absl::StatusOr<Ref<CommandBuffer>> CopyWith(
      absl::FunctionRef<void(RecordedRef&)> change,
      std::span<const Ref<Buffer>> kept, MemoryCharge charge) const;
  // Copies the commands from `begin` up to `end`, unchanged, in the same way.
  // Both are commands of this buffer, or its end.
  absl::StatusOr<Ref<CommandBuffer>> CopyRange(const Command* begin,
                                               const Command* end,
                                               MemoryCharge charge) const;

  // State that a recorder keeps here until Finalize. May be null.
  Ref<RefObject>& recorder_state() { return recorder_state_; }

  // A driver's cached translation of the commands, for the next submission.
  // TakeTranslation returns null if there is none or another submission has
  // taken it. Thread-safe.
  Ref<RefObject> TakeTranslation() const;
  void KeepTranslation(Ref<RefObject> translation) const;

  // Walks the commands: for (const Command* c = begin(); c; c = Next(c)).
  const Command* begin() const { return CommandAt(0); }
  const Command* Next(const Command* command) const {
    const Command* const next = command->After();
    return next == end() ? nullptr : next;
  }
  // Returns the address after the last command.
  const Command* end() const {
    return reinterpret_cast<const Command*>(arena_.data() + arena_.size());
  }

 private:
  const Command* CommandAt(size_t word) const {
    if (word >= arena_.size()) return nullptr;
    return reinterpret_cast<const Command*>(arena_.data() + word);
  }
  absl::Status CheckRecording() const;
  // Appends a command followed by `extra` zeroed bytes, and sets `kind` and
  // `size`. The pointer is valid until the next Append.
  template <typename T>
  absl::StatusOr<T*> Append(CommandKind kind, uint64_t extra);
  void Retain(RefObject* object);
  // Charges for slots added since the last call.
  absl::Status ChargeSlots();
  // Records either kind of dispatch; if `count` is null, `count_ref` is used.
  absl::Status RecordDispatch(const Ref<Executable>& executable,
                              uint32_t ordinal, const uint32_t* count,
                              const BufferRef& count_ref,
                              std::span<const uint32_t> constants,
                              std::span<const BufferRef> bindings);

  CommandBufferMode mode_;
  QueueAffinity affinity_;
  uint32_t binding_capacity_;
  int debug_depth_ = 0;
  bool finalized_ = false;
  bool talks_to_ranks_ = false;
  SlotTable slots_;
  size_t charged_slots_ = 0;
  CommandArena arena_;
  absl::InlinedVector<Ref<RefObject>, 8> retained_;
  Ref<RefObject> recorder_state_;
  mutable std::mutex translation_mutex_;
  mutable Ref<RefObject> translation_;  // guarded by translation_mutex_
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COMMAND_BUFFER_H_
