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
  // Runs the commands of a range. Returns their status, or nullopt if they run
  // in the background; `then` is called with the status on another thread in
  // this case. The commands and the table must outlive that call. Charges
  // `work`, which may be null.
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

  // Runs finalized commands and completes the operation. Its wait fence must
  // have been reached.
  static void Start(Ref<CommandBuffer> commands, BindingTable table,
                    OperationQueue::Ending ending,
                    std::shared_ptr<SegmentRunner> runner,
                    std::shared_ptr<RankRuns> runs, const void* owner);

  // Fails the operation and the channels, unless the operation is complete.
  void Fail(const absl::Status& status);

 private:
  RankRun(Ref<CommandBuffer> commands, BindingTable table,
          OperationQueue::Ending ending, std::shared_ptr<SegmentRunner> runner,
          std::shared_ptr<RankRuns> runs);

  // Continues from next_ until it must wait, and completes the operation at the
  // end.
  void Go();
  absl::Status StartCollective(const CollectiveCommand& command);
  // Returns the commands up to the next collective. While collectives run, the
  // next barrier ends the range, too.
  CommandRange NextSegment() const;
  // Counts pending_ down. Returns true if nothing is left to wait for.
  bool Arrive() { return pending_.fetch_sub(1) == 1; }
  // Continues after the last Arrive(), or completes the operation.
  void Resume();
  // Moves ending_ to `ending`. Returns true if this thread must complete the
  // operation, or false if it is already complete.
  bool TakeEnding(OperationQueue::Ending& ending);
  void End(OperationQueue::Ending ending, const absl::Status& status);
  bool failed() const { return failed_.load(); }

  // Kept after a failure, because messages may still use the buffers.
  Ref<CommandBuffer> commands_;
  BindingTable table_;
  const std::shared_ptr<SegmentRunner> runner_;
  const std::shared_ptr<RankRuns> runs_;
  const std::shared_ptr<WorkBudget> work_;
  // Written by the thread in Go(). The next thread reads it after pending_.
  const Command* next_;
  // The number of running collectives, plus 1 for the thread in Go().
  std::atomic<int64_t> pending_{1};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards all below
  bool ended_ = false;
  OperationQueue::Ending ending_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_RANK_RUN_H_
