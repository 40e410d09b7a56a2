// Threads that share work: jobs in stages, each stage a number of chunks.
//
// Any number of threads run the chunks of a stage. The thread that finishes the
// last one prepares the next stage, so no thread ever blocks inside a job. A
// helping thread may leave between two chunks. Idle threads look at every job:
// they search for a while, then sleep. Threads start when there is enough work
// for them; if a thread cannot start, the others do its work. A caller whose
// work would keep more threads busy than the pool has gets no help.
// Tested by pool_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_POOL_H_
#define EYRIE_HAL_CPU_TASK_POOL_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/fork_mark.h"
#include "base/ref.h"
#include "base/thread.h"
#include "hal/cpu/task/job.h"
#include "hal/host_semaphore.h"

namespace eyrie::hal::cpu {

struct PoolOptions {
  int threads = 1;        // in total, including the caller
  std::vector<int> cpus;  // thread i is bound to cpus[i]; empty: not bound
  absl::Duration spin = absl::Microseconds(50);  // longest search for work
  size_t stack_bytes = 0;                        // 0: the system's default

  bool operator==(const PoolOptions&) const = default;
};

// Thread-safe. The creator of a pool must call Shutdown once. In a forked child
// of the creating process, the threads do not exist: Start returns false, and
// WaitUntil and Shutdown return at once.
class Pool final : public WaitHost {
 public:
  explicit Pool(PoolOptions options);
  ~Pool() override;

  const PoolOptions& options() const { return options_; }
  int threads() const { return options_.threads; }
  // Returns how many of the threads run no job now, on the pool's threads and
  // on callers'.
  int SpareThreads() const {
    return std::max(0, options_.threads - inside_.load());
  }
  // Reports whether this process was forked after the pool was created.
  bool IsForked() const { return mark_.IsForked(); }
  // Reports whether a thread is searching for work now, so that sharing is
  // cheap.
  bool IsAwake() const { return searching_.load() != 0; }

  // Runs a job to its end, on this thread and the threads that help. Does not
  // call Finish.
  void Run(const Ref<Job>& job);
  // Submits a job to run in the background, and retains it until it is done.
  // Returns false without submitting it if the pool cannot start a thread, or
  // after Shutdown, or after Close of the job's group.
  bool Start(const Ref<Job>& job);

  // Wakes a sleeping thread, or starts the first one, to search for work that
  // may come soon. Does nothing if a thread is already searching, or if the
  // pool's lock is taken.
  void Wake();

  // Runs chunks of all jobs while it waits.
  void WaitUntil(Deadline deadline, absl::FunctionRef<bool()> done) override;
  void Nudge() override;

  // Runs the listed jobs of a group to their ends. Start returns false for its
  // jobs afterwards, and Run gets no help for them. May be called on one of the
  // threads.
  void Close(JobGroup& group);
  // Runs all listed jobs to their ends, then ends the threads. May be called on
  // one of them. Start returns false afterwards, and Run gets no help.
  void Shutdown();

 private:
  // The main function of a thread.
  void BeWorker(int index);
  void Work(int index);

  // Lists a job, unless it is listed already, and asks for `helpers` threads.
  // Returns false if it cannot list the job because of Shutdown or Close.
  bool Offer(Job& job, int helpers);
  // Wakes or starts threads until up to `helpers` of them look at the jobs.
  void Call(int helpers);
  // Removes a job from the list.
  void Remove(Job& job);

  // Prepares a stage of the job or runs chunks. Returns false if there was
  // nothing to do. `drives`: this thread is the driver.
  bool Enter(Job& job, absl::FunctionRef<bool()> stop, bool drives);
  bool Help(Job& job, absl::FunctionRef<bool()> stop, bool drives);
  // Prepares the next stage and takes part in it, and so on, as long as this
  // thread leaves each stage last. It must be alone inside a closed stage.
  void Proceed(Job& job, absl::FunctionRef<bool()> stop, bool drives);
  // Runs chunks of the stage that this thread has entered, then leaves it.
  // Returns true if this thread left last and must continue with Proceed.
  bool TakePart(Job& job, absl::FunctionRef<bool()> stop, bool drives);

  // Starts a thread. Returns false on failure. Takes a while, so mutex_ must
  // not be held.
  bool StartWorker();
  // Returns a listed job that has work, or null.
  Ref<Job> Find();
  // Does what WaitUntil does. `always`: helps even if the pool's number of
  // threads is inside jobs already.
  void HelpUntil(Deadline deadline, absl::FunctionRef<bool()> done,
                 bool always);
  // Wakes a thread if a job is listed and a guest sleeps: a waiting thread may
  // take the place of this one, which has left a job.
  void GiveUpPlace();
  // Runs chunks of some job. Returns false if there are none.
  bool HelpOnce(absl::FunctionRef<bool()> stop);
  // Polls `found()` until it returns true or `limit_ns` has passed. Returns the
  // last result.
  bool Search(double limit_ns, absl::FunctionRef<bool()> found);
  // Sleeps until `found()` returns true or the deadline has passed. Checks
  // again after each Nudge and Call.
  void SleepAsGuest(Deadline deadline, absl::FunctionRef<bool()> found);

  const PoolOptions options_;
  const ForkMark mark_;
  const int number_;               // unique among the existing pools; from 0
  const std::string thread_name_;  // without the thread's index
  // Changes when there may be work.
  std::atomic<uint32_t> calls_{0};
  std::atomic<int> searching_{0};   // workers that search for work
  std::atomic<int> inside_{0};      // threads inside jobs
  std::atomic<int> guests_{0};      // asleep in SleepAsGuest
  std::atomic<int> sleeping_{0};    // workers asleep; changes under mutex_
  std::atomic<int> workers_{0};     // started; changes under start_mutex_
  std::atomic<size_t> offered_{0};  // the length of jobs_
  std::atomic<bool> stopping_{false};

  // Guards the members up to start_mutex_. Threads are notified without it.
  std::mutex mutex_;
  std::condition_variable worker_wakes_;
  std::condition_variable guest_wakes_;
  std::vector<Job*> jobs_;  // offered, each retained
  size_t next_job_ = 0;     // where the next search begins

  std::mutex start_mutex_;  // guards threads_; taken without mutex_
  std::vector<Thread> threads_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_POOL_H_
