// The fences that calls signal one after another: points of one timeline, as
// long as each is reached before the next call begins.
//
// A call that is left pending gets a timeline of its own, and so does the next
// one: what waits for a fence that nobody signals hears of it when the fence
// goes away, and never keeps it.
// Tested by session_test.cc, v0/pipeline_test.cc.
#ifndef EYRIE_ABI_FENCE_LINE_H_
#define EYRIE_ABI_FENCE_LINE_H_

#include <utility>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/semaphore.h"

namespace eyrie::abi {

// Thread-compatible. A copy is another line.
class FenceLine {
 public:
  FenceLine() = default;
  FenceLine(const FenceLine&) {}
  FenceLine& operator=(const FenceLine&) {
    last_ = nullptr;
    return *this;
  }

  // The fence of the next call. Leaves nothing of the timeline here: a fence
  // that only its waiter holds is known to be signalled by nobody.
  absl::StatusOr<Ref<hal::Fence>> Next(hal::Device& device) {
    if (!last_) return device.CreateFence();
    const hal::Fence::Point& point = last_->points()[0];
    Ref<hal::Fence> next = hal::Fence::At(point.semaphore, point.value + 1);
    last_ = nullptr;
    return next;
  }
  // Gives back a fence of Next's that has been reached.
  void Reached(Ref<hal::Fence> fence) { last_ = std::move(fence); }

 private:
  Ref<hal::Fence> last_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_FENCE_LINE_H_
