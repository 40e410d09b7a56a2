// Fences for calls that signal one after another. The fences are points of one
// timeline, as long as each is reached before the next call begins.
//
// A call that is left pending keeps its timeline, and the next call gets a new
// one. The line does not retain the fence of a running call: if that call is
// dropped, the fence goes away and its waiters fail.
// Tested by abi/call/session_test.cc.
#ifndef EYRIE_HAL_FENCE_LINE_H_
#define EYRIE_HAL_FENCE_LINE_H_

#include <utility>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

// Thread-compatible. A copy starts a new line and shares nothing.
class FenceLine {
 public:
  FenceLine() = default;
  FenceLine(const FenceLine&) {}
  FenceLine& operator=(const FenceLine&) {
    last_ = nullptr;
    return *this;
  }

  // Returns the fence of the next call. The line keeps no reference to the
  // timeline, so that a fence that can no longer be signalled is detected.
  absl::StatusOr<Ref<Fence>> Next(Device& device) {
    if (!last_) return device.CreateFence();
    const Fence::Point& point = last_->points()[0];
    Ref<Fence> next = Fence::ForPoint(point.semaphore, point.value + 1);
    last_ = nullptr;
    return next;
  }
  // Returns to the line a fence that Next returned and that has been reached.
  void Reached(Ref<Fence> fence) { last_ = std::move(fence); }

 private:
  Ref<Fence> last_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_LINE_H_
