// Lets threads enter and leave the stages of a job.
//
// Tested by pool_test.cc.
#include "hal/cpu/task/job.h"

#include "hal/cpu/task/pool.h"

namespace eyrie::hal::cpu {

bool Job::Help(Pool& pool, absl::FunctionRef<bool()> stop, bool drives) {
  uint32_t state = state_.load();
  while (true) {
    const uint32_t claimable = kReady | (drives ? kForDriver : 0);
    if ((state & claimable) != 0) {
      if (!state_.compare_exchange_weak(state, 1)) continue;
      Proceed(pool, stop, drives);
      return true;
    }
    if ((state & kOpen) == 0) return false;
    if (!state_.compare_exchange_weak(state, state + 1)) continue;
    if (TakePart(pool, stop, drives)) Proceed(pool, stop, drives);
    return true;
  }
}

bool Job::LeaveToDriver() {
  if (!driver_looks_.load()) return false;
  state_.store(kForDriver);
  if (driver_looks_.load()) return true;
  // The driver may have fallen asleep before it saw the stage. Take the stage
  // back, unless the driver has claimed it.
  uint32_t state = kForDriver;
  return !state_.compare_exchange_strong(state, 1);
}

bool Job::TakePart(Pool& pool, absl::FunctionRef<bool()> stop, bool drives) {
  const bool exhausted = RunChunks(stop);
  if (exhausted) state_.fetch_and(~kOpen);
  const uint32_t left = state_.fetch_sub(1) - 1;
  if ((left & kOpen) != 0) {
    // Another thread must run the remaining chunks.
    if (left == kOpen) pool.Call(1);
    return false;
  }
  if (left != 0) return false;
  if (!exhausted) {
    state_.store(kReady);
    pool.Call(1);
    return false;
  }
  return drives || !LeaveToDriver();
}

void Job::Proceed(Pool& pool, absl::FunctionRef<bool()> stop, bool drives) {
  while (true) {
    const Stage stage = Advance();
    if (stage.over) break;
    state_.store(kOpen | 1);
    if (stage.helpers > 0) pool.Offer(*this, stage.helpers);
    if (!TakePart(pool, stop, drives)) return;
  }
  if (offered_) pool.Remove(*this);
  if (driven_) {
    state_.store(kDone);
    pool.Nudge();
    return;
  }
  state_.store(kDone);
  Finish();
}

}  // namespace eyrie::hal::cpu
