// The base class of CPU devices, and the synchronous device.
#include "hal/cpu/device.h"

#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/status_macros.h"
#include "hal/cpu/executable.h"
#include "hal/cpu/executor.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/file_transfer.h"
#include "hal/host_semaphore.h"

namespace eyrie::hal::cpu {
namespace {

absl::Status Nothing(WorkBudget*) { return absl::OkStatus(); }

OperationQueue::Body LaterNothing() { return Nothing; }

}  // namespace

std::optional<int64_t> CpuDevice::Query(absl::string_view category,
                                        absl::string_view key) const {
  if (category == "hal.device.id") return MatchesPattern(id(), key);
  if (category == "hal.executable.format") {
    return SupportsFormat(key, options_);
  }
  if (category == "hal.device" || category == "hal.dispatch") {
    if (key == "concurrency") return concurrency();
    return std::nullopt;
  }
  if (category == kNativeCodeQuery || category == kNativeLibrariesQuery) {
    return options_.allow_native_code || isolated_ != nullptr;
  }
  if (category == kForkedQuery && isolated_ != nullptr) {
    return isolated_->IsForked();
  }
  if (category == kSystemFormatQuery) {
    DriverOptions options = options_;
    options.allow_system_executables = true;
    return SupportsFormat(key, options) && !SupportsFormat(key, options_);
  }
  if (category == "hal.cpu") return CpuFeature(key);
  return std::nullopt;
}

std::vector<absl::string_view> CpuDevice::executable_formats() const {
  return SupportedFormats(options_);
}

absl::StatusOr<Ref<Semaphore>> CpuDevice::CreateSemaphore(uint64_t value) {
  return Ref<Semaphore>(MakeRef<HostSemaphore>(value));
}

absl::StatusOr<Ref<CommandBuffer>> CpuDevice::CreateCommandBuffer(
    CommandBufferMode mode, QueueAffinity affinity, uint32_t binding_capacity) {
  return MakeRef<CommandBuffer>(mode, affinity, binding_capacity);
}

absl::StatusOr<Ref<hal::Executable>> CpuDevice::CreateExecutable(
    const ExecutableParams& params) {
  ASSIGN_OR_RETURN(Ref<hal::Executable> made, LoadExecutable(params, options_));
  if (made->driver_tag() == &KernelExecutable::kDriverTag) {
    static_cast<KernelExecutable&>(*made).set_memory(params.memory);
  }
  return made;
}

absl::StatusOr<Ref<hal::Buffer>> CpuDevice::DoAlloca(const QueueFences& fences,
                                                     const BufferParams& params,
                                                     uint64_t size) {
  RETURN_IF_ERROR(CheckIsolated(fences));
  // The memory may be used at once. Only the signal waits.
  absl::StatusOr<Ref<hal::Buffer>> buffer = allocator_->Allocate(params, size);
  if (!buffer.ok()) [[unlikely]]
    return fences.Refuse(buffer.status());
  RETURN_IF_ERROR(queue_->Submit(fences, Nothing, LaterNothing));
  return buffer;
}

absl::Status CpuDevice::DoDealloca(const QueueFences& fences,
                                   Ref<hal::Buffer> buffer) {
  // The last reference frees the memory. So a result that still refers to the
  // buffer keeps its memory, and no later allocation shares it.
  return queue_->Submit(fences, Nothing, LaterNothing);
}

absl::Status CpuDevice::Transfer(const QueueFences& fences, uint64_t,
                                 OperationQueue::Body body) {
  RETURN_IF_ERROR(CheckIsolated(fences));
  return queue_->Submit(fences, body, [&] { return body; });
}

absl::Status CpuDevice::DoRead(const QueueFences& fences, Ref<File> source,
                               uint64_t source_offset,
                               const BufferRef& target) {
  const auto read = [source = std::move(source), source_offset,
                     target](WorkBudget* work) {
    return ReadFile(work, *source, source_offset, target);
  };
  return Transfer(fences, target.length, read);
}

absl::Status CpuDevice::DoWrite(const QueueFences& fences,
                                const BufferRef& source, Ref<File> target,
                                uint64_t target_offset) {
  const auto write = [source, target = std::move(target),
                      target_offset](WorkBudget* work) {
    return WriteFile(work, source, *target, target_offset);
  };
  return Transfer(fences, source.length, write);
}

absl::Status CpuDevice::DoBarrier(const QueueFences& fences) {
  return queue_->Submit(fences, Nothing, LaterNothing);
}

absl::Status CpuDevice::ExecuteWithRanks(
    const QueueFences& fences, Ref<CommandBuffer> commands,
    std::span<const BufferBinding> table,
    std::shared_ptr<SegmentRunner> runner) {
  const auto later = [&]() -> OperationQueue::Start {
    return [commands = std::move(commands), table = BindingTable(table),
            runner = std::move(runner), runs = rank_runs_,
            owner = fences.owner](OperationQueue::Ending ending) mutable {
      RankRun::Start(std::move(commands), std::move(table), std::move(ending),
                     std::move(runner), std::move(runs), owner);
    };
  };
  const auto now = [&] {
    absl::StatusOr<MemoryCharge> charge =
        fences.Charge(sizeof(RankRun) + table.size_bytes());
    if (!charge.ok()) return fences.Refuse(charge.status());
    later()(OperationQueue::EndingOf(fences, *std::move(charge)));
    return absl::OkStatus();
  };
  return queue_->SubmitOpen(fences, now, later, table.size_bytes());
}

namespace {

// Runs the commands between collectives on the current thread.
class InlineRunner final : public SegmentRunner {
 public:
  explicit InlineRunner(Ref<Allocator> allocator)
      : allocator_(std::move(allocator)) {}
  std::optional<absl::Status> RunSegment(
      const CommandBuffer& commands, std::span<const BufferBinding> table,
      const CommandRange& range, WorkBudget* work,
      std::function<void(absl::Status)>) override {
    return ExecuteRange(commands, range, table, *allocator_, work,
                        /*max_concurrency=*/1, /*measures=*/false);
  }

 private:
  const Ref<Allocator> allocator_;
};

class SyncDevice final : public CpuDevice {
 public:
  explicit SyncDevice(const DriverOptions& options) : CpuDevice(options) {}

  absl::string_view id() const override { return "local-sync"; }

 private:
  int concurrency() const override { return 1; }
  absl::Status DoExecute(const QueueFences& fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;
};

absl::Status SyncDevice::DoExecute(const QueueFences& fences,
                                   Ref<CommandBuffer> commands,
                                   std::span<const BufferBinding> table) {
  RETURN_IF_ERROR(CheckIsolated(fences));
  if (commands->talks_to_ranks()) {
    return ExecuteWithRanks(fences, std::move(commands), table,
                            std::make_shared<InlineRunner>(allocator_));
  }
  return queue_->Submit(
      fences,
      [&](WorkBudget* work) {
        return Execute(*commands, table, *allocator_, work);
      },
      [&]() -> OperationQueue::Body {
        return [commands = std::move(commands), allocator = allocator_,
                table = BindingTable(table)](WorkBudget* work) {
          return Execute(*commands, table, *allocator, work);
        };
      },
      table.size_bytes());
}

}  // namespace

Ref<hal::Device> CreateSyncDevice(const DriverOptions& options) {
  return MakeRef<SyncDevice>(options);
}

}  // namespace eyrie::hal::cpu
