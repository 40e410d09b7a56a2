#include "hal/device.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/paid_transfer.h"
#include "hal/queue_validator.h"

namespace eyrie::hal {
namespace {

// Forwards the result of `from` to `to`, and retains `to` until then.
void Follow(const Fence& from, Ref<Fence> to) {
  from.OnReached([to = std::move(to)](const absl::Status& status) {
    if (!status.ok()) return to->Fail(status);
    // An error means that it has failed or been signalled already.
    to->Signal().IgnoreError();
  });
}

// The points of a fence that the device takes, and the others. If there are
// others, `own` is a point of the device that stands in for them; `taken`
// includes it.
struct Parted {
  Ref<Fence> taken = MakeRef<Fence>();
  Ref<Fence> foreign = MakeRef<Fence>();
  Ref<Fence> own;
};

absl::StatusOr<Parted> Part(Device& device, const Fence& fence) {
  Parted parted;
  for (const Fence::Point& point : fence.points()) {
    Fence& side = device.TakesSemaphore(*point.semaphore) ? *parted.taken
                                                          : *parted.foreign;
    side.Insert(point.semaphore, point.value);
  }
  if (parted.foreign->points().empty()) return parted;
  ASSIGN_OR_RETURN(parted.own, device.CreateFence());
  const Fence::Point& point = parted.own->points()[0];
  parted.taken->Insert(point.semaphore, point.value);
  return parted;
}

}  // namespace

// Replaces fences that a device's queues cannot use by the device's own.
//
// To wait for a foreign semaphore, the device waits for one of its own, which a
// callback of the foreign one signals on the host. To signal a foreign
// semaphore, the device signals one of its own, whose callback signals the
// foreign one. Failures are forwarded the same way, with their messages.
//
// A bridge is of one operation. It and the given fences must live until the
// operation is queued.
class FenceBridge {
 public:
  explicit FenceBridge(const QueueFences& given) : fences_(&given) {}
  FenceBridge(const FenceBridge&) = delete;
  FenceBridge& operator=(const FenceBridge&) = delete;

  // Replaces the fences that the device cannot use. On error (that of
  // Device::CreateSemaphore) the fences are unchanged.
  absl::Status Connect(Device& device) {
    if (device.takes_all_semaphores()) [[likely]]
      return absl::OkStatus();
    if (!IsForeign(device, fences_->wait) &&
        !IsForeign(device, fences_->signal)) [[likely]] {
      return absl::OkStatus();
    }
    return ConnectForeign(device);
  }

  // Returns the fences to use: the given ones, or their replacements.
  const QueueFences& fences() const { return *fences_; }

 private:
  static bool IsForeign(const Device& device, const Fence* fence) {
    if (fence == nullptr) return false;
    for (const Fence::Point& point : fence->points()) {
      if (!device.TakesSemaphore(*point.semaphore)) return true;
    }
    return false;
  }
  absl::Status ConnectForeign(Device& device);

  const QueueFences* fences_;
  std::optional<QueueFences> others_;
  Ref<Fence> wait_;
  Ref<Fence> signal_;
};

absl::Status FenceBridge::ConnectForeign(Device& device) {
  Parted wait;
  if (fences_->wait != nullptr) {
    ASSIGN_OR_RETURN(wait, Part(device, *fences_->wait));
  }
  Parted signal;
  if (fences_->signal != nullptr) {
    ASSIGN_OR_RETURN(signal, Part(device, *fences_->signal));
  }
  others_ = *fences_;
  if (wait.own) {
    Follow(*wait.foreign, wait.own);
    wait_ = std::move(wait.taken);
    others_->wait = wait_.get();
  }
  if (signal.own) {
    Follow(*signal.own, signal.foreign);
    signal_ = std::move(signal.taken);
    others_->signal = signal_.get();
  }
  fences_ = &*others_;
  return absl::OkStatus();
}

absl::Status Device::CheckQueues(QueueAffinity affinity) const {
  const int count = queue_count();
  if (count >= 64 || (affinity >> count) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "The queue affinity (0x", absl::Hex(affinity), ") exceeds the ", count,
      " queues of the device ", id(), "."));
}

absl::StatusOr<Ref<Fence>> Device::CreateFence() {
  Ref<Fence> kept = fences_->Take();
  if (kept) [[likely]]
    return kept;
  ASSIGN_OR_RETURN(Ref<Semaphore> semaphore, CreateSemaphore(0));
  Ref<Fence> fence = Fence::ForPoint(std::move(semaphore), 1);
  fence->ReturnTo(fences_);
  return fence;
}

