#include "hal/host_semaphore.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/lone_thread.h"
#include "base/status_macros.h"

namespace eyrie::hal {

HostSemaphore::~HostSemaphore() {
  for (auto& [value, callback] : waiters_) {
    callback(absl::CancelledError(absl::StrCat(
        "The semaphore was released before it reached ", value, ".")));
  }
}

absl::Status HostSemaphore::Failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

absl::StatusOr<uint64_t> HostSemaphore::Query() {
  const uint64_t value = known_.load(std::memory_order_acquire);
  if (value == kFailed) [[unlikely]]
    return Failure();
  return value;
}

HostSemaphore::Waiters HostSemaphore::Release(uint64_t value) {
  Waiters due;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    while (!waiters_.empty() && waiters_.begin()->first <= value) {
      due.insert(due.end(), waiters_.extract(waiters_.begin()));
    }
    waiting_.fetch_sub(static_cast<uint32_t>(due.size()));
  }
  reached_.notify_all();
  if (host_) host_->Nudge();
  return due;
}

namespace {

[[gnu::noinline]] absl::Status OnlyRises(uint64_t value, uint64_t present) {
  return absl::InvalidArgumentError(
      absl::StrCat("A semaphore cannot be signalled to ", value, "; it is at ",
                   present, " and only rises."));
}

}  // namespace

absl::Status HostSemaphore::Signal(uint64_t value) {
  uint64_t present = known_.load(std::memory_order_acquire);
  do {
    if (present == kFailed) [[unlikely]]
      return Failure();
    if (value <= present || value == kFailed) [[unlikely]]
      return OnlyRises(value, present);
  } while (!CompareExchange(known_, present, value, std::memory_order_seq_cst));
  if (waiting_.load() == 0) [[likely]]
    return absl::OkStatus();
  for (auto& due : Release(value)) due.second(absl::OkStatus());
  return absl::OkStatus();
}

void HostSemaphore::Fail(absl::Status status) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = status;
    known_.store(kFailed);
  }
  for (auto& due : Release(kFailed)) due.second(status);
}

void HostSemaphore::Block(uint64_t value, Deadline deadline) {
  const auto reached = [&] { return known_.load() >= value; };
  if (host_) {
    waiting_.fetch_add(1);
    host_->WaitUntil(deadline, reached);
    waiting_.fetch_sub(1);
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  waiting_.fetch_add(1);
  WaitUntil(reached_, lock, deadline, reached);
  waiting_.fetch_sub(1);
}

absl::Status HostSemaphore::Wait(uint64_t value, Deadline deadline) {
  uint64_t present = known_.load(std::memory_order_acquire);
  if (present < value && deadline > Deadline::Passed()) {
    Block(value, deadline);
    present = known_.load();
  }
  if (present == kFailed) return Failure();
  if (present >= value) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("The semaphore is at ", present, " and did not reach ",
                   value, " in time."));
}

void HostSemaphore::OnReached(uint64_t value, Callback callback) {
  if (known_.load(std::memory_order_acquire) < value) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.fetch_add(1);
    if (known_.load() < value) {
      waiters_.emplace(value, std::move(callback));
      return;
    }
    waiting_.fetch_sub(1);
  }
  callback(known_.load() == kFailed ? Failure() : absl::OkStatus());
}

absl::StatusOr<uint64_t> ThreadedSemaphore::Query() {
  // Query is called only for values that are not known to be reached.
  if (known() != kFailed) RETURN_IF_ERROR(CheckProcess());
  return HostSemaphore::Query();
}

absl::Status ThreadedSemaphore::Wait(uint64_t value, Deadline deadline) {
  if (known() < value) RETURN_IF_ERROR(CheckProcess());
  return HostSemaphore::Wait(value, deadline);
}

void ThreadedSemaphore::OnReached(uint64_t value, Callback callback) {
  const absl::Status usable =
      known() < value ? CheckProcess() : absl::OkStatus();
  if (!usable.ok()) return callback(usable);
  HostSemaphore::OnReached(value, std::move(callback));
}

}  // namespace eyrie::hal
