// A job that runs a command buffer. The commands between two barriers are a
// stage; ranges of their workgroups or bytes are its chunks.
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
  // The runs belong to `group`.
  explicit RunStore(Ref<JobGroup> group) : group_(std::move(group)) {
    idle_.reserve(kKept);
  }
  ~RunStore();
  // Returns a finished or a new run. Call one of its Set functions next.
  Ref<CommandRun> Take();

 private:
  friend class CommandRun;
  static constexpr size_t kKept = 16;  // at most, in idle_

  const Ref<JobGroup> group_;
  std::mutex mutex_;
  std::vector<CommandRun*> idle_;
};

class CommandRun final : public Job {
 public:
  explicit CommandRun(Ref<JobGroup> group) : Job(std::move(group)) {}

  // Sets the commands to run. The commands and the table must outlive the run.
  // `pool` is used only to size stages and chunks. `work` pays for commands and
  // transfers; it may be null.
  void Set(const CommandBuffer& commands, std::span<const BufferBinding> table,
           const Ref<Allocator>& allocator, const Ref<Pool>& pool,
           const SharingPolicy& policy, WorkBudget* work);
  // Sets a range of the commands to run, as Set does. Finish() calls `then`
  // with the status.
  void SetRange(const CommandBuffer& commands, const CommandRange& range,
                std::span<const BufferBinding> table,
                std::function<void(absl::Status)> then,
                const Ref<Allocator>& allocator, const Ref<Pool>& pool,
                const SharingPolicy& policy, WorkBudget* work);
  // Sets commands that the run owns, as Set does. Finish() completes the
  // operation.
  void SetOwned(Ref<CommandBuffer> commands, BindingTable table,
                OperationQueue::Ending ending, const Ref<Allocator>& allocator,
                const Ref<Pool>& pool, const SharingPolicy& policy);

  // Returns the first failure, or OK. Call it once, after the run is done.
  absl::Status TakeStatus() { return std::move(status_); }
  // Releases all resources of the run, then calls `then` of SetRange or,
  // without one, completes the operation.
  void Finish() override;

 protected:
  Stage Advance() override;
  bool RunChunks(absl::FunctionRef<bool()> stop) override;
  void OnLastRef() override;

 private:
  friend class RunStore;

  // One command of a stage. A tile is a workgroup, kTransferChunk bytes, or a
  // whole collective or overlapping copy.
  struct Task {
    const Command* command;
    ResolvedDispatch dispatch;
    CollectiveRanges ranges;  // of a collective of one rank
    ResolvedTransfer transfer;
    uint64_t tiles;
    uint64_t least;              // tiles to take at once, at least
    double ns;                   // per tile; 0 if never measured
    bool due;                    // its cost must be measured
    std::atomic<uint64_t> next;  // the first tile that is not taken yet
  };
  // Longer stages are split, which does not change results.
  static constexpr size_t kMaxTasks = 32;

  void Clear();
  // Prepares tasks up to the next barrier, but at most kMaxTasks.
  absl::Status Prepare();
  absl::Status PrepareOne(const Command& command, Task& task);
  absl::Status PrepareDispatch(const DispatchCommand& command, Task& task);
  // Measures each kernel that was never measured, by running one workgroup.
  absl::Status Probe();
  // Returns the number of additional threads that the stage is worth.
  int HelpersFor(double ns, uint64_t chunks) const;

  // Takes some tiles of a task. Returns an empty range if none are left.
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
  std::function<void(absl::Status)> then_;  // only by SetRange
  // Only by SetOwned.
  Ref<CommandBuffer> owned_commands_;
  BindingTable owned_table_;
  OperationQueue::Ending ending_;
  uint64_t flow_ = 0;  // links the caller to the first stage in a trace

  std::array<Task, kMaxTasks> tasks_;
  size_t task_count_ = 0;
  std::atomic<size_t> first_task_{0};  // earlier tasks have no tiles left
  std::vector<void*> pointers_;        // the bindings of all tasks
  std::vector<size_t> lengths_;

  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  absl::Status status_;  // guarded by mutex_ while it runs
  std::shared_ptr<RunStore> store_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_COMMAND_RUN_H_
