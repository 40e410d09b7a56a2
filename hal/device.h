// A device: its allocator, executables and queues.
//
// Thread-safe. Every queue operation waits for its wait fence, runs, then
// signals its signal fence. It does not block the caller while it waits. An
// error fails the signal fence; if it is known before the call returns, it is
// also returned. An operation also fails if its call has used up its budget
// (paid_transfer.h). Either fence may be null. Device validates arguments
// (queue_validator.h) before it calls the driver's Do... functions.
// Tested by tests/devices/queue_rows.cc, device_group_test.cc.
#ifndef EYRIE_HAL_DEVICE_H_
#define EYRIE_HAL_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/command_buffer.h"
#include "hal/executable.h"
#include "hal/fence.h"
#include "hal/file.h"
#include "hal/semaphore.h"
#include "hal/types.h"

namespace eyrie::hal {

// The fences, limits and queues of one operation, borrowed for the call.
//
// A driver must release all that an operation retains, its memory charge
// included, before it signals or fails `signal`, because waiters may rely on
// it.
struct QueueFences {
  Fence* wait = nullptr;
  Fence* signal = nullptr;
  // Counts the bytes that an operation keeps while it waits; may be null.
  const std::shared_ptr<MemoryMeter>* memory = nullptr;
  // The budget that pays for commands and bytes; may be null (no limit).
  const std::shared_ptr<WorkBudget>* work = nullptr;
  // Identifies the operation for CancelQueued; may be null (no owner).
  const void* owner = nullptr;
  // The queues that may run it. Both 0 and kAnyQueue mean any queue.
  QueueAffinity affinity = kAnyQueue;

  // Returns null if nothing limits the operation's work.
  WorkBudget* budget() const { return work ? work->get() : nullptr; }

  // Charges `bytes` to `memory`. RESOURCE_EXHAUSTED: the limit is exceeded.
  absl::StatusOr<MemoryCharge> Charge(uint64_t bytes) const {
    if (memory == nullptr) return MemoryCharge();
    return MemoryCharge::Take(*memory, bytes, kWhat);
  }
  // Allocates a buffer for the operation's own use, which holds its charge.
  absl::StatusOr<Ref<Buffer>> Allocate(Allocator& allocator,
                                       const BufferParams& params,
                                       uint64_t size) const {
    return allocator.AllocateCharged(memory ? *memory : nullptr, kWhat, params,
                                     size);
  }
  // Rejects an operation: fails the signal fence, if any, and returns `status`.
  absl::Status Refuse(absl::Status status) const {
    if (signal != nullptr) signal->Fail(status);
    return status;
  }

 private:
  static constexpr char kWhat[] = "a queue operation";
};

class FenceBridge;

// Categories for Device::Query. The first asks whether the device runs machine
// code, for messages; the second whether its user permits native libraries,
// which run on the host; the third whether it would run executables of the
// format in `key` if system executables were allowed, for messages.
inline constexpr char kNativeCodeQuery[] = "eyrie.native_code";
inline constexpr char kNativeLibrariesQuery[] = "eyrie.native_libraries";
inline constexpr char kSystemFormatQuery[] = "eyrie.system_format";

class Device : public RefObject {
 public:
  static constexpr RefType kType{"hal.device"};

  // Returns the device's name within its driver, as in --device: "local-sync".
  virtual absl::string_view id() const = 0;
  virtual Allocator& allocator() = 0;
  // Returns the number of queues, 1 to 64.
  virtual int queue_count() const = 0;
  // INVALID_ARGUMENT: a bit names a queue that the device does not have;
  // kAnyQueue is always valid.
  absl::Status CheckAffinity(QueueAffinity affinity) const {
    if (affinity == kAnyQueue) [[likely]]
      return absl::OkStatus();
    return CheckQueues(affinity);
  }
  // Reports whether the queues can wait for the semaphore and signal it. The
  // device replaces other semaphores by its own, and the host forwards signals
  // between the two (FenceBridge in device.cc).
  bool TakesSemaphore(const Semaphore& semaphore) const {
    return takes_all_semaphores_ || TakesThis(semaphore);
  }
  bool takes_all_semaphores() const { return takes_all_semaphores_; }

  // Returns the device's answer to hal.device.query, or nullopt if it does not
  // know (category, key).
  virtual std::optional<int64_t> Query(absl::string_view category,
                                       absl::string_view key) const = 0;

