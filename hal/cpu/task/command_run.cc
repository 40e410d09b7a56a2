// Runs the commands of a buffer in stages and chunks.
#include "hal/cpu/task/command_run.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/cpu/machine/float_state.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu {
RunStore::~RunStore() {
  for (CommandRun* run : idle_) delete run;
}

Ref<CommandRun> RunStore::Take() {
  CommandRun* run = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      run = idle_.back();
      idle_.pop_back();
    }
  }
  if (run == nullptr) {
    run = new CommandRun(group_);
  } else {
    run->ResetRef();
    run->Restart();
  }
  run->store_ = shared_from_this();
  return Ref<CommandRun>::Adopt(run);
}

void CommandRun::OnLastRef() {
  Clear();
  const std::shared_ptr<RunStore> store = std::move(store_);
  {
    std::lock_guard<std::mutex> lock(store->mutex_);
    if (store->idle_.size() < RunStore::kKept) {
      store->idle_.push_back(this);
      return;
    }
  }
  delete this;
}

void CommandRun::Set(const CommandBuffer& commands,
                     std::span<const BufferBinding> table,
                     const Ref<Allocator>& allocator, const Ref<Pool>& pool,
                     const SharingPolicy& policy, WorkBudget* work) {
  commands_ = &commands;
  resolver_.emplace(table, pool->threads());
  allocator_ = allocator;
  pool_ = pool;
  policy_ = policy;
  work_ = work;
  next_command_ = commands.begin();
  end_ = nullptr;
  status_ = absl::OkStatus();
  failed_.store(false);
}

void CommandRun::SetRange(const CommandBuffer& commands,
                          const CommandRange& range,
                          std::span<const BufferBinding> table,
                          std::function<void(absl::Status)> then,
                          const Ref<Allocator>& allocator,
                          const Ref<Pool>& pool, const SharingPolicy& policy,
                          WorkBudget* work) {
  Set(commands, table, allocator, pool, policy, work);
  next_command_ = range.begin;
  end_ = range.end;
  then_ = std::move(then);
}

void CommandRun::SetOwned(Ref<CommandBuffer> commands, BindingTable table,
                          OperationQueue::Ending ending,
                          const Ref<Allocator>& allocator,
                          const Ref<Pool>& pool, const SharingPolicy& policy) {
  owned_commands_ = std::move(commands);
  owned_table_ = std::move(table);
  ending_ = std::move(ending);
  flow_ = trace::FlowFrom(trace::Name::kRunCommands);
  Set(*owned_commands_, owned_table_, allocator, pool, policy,
      ending_.work.get());
}

void CommandRun::Clear() {
  commands_ = nullptr;
  work_ = nullptr;
  resolver_.reset();
  allocator_ = nullptr;
  pool_ = nullptr;
  owned_commands_ = nullptr;
  owned_table_.clear();
  ending_ = {};
  then_ = nullptr;
  flow_ = 0;
}

void CommandRun::Finish() {
  // Release resources before signalling completion.
  const Ref<Fence> signal = std::move(ending_.signal);
  const std::function<void(absl::Status)> then = std::move(then_);
  absl::Status status = TakeStatus();
  Clear();
  if (then) return then(std::move(status));
  // The fence carries the status; there is no caller.
  OperationQueue::Complete(signal.get(), std::move(status)).IgnoreError();
}

void CommandRun::Fail(absl::Status status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failed_.exchange(true)) return;
  status_ = std::move(status);
}

absl::Status CommandRun::PrepareDispatch(const DispatchCommand& command,
                                         Task& task) {
  // The vectors may still grow, so Prepare() sets the pointers to these entries
  // when the stage is complete.
  const size_t begin = pointers_.size();
  const size_t count =
      std::min<size_t>(command.binding_count, kMaxDispatchBindings);
  pointers_.resize(begin + count);
  lengths_.resize(begin + count);
  RETURN_IF_ERROR(resolver_->Resolve(command, pointers_.data() + begin,
                                     lengths_.data() + begin, task.dispatch));
  const WorkgroupRange all = AllWorkgroups(task.dispatch.state);
  KernelCost& cost = task.dispatch.executable->cost(task.dispatch.ordinal);
  task.tiles = all.end - all.begin;
  task.ns = cost.ns();
  task.due = cost.IsDue();
  return absl::OkStatus();
}

