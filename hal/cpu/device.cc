// The synchronous CPU device.
//
// Tested by device_test.cc.
#include "hal/cpu/device.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "hal/cpu/allocator.h"
#include "hal/cpu/cpu_features.h"
#include "hal/cpu/executable.h"
#include "hal/cpu/executor.h"
#include "hal/cpu/queue.h"
#include "hal/host_semaphore.h"

namespace eyrie::hal::cpu {
namespace {

absl::Status Nothing() { return absl::OkStatus(); }

Queue::Body LaterNothing() { return Nothing; }

class SyncDevice final : public hal::Device {
 public:
  explicit SyncDevice(const DriverOptions& options) : options_(options) {}
  ~SyncDevice() override { queue_->Cancel(nullptr); }

  absl::string_view id() const override { return "local-sync"; }
  hal::Allocator& allocator() override { return *allocator_; }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override;
  absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) override {
    return Ref<Semaphore>(MakeRef<HostSemaphore>(value));
  }
  absl::StatusOr<Ref<hal::Executable>> CreateExecutable(
      const ExecutableParams& params) override;
  absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) override {
    return MakeRef<CommandBuffer>(mode, affinity, binding_capacity);
  }
  absl::Status QueueFlush() override { return absl::OkStatus(); }
  void CancelQueued(const void* owner) override { queue_->Cancel(owner); }

 private:
  absl::StatusOr<Ref<hal::Buffer>> DoAlloca(QueueFences fences,
                                            const BufferParams& params,
                                            uint64_t size) override;
  absl::Status DoDealloca(QueueFences fences, Ref<hal::Buffer> buffer) override;
  absl::Status DoRead(QueueFences fences, Ref<File> source,
                      uint64_t source_offset, const BufferRef& target) override;
  absl::Status DoWrite(QueueFences fences, const BufferRef& source,
                       Ref<File> target, uint64_t target_offset) override;
  absl::Status DoBarrier(QueueFences fences) override;
  absl::Status DoExecute(QueueFences fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;

  const DriverOptions options_;
  const Ref<Allocator> allocator_ = MakeRef<Allocator>();
  const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

std::optional<int64_t> SyncDevice::Query(absl::string_view category,
                                         absl::string_view key) const {
  if (category == "hal.device.id") return MatchesPattern(id(), key);
  if (category == "hal.executable.format") {
    return SupportsFormat(key, options_);
  }
  if (category == "hal.device" || category == "hal.dispatch") {
    if (key == "concurrency") return 1;
    return std::nullopt;
  }
  if (category == kNativeCodeQuery) return options_.allow_native_code;
  if (category == "hal.cpu") return CpuFeature(key);
  return std::nullopt;
}

absl::StatusOr<Ref<hal::Executable>> SyncDevice::CreateExecutable(
    const ExecutableParams& params) {
  return LoadExecutable(params, options_);
}

absl::StatusOr<Ref<hal::Buffer>> SyncDevice::DoAlloca(
    QueueFences fences, const BufferParams& params, uint64_t size) {
  // The memory is there from now on; what waits is only the signal.
  absl::StatusOr<Ref<hal::Buffer>> buffer = allocator_->Allocate(params, size);
  if (!buffer.ok()) [[unlikely]] fences.wait = nullptr;
  RETURN_IF_ERROR(queue_->Submit(
      fences, [&] { return buffer.status(); }, LaterNothing));
  return buffer;
}

absl::Status SyncDevice::DoDealloca(QueueFences fences,
                                    Ref<hal::Buffer> buffer) {
  // Memory goes back with its last reference: a result that still holds the
  // buffer keeps it, and no later allocation can come to share it.
  return queue_->Submit(fences, Nothing, LaterNothing);
}

absl::Status SyncDevice::DoRead(QueueFences fences, Ref<File> source,
                                uint64_t source_offset,
                                const BufferRef& target) {
  // Owns what it needs, so that it can run now as well as later.
  const auto read = [source = std::move(source), source_offset,
                     target]() -> absl::Status {
    ASSIGN_OR_RETURN(
        const std::span<uint8_t> bytes,
        target.buffer->Map(memory_access::kWrite, target.offset,
                           target.length));
    return source->Read(source_offset, bytes);
  };
  return queue_->Submit(fences, read, [&]() -> Queue::Body { return read; });
}

absl::Status SyncDevice::DoWrite(QueueFences fences, const BufferRef& source,
                                 Ref<File> target, uint64_t target_offset) {
  const auto write = [source, target = std::move(target),
                      target_offset]() -> absl::Status {
    ASSIGN_OR_RETURN(
        const std::span<uint8_t> bytes,
        source.buffer->Map(memory_access::kRead, source.offset, source.length));
    return target->Write(target_offset, bytes);
  };
  return queue_->Submit(fences, write, [&]() -> Queue::Body { return write; });
}

absl::Status SyncDevice::DoBarrier(QueueFences fences) {
  return queue_->Submit(fences, Nothing, LaterNothing);
}

absl::Status SyncDevice::DoExecute(QueueFences fences,
                                   Ref<CommandBuffer> commands,
                                   std::span<const BufferBinding> table) {
  return queue_->Submit(
      fences, [&] { return Execute(*commands, table, *allocator_); },
      [&]() -> Queue::Body {
        return [commands = std::move(commands), allocator = allocator_,
                table = std::vector<BufferBinding>(table.begin(),
                                                   table.end())] {
          return Execute(*commands, table, *allocator);
        };
      },
      table.size_bytes());
}

}  // namespace

Ref<hal::Device> MakeSyncDevice(const DriverOptions& options) {
  return MakeRef<SyncDevice>(options);
}

}  // namespace eyrie::hal::cpu
