// How a native function lets its caller go on with something else.
//
// if (!fence.reached() && state.CanSuspend()) {
// fence.OnReached(state.TakeWaker()); return Pending(); } The function is
// called again, with the same arguments, when the call is resumed. Who returns
// Pending() without taking the waker is resumed at once. Tested by
// vm/run/async_call_test.cc.
#ifndef EYRIE_VM_LIMITS_SUSPENSION_H_
#define EYRIE_VM_LIMITS_SUSPENSION_H_

#include <functional>
#include <utility>

namespace eyrie::vm {

// Resumes a suspended call. From any thread, any number of times, however late.
using Waker = std::function<void()>;

// What the running call says of suspending it. The context's thread's.
class Suspension {
 public:
  // True in a native function that is called where the module may yield, by a
  // host that waits for wakers.
  bool possible() const { return yieldable_ && waker_ != nullptr; }
  // The running call's; null if there is none.
  Waker TakeWaker() {
    taken_ = true;
    return waker_;
  }

  // For who runs the call: what wakes it. False after the run: nobody will.
  void Arm(Waker waker) {
    waker_ = std::move(waker);
    taken_ = false;
  }
  bool Disarm() {
    waker_ = nullptr;
    return taken_;
  }
  // For the interpreter, around an import that may yield. Returns what was.
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
