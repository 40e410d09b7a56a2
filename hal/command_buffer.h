// A recorded list of commands: the front end that all drivers share.
//
// Recording validates each command once (command_validator.h) and stores it in
// one growing arena; drivers translate or walk the list at submission. A
// binding may name a buffer, or a slot of the table given at submission
// ("indirect"); indirect ranges are validated then. What is recorded is added
// to the charge that the object holds. Thread-compatible while
// recording; immutable and shareable once finalized. Retains what it names.
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

// Behaviour of a command buffer, as modules pass it.
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

// The commands as recorded. Each begins with Command; variable parts follow
// the struct in the arena. Ranges are resolved where the buffer is known.
struct Command {
  CommandKind kind;
  uint32_t size;  // bytes to the next command, a multiple of 8

  const Command* After() const {
    return reinterpret_cast<const Command*>(
        reinterpret_cast<const uint8_t*>(this) + size);
  }
};

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
  // As long as the plan says; one of no bytes names nothing.
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

// Words for commands: the first ones within the object, then twice as many.
class CommandArena {
 public:
  static constexpr size_t kFirstWords = 64;

  CommandArena() = default;
  CommandArena(const CommandArena&) = delete;
  CommandArena& operator=(const CommandArena&) = delete;
  ~CommandArena();

  // Appends zeroed words. RESOURCE_EXHAUSTED: there is no memory, or the charge
  // has a limit.
  absl::Status Append(size_t words, MemoryCharge& charge);
  // Takes words off the end.
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

  // Recording. FAILED_PRECONDITION: finalized already. INVALID_ARGUMENT,
  // OUT_OF_RANGE or PERMISSION_DENIED: what command_validator.h says. What
  // changes nothing (no bytes, no workgroups) is not recorded.
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
  // This rank's part in a collective; a range that it does not use is not
  // looked at. Fails as PlanCollective does, too.
  absl::Status Collective(const Ref<Channel>& channel, const CollectiveOp& op,
                          uint32_t param, const BufferRef& send,
                          const BufferRef& receive, uint64_t element_count);
  absl::Status BeginDebugGroup(absl::string_view label);
  absl::Status EndDebugGroup();
  // Ends recording. FAILED_PRECONDITION: already ended, or a debug group open.
  absl::Status Finalize();

  bool finalized() const { return finalized_; }
  CommandBufferMode mode() const { return mode_; }
  QueueAffinity affinity() const { return affinity_; }
  // The slots that were announced. Commands may use others: what counts is
  // the table that a submission brings.
  uint32_t binding_capacity() const { return binding_capacity_; }
  // Slots that commands use: one more than the highest, 0 if none.
  uint32_t slots_used() const { return static_cast<uint32_t>(slots_.size()); }

  // True if commands talk to other ranks.
  bool talks_to_ranks() const { return talks_to_ranks_; }

  // Checks a table against every indirect command: slots filled, ranges
  // inside, usage allowed. Once per submission, before anything runs.
  absl::Status ValidateTable(std::span<const BufferBinding> table) const {
    return hal::ValidateTable(slots_, table);
  }

  // Calls `see` with each reference to a range.
  void ForEachRef(absl::FunctionRef<void(const RecordedRef&)> see) const;
  // The same commands, finalized, for one submission. `change` may give each
  // reference another buffer, one of `kept`, and offset. `charge` is for
  // the copy. RESOURCE_EXHAUSTED: no memory for it.
  absl::StatusOr<Ref<CommandBuffer>> CopyWith(
      absl::FunctionRef<void(RecordedRef&)> change,
      std::span<const Ref<Buffer>> kept, MemoryCharge charge) const;

  // What a driver has made of the commands, for the next submission: null at
  // first, or if another submission has taken it. Thread-safe.
  Ref<RefObject> TakeTranslation() const;
  void KeepTranslation(Ref<RefObject> translation) const;

  // Walks the commands: for (const Command* c = begin(); c; c = Next(c)).
  const Command* begin() const { return At(0); }
  const Command* Next(const Command* command) const {
    const Command* const next = command->After();
    return next == end() ? nullptr : next;
  }
  // Behind the last.
  const Command* end() const {
    return reinterpret_cast<const Command*>(arena_.data() + arena_.size());
  }

 private:
  const Command* At(size_t word) const {
    if (word >= arena_.size()) return nullptr;
    return reinterpret_cast<const Command*>(arena_.data() + word);
  }
  absl::Status CheckRecording() const;
  // Appends a command with `extra` bytes after it, zeroed; `kind` and `size`
  // are set. Valid until the next.
  template <typename T>
  absl::StatusOr<T*> Append(CommandKind kind, uint64_t extra);
  void Retain(RefObject* object);
  // Charges for slots that came since the last time.
  absl::Status ChargeSlots();
  // Both kinds of dispatch; null `count` means `count_ref`.
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
  mutable std::mutex translation_mutex_;
  mutable Ref<RefObject> translation_;  // guarded by translation_mutex_
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COMMAND_BUFFER_H_
