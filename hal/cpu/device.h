// CPU devices: host memory, and executables of native code.
//
// The synchronous device runs operations one after another, on the thread that
// makes them ready; task/device.h shares them between threads.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_DEVICE_H_
#define EYRIE_HAL_CPU_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/cpu/allocator.h"
#include "hal/cpu/isolation.h"
#include "hal/cpu/rank_run.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/forked_device.h"
#include "hal/operation_queue.h"

namespace eyrie::hal::cpu {

// The base class of CPU devices, which can use each other's executables and
// buffers. A subclass decides how commands run.
class CpuDevice : public hal::Device {
 public:
  hal::Allocator& allocator() override { return *allocator_; }
  // All queues use the same threads, and only fences order operations, so any
  // number of queues is allowed.
  int queue_count() const override { return 64; }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override;
  std::vector<absl::string_view> executable_formats() const override;
  absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) override;
  absl::StatusOr<Ref<hal::Executable>> CreateExecutable(
      const ExecutableParams& params) override;
  absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) override;
  absl::Status QueueFlush() override { return absl::OkStatus(); }
  void CancelQueued(const void* owner) override {
    queue_->Cancel(owner);
    rank_runs_->Cancel(owner);
  }

 protected:
  explicit CpuDevice(const DriverOptions& options)
      : hal::Device(/*takes_all_semaphores=*/true),
        options_(options),
        isolated_(options.Of<Isolation>().process) {}
  ~CpuDevice() override { CpuDevice::CancelQueued(nullptr); }

  // Returns the number of threads that run a dispatch.
  virtual int concurrency() const = 0;
  // Runs `body`, which moves `bytes` bytes and charges for them, between the
  // fences. `body` must own all that it needs.
  virtual absl::Status Transfer(const QueueFences& fences, uint64_t bytes,
                                OperationQueue::Body body);

  // Runs commands that communicate with other ranks, between the fences.
  absl::Status ExecuteWithRanks(const QueueFences& fences,
                                Ref<CommandBuffer> commands,
                                std::span<const BufferBinding> table,
                                std::shared_ptr<SegmentRunner> runner);

  // Refuses an operation if the isolated process is that of a parent.
  absl::Status CheckIsolated(const QueueFences& fences) const {
    if (isolated_ == nullptr || !isolated_->IsForked()) [[likely]]
      return absl::OkStatus();
    return fences.Refuse(CheckProcess(*this));
  }

  const DriverOptions options_;
  const std::shared_ptr<const IsolatedProcess> isolated_;  // may be null
  const Ref<Allocator> allocator_ =
      MakeRef<Allocator>(options_.host_memory, options_.max_idle_memory);
  const std::shared_ptr<OperationQueue> queue_ =
      std::make_shared<OperationQueue>();
  const std::shared_ptr<RankRuns> rank_runs_ = std::make_shared<RankRuns>();

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
};

// Creates a "local-sync" device with its own allocator.
Ref<hal::Device> CreateSyncDevice(const DriverOptions& options);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DEVICE_H_
