#include "hal/cpu/task/job.h"

namespace eyrie::hal::cpu {

bool Job::LeaveToDriver() {
  if (!driver_looks_.load()) return false;
  state_.store(kForDriver);
  if (driver_looks_.load()) return true;
  // The driver may have fallen asleep before it saw the stage. Take the stage
  // back, unless the driver has claimed it.
  uint32_t state = kForDriver;
  return !state_.compare_exchange_strong(state, 1);
}

}  // namespace eyrie::hal::cpu
