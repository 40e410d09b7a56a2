// A command buffer as a job: the commands between two barriers are a stage,
// their workgroups and bytes its chunks.
//
// A stage that is not worth sharing runs on the thread that reaches it. Runs
// are reused, together with the memory that they have allocated.
// Tested by task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_COMMAND_RUN_H_
#define EYRIE_HAL_CPU_TASK_COMMAND_RUN_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/command_buffer.h"
#include "hal/cpu/allocator.h"
#include "hal/cpu/executor.h"
#include "hal/cpu/task/job.h"
#include "hal/cpu/task/pool.h"
#include "hal/cpu/task/sharing.h"
#include "hal/operation_queue.h"

namespace eyrie::hal::cpu {

class CommandRun;

// Finished runs, for reuse. Thread-safe. Shared, because a run may outlive its
// device.
class RunStore : public std::enable_shared_from_this<RunStore> {
 public:
  ~RunStore();
  // Returns a run for new commands.
  Ref<CommandRun> Take();

 private:
  friend class CommandRun;
  static constexpr size_t kKept = 16;

  std::mutex mutex_;
  std::vector<CommandRun*> idle_;
};

class CommandRun final : public Job {
 public:
  CommandRun() = default;

  // What is run: the commands and the table are borrowed until it is done.
  // `pool` is only asked whether its threads are awake; `work` may be null.
  void Set(const CommandBuffer& commands, std::span<const BufferBinding> table,
           const Ref<Allocator>& allocator, const Ref<Pool>& pool,
           const SharingPolicy& policy, WorkBudget* work);
  // The same for some of the commands; `then` is called when they are over.
  void SetRange(const CommandBuffer& commands, const CommandRange& range,
                std::span<const BufferBinding> table,
                std::function<void(absl::Status)> then,
                const Ref<Allocator>& allocator, const Ref<Pool>& pool,
                const SharingPolicy& policy, WorkBudget* work);
  // The same, but it owns them, and ends the operation.
  void SetOwned(Ref<CommandBuffer> commands, BindingTable table,
                OperationQueue::Ending ending, const Ref<Allocator>& allocator,
                const Ref<Pool>& pool, const SharingPolicy& policy);

  // Returns the first failure. Call it only after the run is done.
  absl::Status TakeStatus() { return std::move(status_); }
  // Releases the resources that it owns, then ends the operation.
  void Finish() override;

 protected:
  Stage Advance() override;
  bool RunChunks(absl::FunctionRef<bool()> stop) override;
  void OnLastRef() override;

 private:
  friend class RunStore;

  // One command of a stage. A tile is a workgroup, or kTransferChunk bytes.
  struct Task {
    const Command* command;
    ResolvedDispatch dispatch;
    CollectiveRanges ranges;  // of a collective of one rank
    ResolvedTransfer transfer;
    uint64_t tiles;
    uint64_t least;              // tiles taken at once
    double ns;                   // per tile; 0 if never measured
    bool due;                    // its cost is to be measured
    std::atomic<uint64_t> next;  // the first tile not taken
  };
  // Longer stages are cut: nothing depends on how long one is.
  static constexpr size_t kMaxTasks = 32;

  void Clear();
  // Prepares tasks up to a barrier, or as many as there is room for.
  absl::Status Prepare();
  absl::Status PrepareOne(const Command& command, Task& task);
  absl::Status PrepareDispatch(const DispatchCommand& command, Task& task);
  // Learns what kernels cost that were never measured, by one workgroup each.
  absl::Status Probe();
  // Returns the number of additional threads that the stage is worth.
  int HelpersFor(double ns, uint64_t chunks) const;

  // Takes tiles of a task; none: begin == end.
  WorkgroupRange Take(Task& task) const;
  absl::Status RunTask(Task& task, absl::FunctionRef<bool()> stop);
  absl::Status RunTiles(Task& task, WorkgroupRange tiles,
                        std::span<uint8_t> scratch);
  // Keeps the first failure. No tiles are taken after it.
  void Fail(absl::Status status);

  const CommandBuffer* commands_ = nullptr;
  std::optional<CommandResolver> resolver_;
  Ref<Allocator> allocator_;
  Ref<Pool> pool_;
  SharingPolicy policy_;
  WorkBudget* work_ = nullptr;
  const Command* next_command_ = nullptr;
  const Command* end_ = nullptr;            // null: after the last command
  std::function<void(absl::Status)> then_;  // of SetRange
  // Of SetOwned.
  Ref<CommandBuffer> owned_commands_;
  BindingTable owned_table_;
  OperationQueue::Ending ending_;
  uint64_t flow_ = 0;  // to its first stage, of a trace

  std::array<Task, kMaxTasks> tasks_;
  size_t task_count_ = 0;
  std::atomic<size_t> first_task_{0};  // those before have no tiles left
  std::vector<void*> pointers_;        // the bindings of all tasks
  std::vector<size_t> lengths_;

  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  absl::Status status_;  // guarded by mutex_ while it runs
  std::shared_ptr<RunStore> store_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_COMMAND_RUN_H_
