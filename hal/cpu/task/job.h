// Work that a pool's threads share. A job has stages, which run one after
// another. A stage has chunks, which run in any order.
//
// A job is in one of these states. Open: any thread may enter and run chunks.
// Closed: threads are leaving the stage, or one thread prepares the next stage
// alone. Ready: a thread must come to prepare the next stage. Done.
// Tested by pool_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_JOB_H_
#define EYRIE_HAL_CPU_TASK_JOB_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"
#include "base/ref.h"

namespace eyrie::hal::cpu {

class Pool;

// The jobs of one device. Pool::Close waits for them, and not for the jobs of
// other devices that share the pool.
class JobGroup final : public RefObject {
 public:
  static constexpr RefType kType{"hal.cpu.job_group"};
  JobGroup() : RefObject(kType) {}

 private:
  friend class Pool;

  std::atomic<size_t> listed_{0};  // in Pool::jobs_; changes under its lock
  bool closed_ = false;            // guarded by the pool's lock
};

class Job : public RefObject {
 public:
  static constexpr RefType kType{"hal.cpu.job"};

  bool done() const { return (state_.load() & kDone) != 0; }

 protected:
  // `group` may be null.
  explicit Job(Ref<JobGroup> group = nullptr)
      : RefObject(kType), group_(std::move(group)) {}

  // The result of Advance.
  struct Stage {
    bool over = false;  // there is no next stage; the job is done
    int helpers = 0;    // the additional threads that its chunks are worth
  };

  // Prepares the next stage. May run a stage itself if it is not worth sharing.
  // Called by one thread at a time, while no thread is in RunChunks.
  virtual Stage Advance() = 0;
  // Takes chunks of the stage and runs them. Returns true when no chunk is left
  // to take, or false when `stop()`, called after a chunk, returns true. Called
  // by many threads at once.
  virtual bool RunChunks(absl::FunctionRef<bool()> stop) = 0;
  // Called once, when the job is done and the pool no longer lists it. Not
  // called for jobs that Pool::Run runs.
  virtual void Finish() = 0;

  // Resets a job so that it can run again. Requires that no pool or other
  // thread uses it.
  void Restart() {
    driver_looks_.store(false);
    state_.store(kReady);
  }

 private:
  friend class Pool;

  // state_ holds flags and, in the bits below them, the number of threads
  // inside. The driver is the thread in Pool::Run.
  static constexpr uint32_t kReady = 1u << 31;  // any thread may prepare it
  static constexpr uint32_t kOpen = 1u << 30;   // any thread may enter
  static constexpr uint32_t kDone = 1u << 29;
  static constexpr uint32_t kForDriver = 1u << 28;     // only it may prepare it
  static constexpr uint32_t kInside = kForDriver - 1;  // mask of the number

  bool HasWork() const { return (state_.load() & (kReady | kOpen)) != 0; }
  // Leaves the next stage to the driver. Returns false if the driver sleeps;
  // the caller must prepare the stage then.
  bool LeaveToDriver();

  const Ref<JobGroup> group_;
  std::atomic<uint32_t> state_{kReady};
  // The driver is searching for work, not asleep.
  std::atomic<bool> driver_looks_{false};
  bool driven_ = false;   // runs in Pool::Run; set before it is shared
  bool offered_ = false;  // is in Pool::jobs_; used by one thread at a time
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_JOB_H_
