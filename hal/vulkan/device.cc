// Implements queue operations, executables and queries of a Vulkan device.
#include "hal/vulkan/device.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/glob.h"
#include "base/status_macros.h"
#include "hal/file_transfer.h"
#include "hal/forked_device.h"
#include "hal/operation_queue.h"
#include "hal/vulkan/engine.h"
#include "hal/vulkan/executable.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/pipeline_cache.h"
#include "hal/vulkan/queue.h"

namespace eyrie::hal::vulkan {
namespace {

// Queries of category hal.dispatch by modules of older releases; each bit is a
// feature. Source: IREE 3.11's Vulkan driver.
std::optional<int64_t> QueryDispatch(const LogicalDevice& device,
                                     absl::string_view key) {
  static constexpr struct {
    absl::string_view key;
    int64_t bit;
    Feature feature;
  } kRows[] = {
      {"compute.bitwidths.fp", 1, Feature::shaderFloat16},
      {"compute.bitwidths.fp", 2, Feature::shaderFloat64},
      {"compute.bitwidths.int", 1, Feature::shaderInt8},
      {"compute.bitwidths.int", 2, Feature::shaderInt16},
      {"compute.bitwidths.int", 4, Feature::shaderInt64},
      {"storage.bitwidths", 1, Feature::storageBuffer8BitAccess},
      {"storage.bitwidths", 2, Feature::storageBuffer16BitAccess},
      {"subgroup.ops", 1, Feature::kSubgroupShuffle},
      {"subgroup.ops", 2, Feature::kSubgroupArithmetic},
      {"dotprod.ops", 1, Feature::shaderIntegerDotProduct},
      {"coopmatrix.ops", 1, Feature::cooperativeMatrix},
      {"address.mode", 1, Feature::bufferDeviceAddress},
  };
  std::optional<int64_t> bits;
  for (const auto& row : kRows) {
    if (row.key != key) continue;
    bits = bits.value_or(0) | (device.Has(row.feature) ? row.bit : 0);
  }
  return bits;
}

// Submits what Record returned, to run after an epoch. If this fails, nothing
// is signalled.
absl::Status Submit(Engine& engine, absl::StatusOr<Queue::Kept> kept,
                    uint64_t after, Fence* signal) {
  RETURN_IF_ERROR(kept);
  return engine.queue()->Submit(after, *std::move(kept), signal).status();
}

class VulkanDevice final : public hal::Device {
 public:
  VulkanDevice(std::shared_ptr<LogicalDevice> device,
               std::shared_ptr<Engine> engine,
               std::unique_ptr<PipelineCache> cache)
      : hal::Device(/*takes_all_semaphores=*/false),
        device_(std::move(device)),
        engine_(std::move(engine)),
        cache_(std::move(cache)) {}
  ~VulkanDevice() override;

  absl::string_view id() const override { return "vulkan"; }
  hal::Allocator& allocator() override { return engine_->allocator(); }
  // All HAL queues share one Vulkan queue, and only fences order operations, so
  // any number is fine; programs use up to 64.
  int queue_count() const override { return 64; }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override;
  std::vector<absl::string_view> executable_formats() const override {
    return FormatsOf(*device_);
  }
  absl::StatusOr<Ref<hal::Semaphore>> CreateSemaphore(uint64_t value) override {
    RETURN_IF_ERROR(CheckProcess(*this, device_->mark()));
    return Ref<hal::Semaphore>(MakeRef<Semaphore>(value, engine_->queue()));
  }
  absl::StatusOr<Ref<hal::Executable>> CreateExecutable(
      const ExecutableParams& params) override;
  absl::Status CheckExecutable(const ExecutableParams& params) const override {
    return Executable::Check(*device_, params);
  }
  absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) override {
    return MakeRef<CommandBuffer>(mode, affinity, binding_capacity);
  }
  absl::Status QueueFlush() override { return absl::OkStatus(); }
  void CancelQueued(const void* owner) override {
    // Operations that were queued before a fork belong to the parent.
    if (!device_->mark().IsForked()) operations_->Cancel(owner);
  }

