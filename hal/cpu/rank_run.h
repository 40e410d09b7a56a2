// Runs commands that communicate with other ranks. Collectives start in order,
// and independent commands continue while they run.
//
// Barriers and the end wait for all earlier collectives. The thread that ends
// the last one continues the run, so no thread ever blocks. The first failure
// fails the signal fence and the channels at once, so other ranks see it.
// Memory that messages use is kept until they end.
// Tested by rank_run_test.cc.
#ifndef EYRIE_HAL_CPU_RANK_RUN_H_
#define EYRIE_HAL_CPU_RANK_RUN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/command_buffer.h"
#include "hal/cpu/executor.h"
#include "hal/operation_queue.h"

namespace eyrie::hal::cpu {

// Runs the commands between collectives. Thread-safe.
class SegmentRunner {
 public:
  virtual ~SegmentRunner() = default;
  // How the commands of the range ended; or nullopt, and `then` is called with
  // it on another thread. The commands and the table outlive that. `work` pays,
  // and may be null.
  virtual std::optional<absl::Status> RunSegment(
      const CommandBuffer& commands, std::span<const BufferBinding> table,
      const CommandRange& range, WorkBudget* work,
      std::function<void(absl::Status)> then) = 0;
};

class RankRun;

// The unfinished runs of a device. Thread-safe.
class RankRuns {
 public:
  void Add(RankRun& run, const void* owner);
  void Remove(const RankRun& run);
  // Fails the runs of an owner with CANCELLED. If the owner is null, fails all.
  void Cancel(const void* owner);

 private:
  std::mutex mutex_;
  std::map<const RankRun*, const void*> runs_;  // with their owners
};

class RankRun final : public RefObject {
 public:
  static constexpr RefType kType{"hal.cpu.rank_run"};

  // Runs finalized commands whose wait is over, and ends the operation.
  static void Start(Ref<CommandBuffer> commands, BindingTable table,
                    OperationQueue::Ending ending,
                    std::shared_ptr<SegmentRunner> runner,
                    std::shared_ptr<RankRuns> runs, const void* owner);

  // Ends it with a failure, unless it has ended.
  void Fail(const absl::Status& status);

 private:
  RankRun(Ref<CommandBuffer> commands, BindingTable table,
          OperationQueue::Ending ending, std::shared_ptr<SegmentRunner> runner,
          std::shared_ptr<RankRuns> runs);

  // Goes on from next_ until something is to be waited for.
  void Go();
  absl::Status StartCollective(const CollectiveCommand& command);
  // Everything up to the next collective, or a barrier if that has to wait.
  CommandRange NextSegment() const;
  // One thing that was waited for is over; true: so are all.
  bool Arrive() { return pending_.fetch_sub(1) == 1; }
  // Goes on when everything that was waited for is over.
  void Resume();
  // Returns true if this thread must end the operation, or false if it has
  // already ended.
  bool TakeEnding(OperationQueue::Ending& ending);
  void End(OperationQueue::Ending ending, const absl::Status& status);
  bool failed() const { return failed_.load(); }

  // Kept after a failure: messages may use the buffers.
  Ref<CommandBuffer> commands_;
  BindingTable table_;
  const std::shared_ptr<SegmentRunner> runner_;
  const std::shared_ptr<RankRuns> runs_;
  const std::shared_ptr<WorkBudget> work_;
  // Written by the thread that goes on; the next one reads it after pending_.
  const Command* next_;
  // Collectives that run, and one for the thread that goes on.
  std::atomic<int64_t> pending_{1};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards all below
  bool ended_ = false;
  OperationQueue::Ending ending_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_RANK_RUN_H_
