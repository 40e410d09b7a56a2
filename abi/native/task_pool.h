// Threads for the tasks of native functions.
//
// Started one by one as tasks come, up to the machine's number, and joined at
// the end, when all tasks have run. If none can be started, and in a child of
// the process that made the pool, tasks run on the threads that schedule them.
// Thread-safe.
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

#include "base/fork_mark.h"
#include "base/thread.h"

namespace eyrie::native {

class TaskPool {
 public:
  using Task = std::function<void()>;

  // At least one thread; 0: as many as the machine has.
  explicit TaskPool(size_t threads = 0);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  // Waits for all tasks, those that tasks schedule included; on one of its own
  // threads it leaves them to end by themselves.
  ~TaskPool();

  size_t thread_count() const { return mark_.IsForked() ? 1 : most_; }
  void Schedule(Task task);

 private:
  // What the threads share with the pool, and may outlive it with.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Task> tasks;  // guarded by the mutex, as all below
    size_t idle = 0;
    size_t running = 0;
    bool ending = false;
  };

  static void Work(State& state);

  const ForkMark mark_;
  const size_t most_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<Thread> threads_;  // guarded by the state's mutex
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_TASK_POOL_H_
