// Work that a pool's threads share: stages one after the other, and in each a
// number of chunks in any order.
//
// A job is in one of these states: open, when any thread may come in and run
// chunks; closed, when threads are still inside or one prepares the next stage
// alone; ready, when it needs a thread to do that; done.
// Tested by pool_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_JOB_H_
#define EYRIE_HAL_CPU_TASK_JOB_H_

#include <atomic>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "base/ref.h"

namespace eyrie::hal::cpu {

class Pool;

class Job : public RefObject {
 public:
  static constexpr RefType kType{"hal.cpu.job"};

  bool done() const { return (state_.load() & kDone) != 0; }

 protected:
  Job() : RefObject(kType) {}

  // What Advance prepared.
  struct Stage {
    bool over = false;  // no stage: the job is done
    int helpers = 0;    // how many more threads its chunks are worth
  };

  // Prepares the next stage; called on one thread at a time, with nobody in
  // RunChunks. What is not worth sharing it may as well run itself.
  virtual Stage Advance() = 0;
  // Takes chunks of the stage and runs them until none is left to take (true)
  // or `stop()`, asked between two of them. Called by many threads at once.
  virtual bool RunChunks(absl::FunctionRef<bool()> stop) = 0;
  // Called when the job is done and the pool holds no reference except the one
  // for this call. Not called for jobs that Pool::Run runs.
  virtual void Finish() = 0;

  // Resets a finished job, so that it can run again.
  void Restart() {
    driver_looks_.store(false);
    state_.store(kReady);
  }

 private:
  friend class Pool;

  // Flags beside the number of threads inside.
  static constexpr uint32_t kReady = 1u << 31;  // to be prepared by anyone
  static constexpr uint32_t kOpen = 1u << 30;   // to be entered by anyone
  static constexpr uint32_t kDone = 1u << 29;
  static constexpr uint32_t kForDriver = 1u << 28;     // to be prepared by it
  static constexpr uint32_t kInside = kForDriver - 1;  // the number's bits

  bool HasWork() const { return (state_.load() & (kReady | kOpen)) != 0; }
  // Runs chunks if there are any to run; false: there was nothing to do.
  bool Help(Pool& pool, absl::FunctionRef<bool()> stop, bool drives);
  // As the one thread inside a closed stage: prepares the next and takes part,
  // and so on, as long as this thread is the last in each.
  void Proceed(Pool& pool, absl::FunctionRef<bool()> stop, bool drives);
  // Runs chunks of an open stage that this thread is in, and leaves it. True:
  // it was the last to leave and is to go on.
  bool TakePart(Pool& pool, absl::FunctionRef<bool()> stop, bool drives);
  // Leaves what is next to the driver if it looks out for it.
  bool LeaveToDriver();

  std::atomic<uint32_t> state_{kReady};
  // The thread in Pool::Run looks out for its job.
  std::atomic<bool> driver_looks_{false};
  bool driven_ = false;   // by Pool::Run; set before it is offered
  bool offered_ = false;  // the pool knows of it; only in Proceed
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_JOB_H_
