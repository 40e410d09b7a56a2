// Walks the commands from one wait to the next.
#include "hal/cpu/rank_run.h"

#include <utility>

#include "base/status_macros.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu {

void RankRuns::Add(RankRun& run, const void* owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  runs_[&run] = owner;
}

void RankRuns::Remove(const RankRun& run) {
  std::lock_guard<std::mutex> lock(mutex_);
  runs_.erase(&run);
}

void RankRuns::Cancel(const void* owner) {
  std::vector<Ref<RankRun>> gone;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [run, of] : runs_) {
      if (owner != nullptr && of != owner) continue;
      gone.push_back(Ref<RankRun>::Share(const_cast<RankRun*>(run)));
    }
  }
  const absl::Status status = absl::CancelledError(
      owner != nullptr
          ? "The context was released while its collectives were running."
          : "The device was released while its collectives were running.");
  for (const Ref<RankRun>& run : gone) run->Fail(status);
}

RankRun::RankRun(Ref<CommandBuffer> commands, BindingTable table,
                 OperationQueue::Ending ending,
                 std::shared_ptr<SegmentRunner> runner,
                 std::shared_ptr<RankRuns> runs)
    : RefObject(kType),
      commands_(std::move(commands)),
      table_(std::move(table)),
      runner_(std::move(runner)),
      runs_(std::move(runs)),
      work_(ending.work),
      next_(commands_->begin()),
      ending_(std::move(ending)) {}

void RankRun::Start(Ref<CommandBuffer> commands, BindingTable table,
                    OperationQueue::Ending ending,
                    std::shared_ptr<SegmentRunner> runner,
                    std::shared_ptr<RankRuns> runs, const void* owner) {
  const Ref<RankRun> run = Ref<RankRun>::Adopt(
      new RankRun(std::move(commands), std::move(table), std::move(ending),
                  std::move(runner), std::move(runs)));
  run->runs_->Add(*run, owner);
  run->Go();
}

CommandRange RankRun::NextSegment() const {
  const bool waits = pending_.load() > 1;
  const Command* end = next_;
  while (end != nullptr && end->kind != CommandKind::kCollective &&
         !(waits && end->kind == CommandKind::kBarrier)) {
    end = commands_->Next(end);
  }
  return {next_, end};
}

absl::Status RankRun::StartCollective(const CollectiveCommand& command) {
  const CommandResolver resolver(table_, /*max_concurrency=*/1);
  ASSIGN_OR_RETURN(const CollectiveRanges ranges, Resolve(resolver, command));
  RETURN_IF_ERROR(PayForCommand(work_.get()));
  RETURN_IF_ERROR(PayForBytes(work_.get(), "collective",
                              ranges.send.size() + ranges.receive.size()));
  pending_.fetch_add(1);
  const auto self = Ref<RankRun>::Share(this);
  command.channel->Start(command.plan, ranges, self,
                         [self](const absl::Status& status) {
                           if (!status.ok()) self->Fail(status);
                           if (self->Arrive()) self->Resume();
                         });
  return absl::OkStatus();
}

void RankRun::Go() {
  while (!failed() && next_ != nullptr) {
    if (next_->kind == CommandKind::kCollective) {
      const auto& command = static_cast<const CollectiveCommand&>(*next_);
      next_ = commands_->Next(next_);
      absl::Status status = StartCollective(command);
      if (!status.ok()) Fail(status);
      continue;
    }
    if (next_->kind == CommandKind::kBarrier && pending_.load() > 1) {
      if (!Arrive()) return;
      pending_.store(1);  // the last collective has ended just now
    }
    const CommandRange range = NextSegment();
    next_ = range.end;
    const std::optional<absl::Status> status = runner_->RunSegment(
        *commands_, table_, range, work_.get(),
        [self = Ref<RankRun>::Share(this)](const absl::Status& ended) {
          if (!ended.ok()) self->Fail(ended);
          self->Go();
        });
    if (!status) return;
    if (!status->ok()) Fail(*status);
  }
  if (Arrive()) Resume();
}

void RankRun::Resume() {
  if (next_ != nullptr && !failed()) {
    pending_.store(1);
    return Go();
  }
  OperationQueue::Ending ending;
  if (!TakeEnding(ending)) return;  // it has failed
  // Release resources before signalling completion. No message uses the buffers
  // any more.
  commands_ = nullptr;
  table_.clear();
  End(std::move(ending), absl::OkStatus());
}

bool RankRun::TakeEnding(OperationQueue::Ending& ending) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(ended_, true)) return false;
  ending = std::move(ending_);
  return true;
}

void RankRun::End(OperationQueue::Ending ending, const absl::Status& status) {
  runs_->Remove(*this);
  // The charge, too, must be released before signalling completion.
  ending.charge.Reset();
  OperationQueue::Complete(ending.signal.get(), status).IgnoreError();
}

void RankRun::Fail(const absl::Status& status) {
  // A failing channel calls back, which may drop the last other reference.
  const auto self = Ref<RankRun>::Share(this);
  OperationQueue::Ending ending;
  if (!TakeEnding(ending)) return;
  failed_.store(true);
  for (const Command* command = commands_->begin(); command != nullptr;
       command = commands_->Next(command)) {
    if (command->kind != CommandKind::kCollective) continue;
    static_cast<const CollectiveCommand*>(command)->channel->Fail(status);
  }
  End(std::move(ending), status);
}

}  // namespace eyrie::hal::cpu
