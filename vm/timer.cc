// Tested by timer_test.cc.
#include "vm/timer.h"

#include "absl/time/clock.h"

namespace eyrie::vm {

Timer::~Timer() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Timer::Id Timer::Add(absl::Time due, Callback callback) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Id id(due, next_++);
  callbacks_.emplace(id, std::move(callback));
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Run(); });
  } else if (due < wake_) {
    changed_.notify_one();
  }
  return id;
}

void Timer::Remove(const Id& id) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (callbacks_.erase(id) != 0) return;
  if (std::this_thread::get_id() == thread_.get_id()) return;
  finished_.wait(lock, [&] { return running_ != id.second; });
}

void Timer::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_) {
    if (callbacks_.empty()) {
      wake_ = absl::InfiniteFuture();
      changed_.wait(lock);
      continue;
    }
    const auto first = callbacks_.begin();
    if (first->first.first > absl::Now()) {
      wake_ = first->first.first;
      changed_.wait_until(lock, absl::ToChronoTime(wake_));
      continue;
    }
    running_ = first->first.second;
    const Callback callback = std::move(first->second);
    callbacks_.erase(first);
    lock.unlock();
    callback();
    lock.lock();
    running_ = kNone;
    finished_.notify_all();
  }
}

}  // namespace eyrie::vm
