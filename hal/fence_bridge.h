// Fences of a device's own in place of those that its queues cannot take.
//
// A semaphore of another device is waited for by the host: a callback of it
// raises one of the device's. One that is to be signalled is raised by a
// callback of the device's. Failures go the same ways, with their messages.
// Tested by device_group_test.cc.
#ifndef EYRIE_HAL_FENCE_BRIDGE_H_
#define EYRIE_HAL_FENCE_BRIDGE_H_

#include <optional>

#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/fence.h"

namespace eyrie::hal {

// Of one operation; lives until it is queued, as do the fences given.
class FenceBridge {
 public:
  explicit FenceBridge(const QueueFences& given) : fences_(&given) {}
  FenceBridge(const FenceBridge&) = delete;
  FenceBridge& operator=(const FenceBridge&) = delete;

  // Puts others in place of fences that the device cannot take. Fails as
  // Device::CreateSemaphore; the fences are as they were then.
  absl::Status Connect(Device& device) {
    if (device.takes_all_semaphores()) [[likely]]
      return absl::OkStatus();
    if (!IsForeign(device, fences_->wait) &&
        !IsForeign(device, fences_->signal)) [[likely]] {
      return absl::OkStatus();
    }
    return ConnectForeign(device);
  }

  // Those given, or the others.
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

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_BRIDGE_H_
