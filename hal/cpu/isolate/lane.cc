#include "hal/cpu/isolate/lane.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/pause.h"
#include "base/plain_text.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// How often this thread had to leave its processor to another one.
long TimesProcessorWasLost() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

std::string Lane::Label::ToString() const {
  if (kind == CommandKind::kQuery) return "the executable's query function";
  if (kind == CommandKind::kInitialize) return "the executable's initializer";
  return name.empty() ? absl::StrCat("export ", ordinal)
                      : absl::StrCat("'", PlainName(name), "'");
}

void Lane::Begin(Deadline deadline) {
  ++group_;
  if (group_ == 0) ++group_;  // 0 is no group
  group_begin_ = posted_;
  failure_.reset();
  grace_.reset();
  deadline_ = deadline;
}

bool Lane::ReadFailure(uint32_t done) {
  if (failure_) return true;
  if (output_.failed_group.load(std::memory_order_acquire) != group_) {
    return true;
  }
  const Failure failure = {
      output_.failed_command.load(std::memory_order_relaxed),
      output_.failed_code.load(std::memory_order_relaxed)};
  const bool is_ours =
      failure.command - group_begin_ < posted_ - group_begin_ &&
      posted_ - failure.command <= kSlots;
  if (!is_ours || failure.code == 0) return false;
  // The worker writes the failure before it counts the command as done.
  if (static_cast<int32_t>(done - failure.command) > 0) failure_ = failure;
  return true;
}

bool Lane::ReadOutput() {
  const uint32_t done = output_.done.load(std::memory_order_acquire);
  if (done == seen_ && !is_corrupt_) return true;
  if (done - seen_ > posted_ - seen_ || !ReadFailure(done)) is_corrupt_ = true;
  if (!is_corrupt_) seen_ = done;
  return !is_corrupt_;
}

void Lane::Enforce(const WorkBudget* work) {
  if (grace_ ? grace_->HasPassed() : deadline_.HasPassed()) {
    peer_.Kill(Reason::kDeadline);
  } else if (!grace_ && work != nullptr && work->stopped()) {
    grace_ = Deadline::After(kGrace);
    input_.stopped_group.store(group_, std::memory_order_relaxed);
  }
}

void Lane::Sleep(uint32_t count) {
  input_.wanted.store(count);
  input_.host_sleeps.store(1);
  const uint32_t done = output_.done.load();
  if (done == seen_) peer_.Sleep(output_.done, done, kLook);
  input_.host_sleeps.store(0, std::memory_order_relaxed);
}

void Lane::Poll(uint32_t count, uint32_t spins) {
  for (uint32_t i = 0; i < spins && !Reached(count); ++i) {
    if (!ReadOutput()) break;
    Pause();
  }
}

void Lane::PollForLong(uint32_t count) {
  if (short_waits_ != 0) {
    --short_waits_;
    return;
  }
  if (!peer_.HasSpareProcessors()) return;
  const long lost = TimesProcessorWasLost();
  Poll(count, spins_ * kLongSpins);
  if (TimesProcessorWasLost() != lost) short_waits_ = kShortWaits;
}

bool Lane::Wait(uint32_t count, WorkBudget* work) {
  Poll(count, spins_);
  if (!Reached(count)) PollForLong(count);
  while (!Reached(count)) {
    const bool is_dead = peer_.IsDead();
    if (!ReadOutput()) peer_.Kill(Reason::kCorrupt);
    if (Reached(count)) return true;
    if (is_dead) return false;
    Enforce(work);
    Sleep(count);
  }
  return true;
}

Command* Lane::Next(WorkBudget* work) {
  if (posted_ - seen_ == kSlots) {
    const bool is_alive = Wait(posted_ - kSlots / 2, work);
    if (!is_alive || failure_ || grace_) return nullptr;
  }
  Command& command = input_.commands[posted_ % kSlots];
  command.group = group_;
  return &command;
}

void Lane::Post(const Label& label) {
  labels_[posted_ % kSlots] = label;
  input_.posted.store(++posted_);
  if (output_.worker_sleeps.load() != 0) peer_.Wake(input_.posted);
}

Lane::Outcome Lane::Finish(WorkBudget* work) {
  const bool is_alive = Wait(posted_, work);
  if (!is_alive) {
    // Labels of earlier groups are no longer valid.
    const uint32_t running = Reached(group_begin_) ? seen_ : group_begin_;
    return {End::kLost, 0,
            running == posted_ ? Label() : labels_[running % kSlots]};
  }
  if (!failure_) return {};
  const bool is_stopped = grace_ && failure_->code == kStoppedCode;
  return {is_stopped ? End::kStopped : End::kFailed, failure_->code,
          labels_[failure_->command % kSlots]};
}

uint32_t LaneCount() {
  return std::clamp(std::thread::hardware_concurrency(), 2u, kMaxLanes);
}

}  // namespace eyrie::hal::cpu::isolate
