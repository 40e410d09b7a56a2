#include "hal/observed_commands.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "hal/queue_validator.h"

namespace eyrie::hal {
namespace {

// Waits for a fence, which may be null, until the work is stopped.
absl::Status WaitFor(const Fence* fence, const WorkBudget* budget) {
  if (fence == nullptr) return absl::OkStatus();
  const auto stopped = [budget] { return budget && budget->stopped(); };
  absl::Status waited = fence->Wait(Deadline::Never(), stopped);
  return waited.ok() || !stopped() ? waited : budget->StopReason();
}

class ObservedRun {
 public:
  ObservedRun(Device& device, const QueueFences& fences,
              const CommandBuffer& commands,
              std::span<const BufferBinding> table, DispatchObserver& observer,
              ExecuteCommands execute)
      : device_(device),
        fences_(fences),
        commands_(commands),
        table_(table),
        observer_(observer),
        execute_(execute) {}

  bool HasWanted() const {
    for (const Command* at = commands_.begin(); at; at = commands_.Next(at)) {
      if (IsWanted(*at)) return true;
    }
    return false;
  }
  // Runs everything but the signal.
  absl::Status RunAll();

 private:
  bool IsWanted(const Command& command) const {
    if (!IsDispatch(command.kind)) return false;
    const auto& dispatch = static_cast<const DispatchCommand&>(command);
    return observer_.Wants(*dispatch.executable, dispatch.export_ordinal);
  }
  absl::Status RunPart(const Command* begin, const Command* end);
  absl::Status RunDispatch(const DispatchCommand& command);
  absl::StatusOr<Ref<Buffer>> RangeOf(const RecordedRef& ref) const;
  absl::Status ReadCounts(const DispatchCommand& command,
                          uint32_t (&count)[3]) const;

  Device& device_;
  const QueueFences& fences_;
  const CommandBuffer& commands_;
  const std::span<const BufferBinding> table_;
  DispatchObserver& observer_;
  const ExecuteCommands execute_;
};

absl::Status ObservedRun::RunPart(const Command* begin, const Command* end) {
  if (begin == end) return absl::OkStatus();
  ASSIGN_OR_RETURN(MemoryCharge charge, fences_.Charge(sizeof(CommandBuffer)));
  ASSIGN_OR_RETURN(Ref<CommandBuffer> part,
                   commands_.CopyRange(begin, end, std::move(charge)));
  ASSIGN_OR_RETURN(const Ref<Fence> done, device_.CreateFence());
  QueueFences fences = fences_;
  fences.wait = nullptr;
  fences.signal = done.get();
  RETURN_IF_ERROR(execute_(fences, std::move(part)));
  return WaitFor(done.get(), fences_.budget());
}

absl::StatusOr<Ref<Buffer>> ObservedRun::RangeOf(const RecordedRef& ref) const {
  const LocatedRange range = Locate(ref, table_);
  Buffer* const buffer = ref.buffer ? ref.buffer : table_[ref.slot].buffer;
  return Buffer::Subspan(Ref<Buffer>::Share(buffer), range.offset,
                         range.length);
}

absl::Status ObservedRun::ReadCounts(const DispatchCommand& command,
                                     uint32_t (&count)[3]) const {
  if (command.kind == CommandKind::kDispatch) {
    std::memcpy(count, command.workgroup_count, sizeof(count));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Ref<Buffer> range,
                   RangeOf(command.workgroup_count_ref));
  return range->Read(0, {reinterpret_cast<uint8_t*>(count), sizeof(count)});
}

absl::Status ObservedRun::RunDispatch(const DispatchCommand& command) {
  std::vector<Ref<Buffer>> bindings;
  for (const RecordedRef& ref : command.bindings()) {
    ASSIGN_OR_RETURN(Ref<Buffer> range, RangeOf(ref));
    bindings.push_back(std::move(range));
  }
  ObservedDispatch observed = {*command.executable,
                               command.export_ordinal,
                               {},
                               command.constants(),
                               bindings};
  RETURN_IF_ERROR(ReadCounts(command, observed.workgroup_count));
  RETURN_IF_ERROR(observer_.Before(observed));
  RETURN_IF_ERROR(RunPart(&command, command.After()));
  return observer_.After(observed);
}

absl::Status ObservedRun::RunAll() {
  RETURN_IF_ERROR(WaitFor(fences_.wait, fences_.budget()));
  const Command* begin = commands_.begin();
  for (const Command* at = begin; at != nullptr; at = commands_.Next(at)) {
    if (!IsWanted(*at)) continue;
    RETURN_IF_ERROR(RunPart(begin, at));
    RETURN_IF_ERROR(RunDispatch(static_cast<const DispatchCommand&>(*at)));
    begin = at->After();
  }
  return RunPart(begin, commands_.end());
}

}  // namespace

absl::Status ExecuteObserved(Device& device, const QueueFences& fences,
                             const Ref<CommandBuffer>& commands,
                             std::span<const BufferBinding> table,
                             DispatchObserver& observer,
                             ExecuteCommands execute) {
  RETURN_IF_ERROR(ValidateExecute(*commands, table));
  ObservedRun run(device, fences, *commands, table, observer, execute);
  if (!run.HasWanted()) return execute(fences, commands);
  RETURN_IF_ERROR(run.RunAll());
  QueueFences end = fences;
  end.wait = nullptr;
  return device.QueueBarrier(end);
}

}  // namespace eyrie::hal
