#include "hal/buffer_mover.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal {
namespace {

// A range in host-visible memory that the device does not use meanwhile.
struct Window {
  Ref<Buffer> buffer;
  uint64_t offset = 0;
  bool is_staging = false;  // a separate buffer, else the range itself

  BufferRef ref(uint64_t length) const { return {buffer, 0, offset, length}; }
};

absl::StatusOr<Window> OpenWindow(const QueueFences& fences,
                                  const Place& place) {
  if (place.ref.buffer->host_data() != nullptr) {
    return Window{place.ref.buffer, place.ref.offset, false};
  }
  BufferParams params;
  params.type = memory_type::kHostLocal | memory_type::kDeviceVisible;
  params.usage = buffer_usage::kTransfer | buffer_usage::kMapping;
  ASSIGN_OR_RETURN(
      Ref<Buffer> staging,
      fences.Allocate(place.device.allocator(), params, place.ref.length));
  return Window{std::move(staging), 0, true};
}

absl::Status CopyOnHost(const Window& from, const Window& to, uint64_t length,
                        WorkBudget* work) {
  ASSIGN_OR_RETURN(const std::span<uint8_t> source,
                   from.buffer->Map(memory_access::kRead, from.offset, length));
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> target,
      to.buffer->Map(memory_access::kDiscardWrite, to.offset, length));
  const auto move = [&](uint64_t offset, uint64_t piece) {
    std::memcpy(target.data() + offset, source.data() + offset, piece);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(MovePaid(work, "copy", length, move));
  RETURN_IF_ERROR(from.buffer->Unmap(from.offset, length));
  return to.buffer->Unmap(to.offset, length);
}

absl::Status QueueSteps(const QueueFences& fences, const Place& source,
                        const Place& target) {
  const uint64_t length = source.ref.length;
  ASSIGN_OR_RETURN(Window from, OpenWindow(fences, source));
  ASSIGN_OR_RETURN(Window to, OpenWindow(fences, target));
  ASSIGN_OR_RETURN(const Ref<Fence> readable, source.device.CreateFence());
  ASSIGN_OR_RETURN(const Ref<Fence> written, target.device.CreateFence());
  QueueFences first = fences;
  first.signal = readable.get();
  QueueFences last = fences;
  last.wait = written.get();
  // From here on, a failed step fails the next one, and the last one `signal`.
  absl::Status status =
      from.is_staging
          ? source.device.QueueCopy(first, source.ref, from.ref(length))
          : source.device.QueueBarrier(first);
  readable->OnReached(
      [from, to, length, written, work = fences.work ? *fences.work : nullptr](
          const absl::Status& readied) mutable {
        absl::Status ready = readied;
        if (ready.ok()) {
          ready = CopyOnHost(from, to, length, work.get());
        }
        // See QueueFences: release before signalling.
        from.buffer = nullptr;
        to.buffer = nullptr;
        if (!ready.ok()) return written->Fail(ready);
        // An error means that the last step was cancelled; nothing waits then.
        written->Signal().IgnoreError();
      });
  absl::Status ended =
      to.is_staging ? target.device.QueueCopy(last, to.ref(length), target.ref)
                    : target.device.QueueBarrier(last);
  return status.ok() ? ended : status;
}

}  // namespace

absl::Status QueueMove(const QueueFences& fences, const Place& source,
                       const Place& target) {
  QueueFences anywhere = fences;
  anywhere.affinity = kAnyQueue;
  absl::Status status = QueueSteps(anywhere, source, target);
  // Needed only if a step could not be queued; else the steps did it.
  return status.ok() ? status : fences.Refuse(std::move(status));
}

}  // namespace eyrie::hal
