// A thread pool for the tasks of native functions.
//
// Threads start one by one as tasks arrive, up to the machine's number of
// processors. The destructor joins them after all tasks have run. If no thread
// can be started, or in a forked child of the process that created the pool, a
// task runs on the thread that schedules it. Thread-safe. The pool of
// hal/cpu/task cannot serve here: a task may block, but the work of a device's
// threads must not, and devices other than "local-task" have none.
// Tested by task_pool_test.cc.
#ifndef EYRIE_ABI_NATIVE_TASK_POOL_H_
#define EYRIE_ABI_NATIVE_TASK_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "base/fork_mark.h"
#include "base/thread.h"

namespace eyrie::native {

class TaskPool {
 public:
  using Task = std::function<void()>;

  // `threads` is the maximum, at least 1; 0 means as many as the machine has.
  explicit TaskPool(size_t threads = 0);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  // Waits for all tasks, including those that tasks schedule. On one of the
  // pool's own threads it does not wait; the tasks then end on their own.
  ~TaskPool();

  size_t thread_count() const { return mark_.IsForked() ? 1 : most_; }
  // Starts a thread if there is none, so that in this process no task runs on
  // the thread that schedules it. RESOURCE_EXHAUSTED: none can be started.
  absl::Status StartThread();
  void Schedule(Task task);

 private:
  // Shared with the threads, which may outlive the pool.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Task> tasks;  // guarded by the mutex, as is all below
    size_t idle = 0;
    size_t running = 0;
    bool ending = false;
  };

  static void Work(State& state);
  // Needs the state's mutex.
  absl::Status AddThread();

  const ForkMark mark_;
  const size_t most_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<Thread> threads_;  // guarded by the state's mutex
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_TASK_POOL_H_
