// The threads of a pool: how they find work, wait for it, and end.
//
// Counters are sequentially consistent. A thread that announces work changes
// calls_ before it checks for sleepers. A thread that goes to sleep counts
// itself before it checks calls_ again. So one of the two sees the other.
#include "hal/cpu/task/pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/pause.h"
#include "base/small_numbers.h"
#include "base/thread.h"
#include "base/trace.h"

namespace eyrie::hal::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A search this short costs almost nothing, even if it finds no work.
constexpr double kLeastSearchNs = 1000;
// If this much time passes between two checks of the clock, another thread has
// used the processor. Searching longer would take it away from that thread.
constexpr double kLostNs = 100000;
constexpr int kLooksPerTime = 16;
// Up to this many jobs are listed without an allocation under the lock.
constexpr size_t kUsualJobs = 64;

bool Never() { return false; }

SmallNumbers pool_numbers;

void BindThread(const std::vector<int>& cpus, int index) {
  if (cpus.empty()) return;
  const int cpu = cpus[static_cast<size_t>(index) % cpus.size()];
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

}  // namespace

Pool::Pool(PoolOptions options)
    : options_(std::move(options)),
      number_(pool_numbers.Take()),
      thread_name_(number_ == 0 ? "task "
                                : absl::StrCat("task ", number_ + 1, ".")) {
  jobs_.reserve(kUsualJobs);
}

Pool::~Pool() { pool_numbers.Give(number_); }

void Pool::BeWorker(int index) {
  BindThread(options_.cpus, index);
  // The name stays valid, because the pool outlives its threads.
  trace::SetThreadName(thread_name_.c_str(), index);
  Work(index);
}

bool Pool::StartWorker() {
  std::lock_guard<std::mutex> lock(start_mutex_);
  const int index = workers_.load() + 1;  // 0 is the caller
  if (stopping_.load() || index >= options_.threads) return false;
  // The thread retains the pool while it runs.
  absl::StatusOr<Thread> thread = Thread::Start(
      "kernels",
      [self = Ref<Pool>::Share(this), index] { self->BeWorker(index); },
      options_.stack_bytes);
  if (!thread.ok()) return false;
  threads_.push_back(*std::move(thread));
  workers_.store(index);
  return true;
}

void Pool::Work(int index) {
  double limit = absl::ToDoubleNanoseconds(options_.spin);
  const double longest = limit;
  while (true) {
    const uint32_t seen = calls_.load();
    if (HelpOnce(Never)) continue;
    if (stopping_.load()) return;
    const auto called = [&] { return calls_.load() != seen; };
    searching_.fetch_add(1);
    const bool found = Search(limit, called);
    searching_.fetch_sub(1);
    // Search longer after a success, and shorter after a failure.
    limit = found ? std::min(longest, limit * 2)
                  : std::max(std::min(longest, kLeastSearchNs), limit / 2);
    if (found) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    sleeping_.fetch_add(1);
    Wait(worker_wakes_, lock, called);
    sleeping_.fetch_sub(1);
    limit = std::max(limit, longest / 4);
  }
}

bool Pool::Search(double limit_ns, absl::FunctionRef<bool()> found) {
  const Clock::time_point begin = Clock::now();
  double last = 0;
  while (true) {
    for (int i = 0; i < kLooksPerTime; ++i) {
      if (found()) return true;
      Pause();
    }
    const double now =
        std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    if (now > limit_ns || now - last > kLostNs) return found();
    last = now;
  }
}

Ref<Job> Pool::Find() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < jobs_.size(); ++i) {
    Job* job = jobs_[next_job_++ % jobs_.size()];
    if (job->HasWork()) return Ref<Job>::Share(job);
  }
  return nullptr;
}

bool Pool::HelpOnce(absl::FunctionRef<bool()> stop) {
  const Ref<Job> job = Find();
  if (!job) return false;
  return Enter(*job, stop, /*drives=*/false);
}

bool Pool::Offer(Job& job, int helpers) {
  if (!job.offered_) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_.load()) return false;
    if (job.group_) {
      if (job.group_->closed_) return false;
      job.group_->listed_.fetch_add(1);
    }
    job.offered_ = true;
    job.AddRef();
    jobs_.push_back(&job);
    offered_.store(jobs_.size());
  }
  Call(helpers);
  return true;
}

void Pool::Remove(Job& job) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    offered_.store(jobs_.size());
    if (job.group_) job.group_->listed_.fetch_sub(1);
  }
  job.offered_ = false;
  Nudge();  // Shutdown may wait for this
  job.DropRef();
}

void Pool::Call(int helpers) {
  helpers = std::min(helpers, options_.threads - 1);
  calls_.fetch_add(1);
  int wanted = helpers - searching_.load();
  if (wanted <= 0) return;
  if (sleeping_.load() != 0 || guests_.load() != 0) {
    // A thread that has found nothing sleeps before this lock is free.
    mutex_.lock();
    int asleep = sleeping_.load();
    mutex_.unlock();
    for (; wanted > 0 && asleep > 0; --wanted, --asleep) {
      worker_wakes_.notify_one();
    }
    if (wanted > 0 && guests_.load() != 0) guest_wakes_.notify_all();
  }
  // Threads inside jobs may stay there, so they are not counted as helpers.
  while (wanted-- > 0 && workers_.load() < helpers + inside_.load() &&
         StartWorker()) {
  }
}

void Pool::Wake() {
  if (options_.threads < 2 || searching_.load() != 0) return;
  if (mark_.IsForked()) return;
  if (workers_.load() == 0) {
    StartWorker();
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || sleeping_.load() == 0) return;
  calls_.fetch_add(1);
  lock.unlock();
  worker_wakes_.notify_one();
}

