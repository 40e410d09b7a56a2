// Decides on which threads the commands of an operation run.
#include "hal/cpu/task/device.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/fork_mark.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/cpu/device.h"
#include "hal/cpu/executor.h"
#include "hal/cpu/task/call_streak.h"
#include "hal/cpu/task/command_run.h"
#include "hal/cpu/task/pool.h"
#include "hal/cpu/task/shared_pool.h"
#include "hal/forked_device.h"
#include "hal/host_semaphore.h"
#include "hal/thread_query.h"

namespace eyrie::hal::cpu {
namespace {

// An operation that one thread of a pool runs in one piece.
class PieceJob final : public Job {
 public:
  PieceJob(Ref<JobGroup> group, OperationQueue::Body body,
           OperationQueue::Ending ending)
      : Job(std::move(group)),
        body_(std::move(body)),
        ending_(std::move(ending)) {}

  void Finish() override {
    const Ref<Fence> signal = std::move(ending_.signal);
    // Release resources before signalling completion.
    body_ = nullptr;
    ending_ = {};
    OperationQueue::Complete(signal.get(), std::move(status_)).IgnoreError();
  }

 protected:
  Stage Advance() override {
    status_ = body_(ending_.work.get());
    return {.over = true, .helpers = 0};
  }
  bool RunChunks(absl::FunctionRef<bool()>) override { return true; }

 private:
  OperationQueue::Body body_;
  OperationQueue::Ending ending_;
  absl::Status status_;
};

// Runs commands. Shared by the device and its waiting operations, which may
// outlive the device.
class Engine final : public SegmentRunner {
 public:
  Engine(PoolOptions options, const SharingPolicy& policy,
         const Ref<Allocator>& allocator)
      : policy_(policy),
        allocator_(allocator),
        // A woken thread searches for work for at least this long.
        streak_(absl::ToDoubleNanoseconds(options.spin) / 4),
        share_(std::move(options)),
        pool_(share_.pool()) {}

  const Ref<Pool>& pool() const { return pool_; }
  PoolShare& share() { return share_; }

  // Runs commands that need not wait, here or in the pool, and completes the
  // operation.
  absl::Status Now(const QueueFences& fences, Ref<CommandBuffer> commands,
                   std::span<const BufferBinding> table);
  // The same for an operation that has waited for a fence.
  void Later(Ref<CommandBuffer> commands, BindingTable table,
             OperationQueue::Ending ending);
  // Runs commands between collectives: here if they are small, else in the
  // pool.
  std::optional<absl::Status> RunSegment(
      const CommandBuffer& commands, std::span<const BufferBinding> table,
      const CommandRange& range, WorkBudget* work,
      std::function<void(absl::Status)> then) override;
  // Now and Later for transfers.
  absl::Status Move(const QueueFences& fences, uint64_t bytes,
                    OperationQueue::Body body);
  void MoveLater(uint64_t bytes, OperationQueue::Body body,
                 OperationQueue::Ending ending);

 private:
  bool IsThreaded() const { return pool_->threads() > 1; }
  // Reports whether the work is too small to share.
  bool IsSmall(const Estimate& estimate) const;
  // Reports whether the work should run in the background.
  bool IsLarge(const Estimate& estimate) const;
  absl::Status RunHere(const CommandBuffer& commands,
                       std::span<const BufferBinding> table, WorkBudget* work) {
    return Execute(commands, table, *allocator_, work, pool_->threads(),
                   IsThreaded());
  }
  // The same, but commands that could be shared may wake a thread for later
  // calls.
  absl::Status RunSmall(const CommandBuffer& commands,
                        std::span<const BufferBinding> table, WorkBudget* work,
                        const Estimate& estimate);
  absl::Status RunShared(const CommandBuffer& commands,
                         std::span<const BufferBinding> table,
                         WorkBudget* work);
  void RunPiece(OperationQueue::Body body, OperationQueue::Ending ending,
                bool hands_over);
  // Runs commands in the pool, or here if the pool takes no jobs.
  void HandOver(Ref<CommandBuffer> commands, BindingTable table,
                OperationQueue::Ending ending);