absl::Status CommandRun::PrepareOne(const Command& command, Task& task) {
  task.command = &command;
  task.next.store(0);
  if (IsDispatch(command.kind)) {
    return PrepareDispatch(static_cast<const DispatchCommand&>(command), task);
  }
  if (command.kind == CommandKind::kCollective) {
    const auto& collective = static_cast<const CollectiveCommand&>(command);
    ASSIGN_OR_RETURN(task.ranges, Resolve(*resolver_, collective));
    task.tiles = 1;
    task.ns = EstimateTransfer(task.ranges.receive.size()).ns + 1;
    task.due = false;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(task.transfer, resolver_->ResolveTransfer(command));
  const uint64_t length = task.transfer.target.length;
  task.tiles = (length + kTransferChunk - 1) / kTransferChunk;
  // An overlapping copy must run in one piece.
  if (task.transfer.Overlaps()) task.tiles = std::min<uint64_t>(task.tiles, 1);
  task.ns = task.tiles == 0
                ? 0
                : EstimateTransfer(length).ns / static_cast<double>(task.tiles);
  task.due = false;
  return absl::OkStatus();
}

absl::Status CommandRun::Prepare() {
  task_count_ = 0;
  first_task_.store(0);
  pointers_.clear();
  lengths_.clear();
  while (next_command_ != end_ && task_count_ < kMaxTasks) {
    const Command& command = *next_command_;
    if (command.kind == CommandKind::kBarrier && task_count_ != 0) break;
    next_command_ = commands_->Next(next_command_);
    RETURN_IF_ERROR(PayForCommand(work_));
    if (command.kind == CommandKind::kBarrier) continue;
    RETURN_IF_ERROR(PrepareOne(command, tasks_[task_count_]));
    ++task_count_;
  }
  size_t begin = 0;
  for (size_t i = 0; i < task_count_; ++i) {
    if (!IsDispatch(tasks_[i].command->kind)) continue;
    DispatchState& state = tasks_[i].dispatch.state;
    state.binding_pointers = pointers_.data() + begin;
    state.binding_lengths = lengths_.data() + begin;
    begin += state.binding_count;
  }
  return absl::OkStatus();
}

absl::Status CommandRun::Probe() {
  for (size_t i = 0; i < task_count_; ++i) {
    Task& task = tasks_[i];
    if (task.ns != 0 || task.tiles == 0) continue;
    const uint32_t size =
        task.dispatch.executable->local_memory_size(task.dispatch.ordinal);
    Ref<hal::Buffer> scratch;
    if (size != 0) {
      ASSIGN_OR_RETURN(scratch,
                       allocator_->AllocateScratch(
                           size, task.dispatch.executable->memory(), work_));
    }
    task.due = true;
    RETURN_IF_ERROR(
        RunTiles(task, {0, 1},
                 scratch ? std::span<uint8_t>(scratch->host_data(), size)
                         : std::span<uint8_t>()));
    task.next.store(1);
    task.ns = task.dispatch.executable->cost(task.dispatch.ordinal).ns();
  }
  return absl::OkStatus();
}

int CommandRun::HelpersFor(double ns, uint64_t chunks) const {
  if (chunks < 2) return 0;
  const double each = pool_->IsAwake() ? policy_.awake_ns : policy_.asleep_ns;
  if (ns < each) return 0;
  // Other callers' threads may use the processors already. This thread is one
  // of those that are not spare.
  const auto most = static_cast<double>(std::min<uint64_t>(
      chunks - 1, static_cast<uint64_t>(pool_->SpareThreads())));
  // Each thread, including this one, gets at least `each / 2`.
  const double worth = each > 0 ? 2 * ns / each - 1 : most;
  return static_cast<int>(std::min(most, worth));
}

Job::Stage CommandRun::Advance() {
  const FlushDenormals flush;
  const trace::Span span(trace::Category::kQueue, trace::Name::kRunCommands);
  trace::FlowTo(trace::Name::kRunCommands, std::exchange(flow_, 0));
  while (!failed_.load() && next_command_ != end_) {
    absl::Status status = Prepare();
    if (status.ok()) status = Probe();
    if (!status.ok()) {
      Fail(std::move(status));
      break;
    }
    double ns = 0;
    uint64_t chunks = 0;
    for (size_t i = 0; i < task_count_; ++i) {
      Task& task = tasks_[i];
      const uint64_t left = task.tiles - task.next.load();
      ns += task.ns * static_cast<double>(left);
      const double least = task.ns > 0 ? policy_.chunk_ns / task.ns : 0;
      task.least = static_cast<uint64_t>(
          std::clamp(least, 1.0, static_cast<double>(kMaxWorkgroups)));
      chunks += (left + task.least - 1) / task.least;
    }
    const int helpers = HelpersFor(ns, chunks);
    if (helpers > 0) return {.over = false, .helpers = helpers};
    for (size_t i = 0; i < task_count_; ++i) tasks_[i].least = kMaxWorkgroups;
    RunChunks([] { return false; });
  }
  return {.over = true, .helpers = 0};
}

WorkgroupRange CommandRun::Take(Task& task) const {
  uint64_t begin = task.next.load();
  uint64_t end = 0;
  do {
    if (begin >= task.tiles) return {begin, begin};
    // Take large pieces first and small ones near the end, so that all threads
    // finish at about the same time.
    const uint64_t share =
        (task.tiles - begin) / (2 * static_cast<uint64_t>(pool_->threads()));
    end = begin + std::min(task.tiles - begin, std::max(task.least, share));
  } while (!task.next.compare_exchange_weak(begin, end));
  return {begin, end};
}

bool CommandRun::RunChunks(absl::FunctionRef<bool()> stop) {
  const FlushDenormals flush;
  for (size_t i = first_task_.load(); i < task_count_; ++i) {
    Task& task = tasks_[i];
    if (failed_.load()) return true;
    absl::Status status = RunTask(task, stop);
    if (!status.ok()) [[unlikely]] {
      Fail(std::move(status));
      return true;
    }
    if (task.next.load() < task.tiles) return failed_.load();
    first_task_.store(i + 1);
    if (stop()) return false;
  }
  return true;
}

absl::Status CommandRun::RunTask(Task& task, absl::FunctionRef<bool()> stop) {
  const bool is_dispatch = IsDispatch(task.command->kind);
  Ref<hal::Buffer> scratch;
  std::span<uint8_t> local;
  while (!failed_.load()) {
    const WorkgroupRange tiles = Take(task);
    if (tiles.begin == tiles.end) return absl::OkStatus();
    const uint32_t size =
        is_dispatch && !scratch
            ? task.dispatch.executable->local_memory_size(task.dispatch.ordinal)
            : 0;
    if (size != 0) {
      ASSIGN_OR_RETURN(scratch,
                       allocator_->AllocateScratch(
                           size, task.dispatch.executable->memory(), work_));
      local = {scratch->host_data(), size};
    }
    RETURN_IF_ERROR(RunTiles(task, tiles, local));
    if (stop()) return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status CommandRun::RunTiles(Task& task, WorkgroupRange tiles,
                                  std::span<uint8_t> scratch) {
  if (IsDispatch(task.command->kind)) {
    const ResolvedDispatch& dispatch = task.dispatch;
    return dispatch.executable->Measure(
        dispatch.ordinal, dispatch.state, tiles, task.due,
        [&] { return dispatch.Run(tiles, scratch, work_); });
  }
  if (task.command->kind == CommandKind::kCollective) {
    return RunAlone(static_cast<const CollectiveCommand&>(*task.command),
                    task.ranges, work_);
  }
  const uint64_t begin = tiles.begin * kTransferChunk;
  const uint64_t end = tiles.end == task.tiles ? task.transfer.target.length
                                               : tiles.end * kTransferChunk;
  return RunTransfer(task.transfer, begin, end - begin, work_);
}

}  // namespace eyrie::hal::cpu
