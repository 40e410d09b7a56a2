#include "hal/fence_bridge.h"

#include <utility>

#include "base/status_macros.h"

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

}  // namespace eyrie::hal