  const SharingPolicy policy_;
  const Ref<Allocator> allocator_;
  CallStreak streak_;
  PoolShare share_;
  const Ref<Pool> pool_;
  const std::shared_ptr<RunStore> runs_ =
      std::make_shared<RunStore>(share_.jobs());
};

bool Engine::IsSmall(const Estimate& estimate) const {
  if (!estimate.known) return false;
  if (estimate.ns < policy_.awake_ns) return true;
  return estimate.ns < policy_.asleep_ns && !pool_->IsAwake();
}

bool Engine::IsLarge(const Estimate& estimate) const {
  if (policy_.hand_over_ns == 0) return true;
  return estimate.known && estimate.ns >= policy_.hand_over_ns;
}

absl::Status Engine::RunSmall(const CommandBuffer& commands,
                              std::span<const BufferBinding> table,
                              WorkBudget* work, const Estimate& estimate) {
  if (estimate.largest_ns < policy_.awake_ns || !streak_.is_possible()) {
    return RunHere(commands, table, work);
  }
  const auto begin = static_cast<double>(trace::Now());
  absl::Status status = RunHere(commands, table, work);
  const auto end = static_cast<double>(trace::Now());
  if (streak_.Add(begin, end, policy_.asleep_ns)) pool_->Wake();
  return status;
}

absl::Status Engine::RunShared(const CommandBuffer& commands,
                               std::span<const BufferBinding> table,
                               WorkBudget* work) {
  const Ref<CommandRun> run = runs_->Take();
  run->Set(commands, table, allocator_, pool_, policy_, work);
  pool_->Run(run);
  return run->TakeStatus();
}

void Engine::HandOver(Ref<CommandBuffer> commands, BindingTable table,
                      OperationQueue::Ending ending) {
  const Ref<CommandRun> run = runs_->Take();
  run->SetOwned(std::move(commands), std::move(table), std::move(ending),
                allocator_, pool_, policy_);
  if (pool_->Start(run)) return;
  pool_->Run(run);
  run->Finish();
}

absl::Status Engine::Now(const QueueFences& fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) {
  WorkBudget* const work = fences.budget();
  if (!IsThreaded()) {
    return OperationQueue::Complete(fences.signal,
                                    RunHere(*commands, table, work));
  }
  const Estimate estimate = EstimateCommands(*commands);
  if (IsSmall(estimate)) [[likely]] {
    return OperationQueue::Complete(fences.signal,
                                    RunSmall(*commands, table, work, estimate));
  }
  // Without a fence, no caller could learn of the end.
  if (fences.signal == nullptr || !IsLarge(estimate)) {
    return OperationQueue::Complete(fences.signal,
                                    RunShared(*commands, table, work));
  }
  absl::StatusOr<MemoryCharge> charge =
      fences.Charge(sizeof(CommandRun) + table.size_bytes());
  if (!charge.ok()) return fences.Refuse(charge.status());
  HandOver(std::move(commands), BindingTable(table),
           OperationQueue::EndingOf(fences, *std::move(charge)));
  return absl::OkStatus();
}

absl::Status Engine::Move(const QueueFences& fences, uint64_t bytes,
                          OperationQueue::Body body) {
  if (!IsThreaded() || fences.signal == nullptr ||
      !IsLarge(EstimateTransfer(bytes))) {
    return OperationQueue::Complete(fences.signal, body(fences.budget()));
  }
  absl::StatusOr<MemoryCharge> charge = fences.Charge(sizeof(PieceJob));
  if (!charge.ok()) return fences.Refuse(charge.status());
  RunPiece(std::move(body),
           OperationQueue::EndingOf(fences, *std::move(charge)),
           /*hands_over=*/true);
  return absl::OkStatus();
}

void Engine::MoveLater(uint64_t bytes, OperationQueue::Body body,
                       OperationQueue::Ending ending) {
  RunPiece(std::move(body), std::move(ending),
           EstimateTransfer(bytes).ns >= policy_.hand_over_waited_ns);
}

void Engine::RunPiece(OperationQueue::Body body, OperationQueue::Ending ending,
                      bool hands_over) {
  const Ref<PieceJob> job =
      MakeRef<PieceJob>(share_.jobs(), std::move(body), std::move(ending));
  if (hands_over && pool_->Start(job)) return;
  pool_->Run(job);
  job->Finish();
}

void Engine::Later(Ref<CommandBuffer> commands, BindingTable table,
                   OperationQueue::Ending ending) {
  const Estimate estimate = EstimateCommands(*commands);
  if (IsThreaded() &&
      (!estimate.known || estimate.ns >= policy_.hand_over_waited_ns)) {
    return HandOver(std::move(commands), std::move(table), std::move(ending));
  }
  absl::Status status = RunHere(*commands, table, ending.work.get());
  // Release resources before signalling completion.
  commands = nullptr;
  table.clear();
  ending.charge.Reset();
  OperationQueue::Complete(ending.signal.get(), std::move(status))
      .IgnoreError();
}

std::optional<absl::Status> Engine::RunSegment(
    const CommandBuffer& commands, std::span<const BufferBinding> table,
    const CommandRange& range, WorkBudget* work,
    std::function<void(absl::Status)> then) {
  if (!IsThreaded() || IsSmall(EstimateCommands(commands))) {
    return ExecuteRange(commands, range, table, *allocator_, work,
                        pool_->threads(), IsThreaded());
  }
  const Ref<CommandRun> run = runs_->Take();
  run->SetRange(commands, range, table, std::move(then), allocator_, pool_,
                policy_, work);
  if (pool_->Start(run)) return std::nullopt;
  pool_->Run(run);
  return run->TakeStatus();
}

class TaskDevice final : public CpuDevice {
 public:
  TaskDevice(const DriverOptions& options, const Topology& topology,
             const SharingPolicy& policy);
  ~TaskDevice() override;

