// Replaces fences that a device's queues cannot use by the device's own.
//
// To wait for a foreign semaphore, the device waits for one of its own, which a
// callback of the foreign one signals on the host. To signal a foreign
// semaphore, the device signals one of its own, whose callback signals the
// foreign one. Failures are forwarded the same way, with their messages.
// Tested by device_group_test.cc.
#ifndef EYRIE_HAL_FENCE_BRIDGE_H_
#define EYRIE_HAL_FENCE_BRIDGE_H_

#include <optional>

#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/fence.h"

namespace eyrie::hal {

// The bridge of one operation. It and the given fences must live until the
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

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_BRIDGE_H_