// Inlined into Begin, because every operation runs it.
[[gnu::always_inline]] inline absl::Status Device::Check(FenceBridge& bridge) {
  const QueueFences& fences = bridge.fences();
  RETURN_IF_ERROR(CheckAffinity(fences.affinity));
  if (fences.wait != nullptr && fences.signal != nullptr) {
    RETURN_IF_ERROR(ValidateFences(*fences.wait, *fences.signal));
  }
  return bridge.Connect(*this);
}

absl::Status Device::Begin(FenceBridge& bridge) {
  absl::Status status = Check(bridge);
  if (!status.ok()) [[unlikely]]
    return bridge.fences().Refuse(std::move(status));
  return status;
}

absl::StatusOr<Ref<Buffer>> Device::QueueAlloca(const QueueFences& fences,
                                                const BufferParams& params,
                                                uint64_t size) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  return DoAlloca(bridge.fences(), params, size);
}

absl::Status Device::QueueDealloca(const QueueFences& fences,
                                   Ref<Buffer> buffer) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::Status status = ValidateDealloca(buffer.get());
  if (!status.ok()) return bridge.fences().Refuse(std::move(status));
  return DoDealloca(bridge.fences(), std::move(buffer));
}

absl::Status Device::QueueFill(const QueueFences& fences,
                               const BufferRef& target,
                               std::span<const uint8_t> pattern) {
  return QueueOne(fences, [&](CommandBuffer& commands) {
    return commands.Fill(target, pattern);
  });
}

absl::Status Device::QueueUpdate(const QueueFences& fences,
                                 std::span<const uint8_t> source,
                                 const BufferRef& target) {
  return QueueOne(fences, [&](CommandBuffer& commands) -> absl::Status {
    if (source.size() <= kPaidPiece || target.length != source.size()) {
      return commands.Update(source, target);
    }
    // Recording copies the bytes, which the caller has paid for.
    const WorkBudget* const work = fences.budget();
    BufferRef piece = target;
    for (uint64_t done = 0; done < source.size(); done += piece.length) {
      if (work != nullptr && work->stopped()) return work->StopReason();
      piece.offset = target.offset + done;
      piece.length = std::min(kPaidPiece, source.size() - done);
      RETURN_IF_ERROR(
          commands.Update(source.subspan(done, piece.length), piece));
    }
    return absl::OkStatus();
  });
}

absl::Status Device::QueueCopy(const QueueFences& fences,
                               const BufferRef& source,
                               const BufferRef& target) {
  return QueueOne(fences, [&](CommandBuffer& commands) {
    return commands.Copy(source, target);
  });
}

template <typename Record>
absl::Status Device::QueueOne(const QueueFences& fences, Record record) {
  absl::StatusOr<Ref<CommandBuffer>> commands =
      CreateCommandBuffer(command_buffer_mode::kOneShot, kAnyQueue, 0);
  if (!commands.ok()) return fences.Refuse(commands.status());
  absl::StatusOr<MemoryCharge> charge = fences.Charge(sizeof(CommandBuffer));
  if (!charge.ok()) return fences.Refuse(charge.status());
  (*commands)->Hold(*std::move(charge));
  absl::Status status = record(**commands);
  if (status.ok()) status = (*commands)->Finalize();
  if (!status.ok()) return fences.Refuse(std::move(status));
  return QueueExecute(fences, *std::move(commands), {});
}

absl::Status Device::QueueRead(const QueueFences& fences, Ref<File> source,
                               uint64_t source_offset,
                               const BufferRef& target) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::StatusOr<BufferRef> resolved =
      ValidateRead(source.get(), source_offset, target);
  if (!resolved.ok()) return bridge.fences().Refuse(resolved.status());
  return DoRead(bridge.fences(), std::move(source), source_offset, *resolved);
}

absl::Status Device::QueueWrite(const QueueFences& fences,
                                const BufferRef& source, Ref<File> target,
                                uint64_t target_offset) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::StatusOr<BufferRef> resolved =
      ValidateWrite(source, target.get(), target_offset);
  if (!resolved.ok()) return bridge.fences().Refuse(resolved.status());
  return DoWrite(bridge.fences(), *resolved, std::move(target), target_offset);
}

absl::Status Device::QueueBarrier(const QueueFences& fences) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  return DoBarrier(bridge.fences());
}

absl::Status Device::QueueExecute(const QueueFences& fences,
                                  Ref<CommandBuffer> commands,
                                  std::span<const BufferBinding> table) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  if (!commands) return DoBarrier(bridge.fences());
  const trace::Span span(trace::Category::kQueue, trace::Name::kExecute);
  absl::Status status = ValidateExecute(*commands, table);
  if (!status.ok()) [[unlikely]]
    return bridge.fences().Refuse(std::move(status));
  return DoExecute(bridge.fences(), std::move(commands), table);
}

}  // namespace eyrie::hal
