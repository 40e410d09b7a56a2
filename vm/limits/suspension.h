// How a native function suspends the call that runs it.
//
//   if (!fence.reached() && state.CanSuspend()) {
//     fence.OnReached(state.TakeWaker());
//     return Pending();
//   }
// When the call is resumed, the function is called again with the same
// arguments. If it returns Pending() without taking the waker, the call is
// resumed at once.
// Tested by vm/run/async_call_test.cc.
#ifndef EYRIE_VM_LIMITS_SUSPENSION_H_
#define EYRIE_VM_LIMITS_SUSPENSION_H_

#include <functional>
#include <utility>

namespace eyrie::vm {

// Resumes a suspended call. May be called from any thread, any number of times,
// also after the call has ended.
using Waker = std::function<void()>;

// Whether the running call may be suspended. Used on the context's thread.
class Suspension {
 public:
  // Reports whether a native function may return Pending(): the module must
  // allow a yield at its call, and the host must wait for wakers.
  bool possible() const { return yieldable_ && waker_ != nullptr; }
  // Returns the running call's waker, or null if it has none.
  Waker TakeWaker() {
    taken_ = true;
    return waker_;
  }

  // For the code that runs a call: sets its waker. Disarm returns whether the
  // waker was taken; if not, nothing will wake the call.
  void Arm(Waker waker) {
    waker_ = std::move(waker);
    taken_ = false;
  }
  bool Disarm() {
    waker_ = nullptr;
    return taken_;
  }
  // For the interpreter, around an import that may yield. Returns the old
  // value.
  bool set_yieldable(bool yieldable) {
    return std::exchange(yieldable_, yieldable);
  }

 private:
  Waker waker_;
  bool yieldable_ = false;
  bool taken_ = false;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_SUSPENSION_H_
