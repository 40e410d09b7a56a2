#include "abi/native/task_pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/deadline.h"
#include "base/status_macros.h"

namespace eyrie::native {

TaskPool::TaskPool(size_t threads)
    : most_(std::max<size_t>(
          threads != 0 ? threads : std::thread::hardware_concurrency(), 1)) {}

TaskPool::~TaskPool() {
  if (mark_.IsForked()) {
    // A forked child has no such threads to join.
    for (Thread& thread : threads_) thread.Forget();
    return;
  }
  std::vector<Thread> threads;  // joined at the end
  bool own = false;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    threads.swap(threads_);
  }
  state_->changed.notify_all();
  for (const Thread& thread : threads) own |= thread.IsCurrent();
  if (!own) return;
  for (Thread& thread : threads) thread.Detach();
}

absl::Status TaskPool::AddThread() {
  ASSIGN_OR_RETURN(Thread thread,
                   Thread::Start("tasks of native functions",
                                 [state = state_] { Work(*state); }));
  threads_.push_back(std::move(thread));
  return absl::OkStatus();
}

absl::Status TaskPool::StartThread() {
  const std::lock_guard lock(state_->mutex);
  return threads_.empty() ? AddThread() : absl::OkStatus();
}

void TaskPool::Schedule(Task task) {
  if (mark_.IsForked()) return task();
  // The task may destroy the pool before this returns.
  const std::shared_ptr<State> state = state_;
  {
    const std::lock_guard lock(state->mutex);
    if (state->tasks.size() >= state->idle && threads_.size() < most_ &&
        !state->ending) {
      AddThread().IgnoreError();
    }
    // During destruction, the pool's own threads run the tasks that tasks
    // schedule.
    if (!threads_.empty() || state->ending) {
      state->tasks.push_back(std::exchange(task, nullptr));
    }
  }
  if (task) return task();
  state->changed.notify_one();
}

void TaskPool::Work(State& state) {
  std::unique_lock lock(state.mutex);
  while (true) {
    ++state.idle;
    Wait(state.changed, lock, [&state] {
      return !state.tasks.empty() || (state.ending && state.running == 0);
    });
    --state.idle;
    if (state.tasks.empty()) return;
    Task task = std::move(state.tasks.front());
    state.tasks.pop_front();
    ++state.running;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --state.running;
    if (state.ending) state.changed.notify_all();
  }
}

}  // namespace eyrie::native
