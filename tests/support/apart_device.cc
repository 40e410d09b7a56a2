// Wraps buffers and semaphores. Unwraps only those of this device.
#include "tests/support/apart_device.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/command_buffer.h"

namespace eyrie::tests {
namespace {

using hal::Buffer;
using hal::BufferBinding;
using hal::BufferParams;
using hal::BufferRef;
using hal::QueueFences;
using hal::Semaphore;

// Returns an affinity that marks a device's buffers and is never used twice.
uint64_t NewMark() {
  static std::atomic<uint64_t> next{uint64_t{1} << 40};
  return next.fetch_add(1);
}

class ApartBuffer final : public Buffer {
 public:
  ApartBuffer(const BufferParams& params, Ref<Buffer> inner, bool is_seen)
      : Buffer(params, inner->byte_length(),
               is_seen ? inner->host_data() : nullptr),
        inner_(std::move(inner)) {}
  const Ref<Buffer>& inner() const { return inner_; }

 private:
  Ref<Buffer> inner_;
};

class ApartAllocator final : public hal::Allocator {
 public:
  ApartAllocator(Ref<hal::Device> inner, Sight sight)
      : inner_(std::move(inner)), sight_(sight) {}

  absl::StatusOr<Ref<Buffer>> Allocate(const BufferParams& params,
                                       uint64_t size) override {
    return Wrap(params, inner_->allocator().Allocate(params, size));
  }
  absl::StatusOr<Ref<Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override {
    return Wrap(params, inner_->allocator().ImportHost(params, bytes,
                                                       std::move(release)));
  }
  bool CanUse(const Buffer& buffer) const override {
    return buffer.params().affinity == mark_;
  }
  uint64_t Footprint(uint64_t size) const override {
    return sizeof(ApartBuffer) + inner_->allocator().Footprint(size);
  }
  hal::AllocatorStatistics statistics() const override {
    return inner_->allocator().statistics();
  }
  uint64_t NewOwner() override { return inner_->allocator().NewOwner(); }

  absl::StatusOr<Ref<Buffer>> Wrap(const BufferParams& asked,
                                   absl::StatusOr<Ref<Buffer>> inner) const {
    RETURN_IF_ERROR(inner.status());
    BufferParams params = (*inner)->params();
    params.affinity = mark_;
    const bool is_seen = sight_ == Sight::kAll ||
                         (asked.type & hal::memory_type::kHostVisible) != 0;
    if (!is_seen) params.type = asked.type;
    return Ref<Buffer>(
        MakeRef<ApartBuffer>(params, *std::move(inner), is_seen));
  }
  // Converts a range to the inner device's. INTERNAL: it belongs to another
  // device.
  absl::Status Unwrap(const Buffer& buffer, Buffer*& inner,
                      uint64_t& offset) const {
    if (!CanUse(buffer)) {
      return absl::InternalError(absl::StrCat(
          "A buffer of ", buffer.byte_length(), " bytes is another device's."));
    }
    offset += buffer.byte_offset();
    inner = static_cast<const ApartBuffer&>(buffer.allocation()).inner().get();
    return absl::OkStatus();
  }

 private:
  const Ref<hal::Device> inner_;
  const Sight sight_;
  const uint64_t mark_ = NewMark();
};

// The device's live semaphores.
struct Registry {
  std::mutex mutex;
  std::set<const Semaphore*> own;
};

class ApartSemaphore final : public Semaphore {
 public:
  ApartSemaphore(Ref<Semaphore> inner, std::shared_ptr<Registry> registry)
      : inner_(std::move(inner)), registry_(std::move(registry)) {
    const std::lock_guard<std::mutex> lock(registry_->mutex);
    registry_->own.insert(this);
  }
  ~ApartSemaphore() override {
    const std::lock_guard<std::mutex> lock(registry_->mutex);
    registry_->own.erase(this);
  }

  absl::StatusOr<uint64_t> Query() override { return inner_->Query(); }
  absl::Status Signal(uint64_t value) override { return inner_->Signal(value); }
  void Fail(absl::Status status) override { inner_->Fail(std::move(status)); }
  absl::Status Wait(uint64_t value, Deadline deadline) override {
    return inner_->Wait(value, deadline);
  }
  void OnReached(uint64_t value, Callback callback) override {
    inner_->OnReached(value, std::move(callback));
  }

 private:
  const Ref<Semaphore> inner_;
  const std::shared_ptr<Registry> registry_;
};

class ApartDevice final : public hal::Device {
 public:
  ApartDevice(const Ref<hal::Device>& inner, Sight sight)
      : hal::Device(/*takes_all_semaphores=*/false),
        inner_(inner),
        allocator_(MakeRef<ApartAllocator>(inner, sight)) {}