  absl::string_view id() const override { return "local-task"; }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override {
    if (category == kForkedQuery && has_threads()) return mark_.IsForked();
    if (category == kThreadsQuery) {
      return key == kSharersKey ? engine_->share().sharers() : concurrency();
    }
    return CpuDevice::Query(category, key);
  }
  absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) override;
  void CancelQueued(const void* owner) override {
    // Operations that were queued before a fork belong to the parent.
    if (!IsForked()) CpuDevice::CancelQueued(owner);
  }

 private:
  bool has_threads() const { return concurrency() > 1; }
  // Reports whether this is a forked child of the process that opened the
  // device, in which the device's threads do not exist.
  bool IsForked() const { return has_threads() && mark_.IsForked(); }
  // Refuses an operation in a forked child.
  absl::Status Check(const QueueFences& fences) const {
    if (!IsForked()) [[likely]]
      return CheckIsolated(fences);
    return fences.Refuse(CheckProcess(*this, mark_));
  }
  void OnLastRef() override {
    if (!IsForked()) delete this;
  }

  int concurrency() const override { return engine_->pool()->threads(); }
  absl::StatusOr<Ref<hal::Buffer>> DoAlloca(const QueueFences& fences,
                                            const BufferParams& params,
                                            uint64_t size) override {
    RETURN_IF_ERROR(Check(fences));
    return CpuDevice::DoAlloca(fences, params, size);
  }
  absl::Status DoDealloca(const QueueFences& fences,
                          Ref<hal::Buffer> buffer) override {
    RETURN_IF_ERROR(Check(fences));
    return CpuDevice::DoDealloca(fences, std::move(buffer));
  }
  absl::Status DoBarrier(const QueueFences& fences) override {
    RETURN_IF_ERROR(Check(fences));
    return CpuDevice::DoBarrier(fences);
  }
  absl::Status Transfer(const QueueFences& fences, uint64_t bytes,
                        OperationQueue::Body body) override;
  absl::Status DoExecute(const QueueFences& fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;

  const ForkMark mark_;
  const std::shared_ptr<Engine> engine_;
};

PoolOptions PoolOptionsOf(const TaskOptions& options,
                          const Topology& topology) {
  PoolOptions pool;
  pool.threads = topology.threads;
  pool.cpus = topology.cpus;
  pool.spin = absl::Microseconds(options.spin_us);
  pool.stack_bytes = static_cast<size_t>(options.stack_bytes);
  return pool;
}

TaskDevice::TaskDevice(const DriverOptions& options, const Topology& topology,
                       const SharingPolicy& policy)
    : CpuDevice(options),
      engine_(std::make_shared<Engine>(
          PoolOptionsOf(options.Of<TaskOptions>(), topology), policy,
          allocator_)) {}

TaskDevice::~TaskDevice() {
  // Waiting operations fail. Running ones finish.
  CancelQueued(nullptr);
  engine_->share().Leave();
}

absl::StatusOr<Ref<Semaphore>> TaskDevice::CreateSemaphore(uint64_t value) {
  if (!has_threads()) return CpuDevice::CreateSemaphore(value);
  RETURN_IF_ERROR(CheckProcess(*this, mark_));
  return Ref<Semaphore>(
      MakeRef<ThreadedSemaphore>(value, engine_->pool(), nullptr, mark_));
}

absl::Status TaskDevice::Transfer(const QueueFences& fences, uint64_t bytes,
                                  OperationQueue::Body body) {
  RETURN_IF_ERROR(Check(fences));
  return queue_->SubmitOpen(
      fences, [&] { return engine_->Move(fences, bytes, std::move(body)); },
      [&]() -> OperationQueue::Start {
        return [engine = engine_, bytes,
                body = std::move(body)](OperationQueue::Ending ending) mutable {
          engine->MoveLater(bytes, std::move(body), std::move(ending));
        };
      });
}

absl::Status TaskDevice::DoExecute(const QueueFences& fences,
                                   Ref<CommandBuffer> commands,
                                   std::span<const BufferBinding> table) {
  RETURN_IF_ERROR(Check(fences));
  if (commands->talks_to_ranks()) {
    return ExecuteWithRanks(fences, std::move(commands), table, engine_);
  }
  return queue_->SubmitOpen(
      fences, [&] { return engine_->Now(fences, std::move(commands), table); },
      [&]() -> OperationQueue::Start {
        return [engine = engine_, commands = std::move(commands),
                table = BindingTable(table)](
                   OperationQueue::Ending ending) mutable {
          engine->Later(std::move(commands), std::move(table),
                        std::move(ending));
        };
      },
      table.size_bytes());
}

}  // namespace

Ref<hal::Device> CreateTaskDevice(const DriverOptions& options,
                                  const Topology& topology,
                                  const SharingPolicy& policy) {
  return MakeRef<TaskDevice>(options, topology, policy);
}

}  // namespace eyrie::hal::cpu
