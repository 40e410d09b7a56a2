// A device for tests of code above drivers: it runs nothing, and logs all
// requests in order, as text.
//
// Memory is host memory; fences are signalled at once. Queue operations are
// validated as for every driver.
#ifndef EYRIE_HAL_MODULE_TESTING_FAKE_DEVICE_H_
#define EYRIE_HAL_MODULE_TESTING_FAKE_DEVICE_H_

#include <string>
#include <utility>
#include <vector>

#include "hal/device.h"

namespace eyrie::hal {

// Exports "first" (2 constants, 1 binding) and "second" (none of either).
class FakeExecutable final : public Executable {
 public:
  std::span<const ExportInfo> exports() const override { return exports_; }

 private:
  ExportInfo exports_[2] = {{"first", 2, 1, {1, 1, 1}},
                            {"second", 0, 0, {1, 1, 1}}};
};

class FakeAllocator final : public Allocator {
 public:
  absl::StatusOr<Ref<Buffer>> Allocate(const BufferParams& params,
                                       uint64_t size) override;
  // UNAVAILABLE: memory that is not aligned to 64 bytes.
  absl::StatusOr<Ref<Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override;
  uint64_t Footprint(uint64_t size) const override { return size; }
  bool CanUse(const Buffer&) const override { return true; }
  AllocatorStatistics statistics() const override { return {}; }
  uint64_t NewOwner() override { return ++owners_; }

 private:
  uint64_t owners_ = 0;
};

class FakeDevice : public Device {
 public:
  FakeDevice() : Device(/*takes_all_semaphores=*/true) {}
  absl::string_view id() const override { return "fake"; }
  Allocator& allocator() override { return *allocator_; }
  int queue_count() const override { return 2; }
  // Answers ("device", "answer") with 42.
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override;
  absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) override;
  absl::StatusOr<Ref<Executable>> CreateExecutable(
      const ExecutableParams& params) override;
  absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) override;
  absl::Status QueueFlush() override;
  void CancelQueued(const void*) override {}

  // Returns the requests since the last call: "alloca 16; barrier".
  std::string TakeLog() { return std::exchange(log_, ""); }

 protected:
  absl::StatusOr<Ref<Buffer>> DoAlloca(const QueueFences& fences,
                                       const BufferParams& params,
                                       uint64_t size) override;
  absl::Status DoDealloca(const QueueFences& fences,
                          Ref<Buffer> buffer) override;
  absl::Status DoRead(const QueueFences& fences, Ref<File> source,
                      uint64_t source_offset, const BufferRef& target) override;
  absl::Status DoWrite(const QueueFences& fences, const BufferRef& source,
                       Ref<File> target, uint64_t target_offset) override;
  absl::Status DoBarrier(const QueueFences& fences) override;
  absl::Status DoExecute(const QueueFences& fences, Ref<CommandBuffer> commands,
                         std::span<const BufferBinding> table) override;

 private:
  absl::Status Note(const QueueFences& fences, const std::string& text);

  Ref<FakeAllocator> allocator_ = MakeRef<FakeAllocator>();
  std::string log_;
};

// Returns a command buffer's commands as text: "fill 0+4 of 16 with 7".
std::string CommandText(const CommandBuffer& commands);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_TESTING_FAKE_DEVICE_H_