  // Returns the executable formats that the device runs, for messages; empty if
  // they are not known.
  virtual std::vector<absl::string_view> executable_formats() const {
    return {};
  }

  // Creates a timeline that starts at `value`.
  virtual absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) = 0;
  // Creates a fence, not yet reached, on its own timeline.
  absl::StatusOr<Ref<Fence>> CreateFence();

  // Loads an executable. UNIMPLEMENTED: the device does not run this format;
  // the message names it and the formats it runs. INVALID_ARGUMENT: the data
  // are damaged.
  virtual absl::StatusOr<Ref<Executable>> CreateExecutable(
      const ExecutableParams& params) = 0;

  // Returns the error that CreateExecutable would return, as far as it can be
  // found without running, compiling or loading the executable; OK if none.
  virtual absl::Status CheckExecutable(const ExecutableParams&) const {
    return absl::OkStatus();
  }

  virtual absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) = 0;

  // Allocates memory that is valid from the signal fence of QueueAlloca until
  // the wait fence of QueueDealloca. Commands may name the buffer before that.
  absl::StatusOr<Ref<Buffer>> QueueAlloca(const QueueFences& fences,
                                          const BufferParams& params,
                                          uint64_t size);
  absl::Status QueueDealloca(const QueueFences& fences, Ref<Buffer> buffer);

  absl::Status QueueFill(const QueueFences& fences, const BufferRef& target,
                         std::span<const uint8_t> pattern);
  absl::Status QueueUpdate(const QueueFences& fences,
                           std::span<const uint8_t> source,
                           const BufferRef& target);
  absl::Status QueueCopy(const QueueFences& fences, const BufferRef& source,
                         const BufferRef& target);
  absl::Status QueueRead(const QueueFences& fences, Ref<File> source,
                         uint64_t source_offset, const BufferRef& target);
  absl::Status QueueWrite(const QueueFences& fences, const BufferRef& source,
                          Ref<File> target, uint64_t target_offset);
  absl::Status QueueBarrier(const QueueFences& fences);
  // Runs the commands; an indirect binding with slot i uses table[i]. Null
  // `commands` act as a barrier.
  absl::Status QueueExecute(const QueueFences& fences,
                            Ref<CommandBuffer> commands,
                            std::span<const BufferBinding> table);
  // Submits queued work to the device now.
  virtual absl::Status QueueFlush() = 0;
  // Fails the waiting operations of `owner` (not null) with CANCELLED. They
  // might otherwise wait forever, for fences that only this owner would have
  // signalled.
  virtual void CancelQueued(const void* owner) = 0;

 protected:
  explicit Device(bool takes_all_semaphores)
      : RefObject(kType), takes_all_semaphores_(takes_all_semaphores) {}
  ~Device() override { fences_->Close(); }

  virtual absl::StatusOr<Ref<Buffer>> DoAlloca(const QueueFences& fences,
                                               const BufferParams& params,
                                               uint64_t size) = 0;
  virtual absl::Status DoDealloca(const QueueFences& fences,
                                  Ref<Buffer> buffer) = 0;
  virtual absl::Status DoRead(const QueueFences& fences, Ref<File> source,
                              uint64_t source_offset,
                              const BufferRef& target) = 0;
  virtual absl::Status DoWrite(const QueueFences& fences,
                               const BufferRef& source, Ref<File> target,
                               uint64_t target_offset) = 0;
  virtual absl::Status DoBarrier(const QueueFences& fences) = 0;
  virtual absl::Status DoExecute(const QueueFences& fences,
                                 Ref<CommandBuffer> commands,
                                 std::span<const BufferBinding> table) = 0;

  // Implements TakesSemaphore for devices that do not take all semaphores.
  virtual bool TakesThis(const Semaphore&) const { return true; }

 private:
  absl::Status CheckQueues(QueueAffinity affinity) const;
  // Validates affinity and fences, and replaces fences that the device cannot
  // use; `bridge` owns the replacements. On error, Begin also fails the signal
  // fence; Check does not.
  absl::Status Check(FenceBridge& bridge);
  absl::Status Begin(FenceBridge& bridge);
  // Queues the one command that `record` adds to a command buffer.
  template <typename Record>
  absl::Status QueueOne(const QueueFences& fences, Record record);

  const bool takes_all_semaphores_;
  const Ref<FenceStore> fences_ = MakeRef<FenceStore>();
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DEVICE_H_