 private:
  bool TakesThis(const hal::Semaphore& semaphore) const override {
    return semaphore.driver_tag() == engine_->queue().get();
  }
  absl::StatusOr<Ref<hal::Buffer>> DoAlloca(const QueueFences& fences,
                                            const BufferParams& params,
                                            uint64_t size) override;
  absl::Status DoDealloca(const QueueFences& fences,
                          Ref<hal::Buffer> buffer) override;
  absl::Status DoRead(const QueueFences& fences, Ref<File> source,
                      uint64_t source_offset, const BufferRef& target) override;
  absl::Status DoWrite(const QueueFences& fences, const BufferRef& source,
                       Ref<File> target, uint64_t target_offset) override;
  absl::Status DoBarrier(const QueueFences& fences) override;
  absl::Status DoExecute(const QueueFences& fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;
  // Fails if this is a forked child of the process that opened the device.
  absl::Status Check(const QueueFences& fences) const {
    if (!device_->mark().IsForked()) [[likely]]
      return absl::OkStatus();
    return fences.Refuse(CheckProcess(*this, device_->mark()));
  }
  void OnLastRef() override {
    if (!device_->mark().IsForked()) delete this;
  }

  // Runs `body` on the host after the wait.
  absl::Status RunOnHost(const QueueFences& fences, OperationQueue::Body body);

  const std::shared_ptr<LogicalDevice> device_;
  const std::shared_ptr<Engine> engine_;
  const std::unique_ptr<PipelineCache> cache_;
  const std::shared_ptr<OperationQueue> operations_ =
      std::make_shared<OperationQueue>();
};

VulkanDevice::~VulkanDevice() {
  VulkanDevice::CancelQueued(nullptr);
  engine_->queue()->Shutdown();
  const absl::Status saved = cache_->Save();
  if (saved.ok()) return;
  device_->Notice(absl::StrCat(
      "The pipeline cache was not saved; the next run compiles again. ",
      saved.message()));
}

absl::StatusOr<Ref<hal::Executable>> VulkanDevice::CreateExecutable(
    const ExecutableParams& params) {
  ASSIGN_OR_RETURN(Ref<Executable> executable,
                   Executable::Load(device_, *cache_, params));
  return Ref<hal::Executable>(std::move(executable));
}

std::optional<int64_t> VulkanDevice::Query(absl::string_view category,
                                           absl::string_view key) const {
  if (category == "hal.device.id") return MatchesPattern(id(), key);
  if (category == "hal.executable.format") {
    return RunsFormat(*device_, key);
  }
  if (category == "hal.device" && key == "concurrency") return 1;
  if (category == kForkedQuery) return device_->mark().IsForked();
  if (category == "hal.dispatch") return QueryDispatch(*device_, key);
  if (category == kNativeLibrariesQuery) return device_->allows_native_code();
  if (category == kNativeCodeQuery || category == kSystemFormatQuery) return 0;
  return std::nullopt;
}

absl::StatusOr<Ref<hal::Buffer>> VulkanDevice::DoAlloca(
    const QueueFences& fences, const BufferParams& params, uint64_t size) {
  RETURN_IF_ERROR(Check(fences));
  // The memory is available at once; only the signal waits.
  absl::StatusOr<Ref<hal::Buffer>> buffer =
      engine_->allocator().Allocate(params, size);
  if (!buffer.ok()) [[unlikely]]
    return fences.Refuse(buffer.status());
  RETURN_IF_ERROR(DoBarrier(fences));
  return buffer;
}

absl::Status VulkanDevice::DoDealloca(const QueueFences& fences,
                                      Ref<hal::Buffer>) {
  // The memory is freed with its last reference. A result may still hold the
  // buffer, so no later allocation may reuse the memory now.
  return DoBarrier(fences);
}

absl::Status VulkanDevice::DoBarrier(const QueueFences& fences) {
  RETURN_IF_ERROR(Check(fences));
  const absl::StatusOr<Queue::Readiness> ready =
      engine_->queue()->Look(fences.wait);
  if (!ready.ok()) [[unlikely]]
    return fences.Refuse(ready.status());
  if (ready->is_ready) [[likely]] {
    if (fences.signal == nullptr) return absl::OkStatus();
    return engine_->queue()->SignalAfter(ready->epoch, fences.signal);
  }
  const auto signal = [](OperationQueue::Ending ending) {
    ending.charge.Reset();
    OperationQueue::Complete(ending.signal.get(), absl::OkStatus())
        .IgnoreError();
  };
  return operations_->Defer(fences, signal, 0);
}

absl::Status VulkanDevice::DoExecute(const QueueFences& fences,
                                     Ref<CommandBuffer> commands,
                                     std::span<const BufferBinding> table) {
  RETURN_IF_ERROR(Check(fences));
  const absl::StatusOr<Queue::Readiness> ready =
      engine_->queue()->Look(fences.wait);
  if (!ready.ok()) [[unlikely]]
    return fences.Refuse(ready.status());
  if (ready->is_ready) [[likely]] {
    absl::StatusOr<MemoryCharge> charge = fences.Charge(table.size_bytes());
    if (!charge.ok()) return fences.Refuse(charge.status());
    absl::Status status = Submit(
        *engine_,
        engine_->Record(commands, table, fences.budget(), *std::move(charge)),
        ready->epoch, fences.signal);
    return status.ok() ? status : fences.Refuse(std::move(status));
  }
  const auto run =
      [engine = engine_, commands = std::move(commands),
       table = BindingTable(table)](OperationQueue::Ending ending) mutable {
        absl::StatusOr<Queue::Kept> kept = engine->Record(
            commands, table, ending.work.get(), std::move(ending.charge));
        // A call that waits for the signal may need their memory.
        commands = nullptr;
        table.clear();
        const absl::Status status =
            Submit(*engine, std::move(kept), 0, ending.signal.get());
        if (!status.ok() && ending.signal) ending.signal->Fail(status);
      };
  return operations_->Defer(fences, run, table.size_bytes());
}

absl::Status VulkanDevice::RunOnHost(const QueueFences& fences,
                                     OperationQueue::Body body) {
  RETURN_IF_ERROR(Check(fences));
  // File operations are slow, so a thread waits for the device and runs them.
  return operations_->Submit(fences, body, [&] { return body; });
}

absl::Status VulkanDevice::DoRead(const QueueFences& fences, Ref<File> source,
                                  uint64_t source_offset,
                                  const BufferRef& target) {
  return RunOnHost(fences, [source = std::move(source), source_offset,
                            target](WorkBudget* work) {
    return ReadFile(work, *source, source_offset, target);
  });
}

absl::Status VulkanDevice::DoWrite(const QueueFences& fences,
                                   const BufferRef& source, Ref<File> target,
                                   uint64_t target_offset) {
  return RunOnHost(fences, [source, target = std::move(target),
                            target_offset](WorkBudget* work) {
    return WriteFile(work, source, *target, target_offset);
  });
}

}  // namespace

absl::StatusOr<Ref<hal::Device>> OpenVulkanDevice(
    std::shared_ptr<Instance> instance, PhysicalDevice physical,
    const DriverOptions& options) {
  const uint32_t size = options.Of<VulkanOptions>().subgroup_size;
  const DeviceLimits& limits = physical.limits;
  if (size != 0 &&
      (!physical.features.Has(Feature::subgroupSizeControl) ||
       (size & (size - 1)) != 0 || size < limits.min_subgroup_size ||
       size > limits.max_subgroup_size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A subgroup size of ", size, " is not supported by '", physical.name,
        "'; expected a power of two from ", limits.min_subgroup_size, " to ",
        limits.max_subgroup_size, "."));
  }
  ASSIGN_OR_RETURN(
      const std::shared_ptr<LogicalDevice> device,
      LogicalDevice::Open(std::move(instance), std::move(physical), options));
  ASSIGN_OR_RETURN(std::shared_ptr<Engine> engine, Engine::Create(device));
  ASSIGN_OR_RETURN(std::unique_ptr<PipelineCache> cache,
                   PipelineCache::Open(device));
  if (!cache->loaded().ok()) {
    device->Notice(absl::StrCat(
        "The pipeline cache was not used; pipelines are compiled again. ",
        cache->loaded().message()));
  }
  return Ref<hal::Device>(
      MakeRef<VulkanDevice>(device, std::move(engine), std::move(cache)));
}

}  // namespace eyrie::hal::vulkan