void Pool::Nudge() {
  if (guests_.load() == 0 || mark_.IsForked()) return;
  // A guest that has found nothing sleeps before this lock is free.
  mutex_.lock();
  mutex_.unlock();
  guest_wakes_.notify_all();
}

void Pool::SleepAsGuest(Deadline deadline, absl::FunctionRef<bool()> found) {
  std::unique_lock<std::mutex> lock(mutex_);
  guests_.fetch_add(1);
  eyrie::WaitUntil(guest_wakes_, lock, deadline, found);
  guests_.fetch_sub(1);
}

void Pool::WaitUntil(Deadline deadline, absl::FunctionRef<bool()> done) {
  HelpUntil(deadline, done, /*always=*/false);
}

void Pool::HelpUntil(Deadline deadline, absl::FunctionRef<bool()> done,
                     bool always) {
  const auto over = [&] { return done() || deadline.HasPassed(); };
  bool helped = false;
  if (mark_.IsForked()) return;
  while (true) {
    const uint32_t seen = calls_.load();
    if (over()) break;
    // At most options_.threads threads work at once.
    if ((always || SpareThreads() > 0) && HelpOnce(over)) {
      helped = true;
      continue;
    }
    const auto found = [&] { return done() || calls_.load() != seen; };
    if (Search(absl::ToDoubleNanoseconds(options_.spin), found)) continue;
    SleepAsGuest(deadline, found);
  }
  if (helped) GiveUpPlace();
}

void Pool::GiveUpPlace() {
  if (offered_.load() != 0 && guests_.load() != 0) Call(1);
}

void Pool::Run(const Ref<Job>& job) {
  job->driven_ = true;
  job->driver_looks_.store(true);
  Enter(*job, Never, /*drives=*/true);
  while (!job->done()) {
    if (Enter(*job, Never, /*drives=*/true)) continue;
    const auto found = [&] {
      const uint32_t state = job->state_.load();
      return (state & ~Job::kInside) != 0;
    };
    if (Search(absl::ToDoubleNanoseconds(options_.spin), found)) continue;
    job->driver_looks_.store(false);
    SleepAsGuest(Deadline::Never(), found);
    job->driver_looks_.store(true);
  }
  GiveUpPlace();
}

bool Pool::Start(const Ref<Job>& job) {
  if (options_.threads < 2 || mark_.IsForked()) return false;
  if (workers_.load() == 0 && !StartWorker()) return false;
  job->driven_ = false;
  return Offer(*job, 1);
}

void Pool::Close(JobGroup& group) {
  if (mark_.IsForked()) return;
  while (true) {
    // The threads inside jobs may be waiting for this call to return.
    HelpUntil(
        Deadline::Never(), [&] { return group.listed_.load() == 0; },
        /*always=*/true);
    std::lock_guard<std::mutex> lock(mutex_);
    if (group.listed_.load() != 0) continue;
    group.closed_ = true;
    return;
  }
}

void Pool::Shutdown() {
  if (mark_.IsForked()) return;
  while (!stopping_.load()) {
    HelpUntil(
        Deadline::Never(), [&] { return offered_.load() == 0; },
        /*always=*/true);
    std::lock_guard<std::mutex> lock(mutex_);
    if (!jobs_.empty()) continue;
    stopping_.store(true);
    calls_.fetch_add(1);
  }
  worker_wakes_.notify_all();
  std::vector<Thread> threads;  // joined by their destructors
  std::lock_guard<std::mutex> lock(start_mutex_);
  threads.swap(threads_);
}

bool Pool::Enter(Job& job, absl::FunctionRef<bool()> stop, bool drives) {
  inside_.fetch_add(1);
  const bool helped = Help(job, stop, drives);
  inside_.fetch_sub(1);
  return helped;
}

bool Pool::Help(Job& job, absl::FunctionRef<bool()> stop, bool drives) {
  uint32_t state = job.state_.load();
  while (true) {
    const uint32_t claimable = Job::kReady | (drives ? Job::kForDriver : 0);
    if ((state & claimable) != 0) {
      if (!job.state_.compare_exchange_weak(state, 1)) continue;
      Proceed(job, stop, drives);
      return true;
    }
    if ((state & Job::kOpen) == 0) return false;
    if (!job.state_.compare_exchange_weak(state, state + 1)) continue;
    if (TakePart(job, stop, drives)) Proceed(job, stop, drives);
    return true;
  }
}

bool Pool::TakePart(Job& job, absl::FunctionRef<bool()> stop, bool drives) {
  const bool exhausted = job.RunChunks(stop);
  if (exhausted) job.state_.fetch_and(~Job::kOpen);
  const uint32_t left = job.state_.fetch_sub(1) - 1;
  if ((left & Job::kOpen) != 0) {
    // Another thread must run the remaining chunks.
    if (left == Job::kOpen) Call(1);
    return false;
  }
  if (left != 0) return false;
  if (!exhausted) {
    job.state_.store(Job::kReady);
    Call(1);
    return false;
  }
  return drives || !job.LeaveToDriver();
}

void Pool::Proceed(Job& job, absl::FunctionRef<bool()> stop, bool drives) {
  while (true) {
    const Job::Stage stage = job.Advance();
    if (stage.over) break;
    job.state_.store(Job::kOpen | 1);
    if (stage.helpers > 0) Offer(job, stage.helpers);
    if (!TakePart(job, stop, drives)) return;
  }
  if (job.driven_) {
    if (job.offered_) Remove(job);  // first: its driver may reuse a done job
    job.state_.store(Job::kDone);
    Nudge();
    return;
  }
  job.state_.store(Job::kDone);  // first: Close returns once it is not listed
  if (job.offered_) Remove(job);
  job.Finish();
}

}  // namespace eyrie::hal::cpu
