// The pools of this process: devices with equal options share one, so that
// several devices do not start more threads than one.
//
// A pool starts with the first device that needs it and ends with the last.
// Tested by shared_pool_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_SHARED_POOL_H_
#define EYRIE_HAL_CPU_TASK_SHARED_POOL_H_

#include "base/ref.h"
#include "hal/cpu/task/job.h"
#include "hal/cpu/task/pool.h"

namespace eyrie::hal::cpu {

// A device's share of a pool. Thread-safe.
class PoolShare {
 public:
  // Joins the pool that has these options, or creates it. Does not join a pool
  // from before a fork().
  explicit PoolShare(PoolOptions options);
  PoolShare(const PoolShare&) = delete;
  PoolShare& operator=(const PoolShare&) = delete;

  const Ref<Pool>& pool() const { return pool_; }
  // Returns the group of this device's jobs.
  const Ref<JobGroup>& jobs() const { return jobs_; }
  // Returns the number of shares in the pool, including this one.
  int sharers() const;

  // Runs the share's listed jobs to their ends and leaves the pool. The last
  // share to leave ends the threads. Must be called once before the share is
  // destroyed, also in a forked child. May be called on a thread of the pool.
  void Leave();

 private:
  Ref<Pool> pool_;
  const Ref<JobGroup> jobs_ = MakeRef<JobGroup>();
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_SHARED_POOL_H_