  absl::string_view id() const override { return inner_->id(); }
  hal::Allocator& allocator() override { return *allocator_; }
  int queue_count() const override { return 2; }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override {
    return inner_->Query(category, key);
  }
  absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) override {
    ASSIGN_OR_RETURN(Ref<Semaphore> inner, inner_->CreateSemaphore(value));
    return Ref<Semaphore>(MakeRef<ApartSemaphore>(std::move(inner), registry_));
  }
  absl::StatusOr<Ref<hal::Executable>> CreateExecutable(
      const hal::ExecutableParams& params) override {
    return inner_->CreateExecutable(params);
  }
  absl::StatusOr<Ref<hal::CommandBuffer>> CreateCommandBuffer(
      hal::CommandBufferMode mode, hal::QueueAffinity affinity,
      uint32_t binding_capacity) override {
    return inner_->CreateCommandBuffer(mode, affinity, binding_capacity);
  }
  absl::Status QueueFlush() override { return inner_->QueueFlush(); }
  void CancelQueued(const void* owner) override { inner_->CancelQueued(owner); }

 protected:
  bool TakesThis(const Semaphore& semaphore) const override {
    const std::lock_guard<std::mutex> lock(registry_->mutex);
    return registry_->own.count(&semaphore) != 0;
  }
  absl::StatusOr<Ref<Buffer>> DoAlloca(const QueueFences& fences,
                                       const BufferParams& params,
                                       uint64_t size) override {
    return allocator_->Wrap(params, inner_->QueueAlloca(fences, params, size));
  }
  absl::Status DoDealloca(const QueueFences& fences,
                          Ref<Buffer> buffer) override {
    ASSIGN_OR_RETURN(const BufferRef own, Own(fences, {buffer, 0, 0, 0}));
    return inner_->QueueDealloca(fences, own.buffer);
  }
  absl::Status DoRead(const QueueFences& fences, Ref<hal::File> source,
                      uint64_t source_offset,
                      const BufferRef& target) override {
    ASSIGN_OR_RETURN(const BufferRef own, Own(fences, target));
    return inner_->QueueRead(fences, std::move(source), source_offset, own);
  }
  absl::Status DoWrite(const QueueFences& fences, const BufferRef& source,
                       Ref<hal::File> target, uint64_t target_offset) override {
    ASSIGN_OR_RETURN(const BufferRef own, Own(fences, source));
    return inner_->QueueWrite(fences, own, std::move(target), target_offset);
  }
  absl::Status DoBarrier(const QueueFences& fences) override {
    return inner_->QueueBarrier(fences);
  }
  absl::Status DoExecute(const QueueFences& fences,
                         Ref<hal::CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;

 private:
  absl::StatusOr<BufferRef> Own(const QueueFences& fences, BufferRef ref) {
    Buffer* inner = nullptr;
    const absl::Status status =
        allocator_->Unwrap(*ref.buffer, inner, ref.offset);
    if (!status.ok() && fences.signal) fences.signal->Fail(status);
    RETURN_IF_ERROR(status);
    ref.buffer = Ref<Buffer>::Share(inner);
    return ref;
  }

  const Ref<hal::Device> inner_;
  const Ref<ApartAllocator> allocator_;
  const std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
};

absl::Status ApartDevice::DoExecute(const QueueFences& fences,
                                    Ref<hal::CommandBuffer> commands,
                                    std::span<const BufferBinding> table) {
  absl::Status status;
  const auto unwrap = [&](hal::RecordedRef& ref) {
    if (ref.buffer == nullptr || !status.ok()) return;
    status = allocator_->Unwrap(*ref.buffer, ref.buffer, ref.offset);
  };
  auto own = commands->CopyWith(unwrap, {}, {});
  RETURN_IF_ERROR(own.status());
  std::vector<BufferBinding> bindings(table.begin(), table.end());
  for (BufferBinding& binding : bindings) {
    if (!binding.buffer || !status.ok()) continue;
    if (binding.length == hal::kWholeBuffer) {
      binding.length = binding.buffer->byte_length() - binding.offset;
    }
    Buffer* inner = nullptr;
    status = allocator_->Unwrap(*binding.buffer, inner, binding.offset);
    binding.buffer = inner;
  }
  if (status.ok()) return inner_->QueueExecute(fences, *own, bindings);
  if (fences.signal) fences.signal->Fail(status);
  return status;
}

}  // namespace

Ref<hal::Device> CreateApartDevice(const Ref<hal::Device>& inner, Sight sight) {
  return MakeRef<ApartDevice>(inner, sight);
}

}  // namespace eyrie::tests
