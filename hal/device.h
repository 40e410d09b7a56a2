// One device: its allocator, executables and queues.
//
// Thread-safe. Every queue operation waits for its wait fence, runs, then
// signals its signal fence; it never blocks for the wait. Whatever goes wrong
// fails the signal fence, and is returned as well if it is known by then; so
// does an operation whose call may do no more work (paid_transfer.h). Null
// fences are allowed: no wait, nobody to tell. queue_validator.h checks
// arguments once above all drivers; drivers implement the Do... functions.
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
#include "hal/fence_store.h"
#include "hal/file.h"
#include "hal/semaphore.h"
#include "hal/types.h"

namespace eyrie::hal {

// The fences around one queue operation, borrowed for the call.
struct QueueFences {
  Fence* wait = nullptr;
  Fence* signal = nullptr;
  // Counts what an operation keeps until its wait is over; may be null.
  const std::shared_ptr<MemoryMeter>* memory = nullptr;
  // What the operation pays for its commands and bytes; may be null.
  const std::shared_ptr<WorkBudget>* work = nullptr;
  // Whose operation it is, for CancelQueued; null: nobody's.
  const void* owner = nullptr;
  // Which of the device's queues may run it; 0 and kAnyQueue: any.
  QueueAffinity affinity = kAnyQueue;

  // Null: nothing limits it.
  WorkBudget* budget() const { return work ? work->get() : nullptr; }

  // RESOURCE_EXHAUSTED: the bytes pass the limit.
  absl::StatusOr<MemoryCharge> Charge(uint64_t bytes) const {
    if (memory == nullptr) return MemoryCharge();
    return MemoryCharge::Take(*memory, bytes, kWhat);
  }
  // A buffer for the operation's own use, which holds its charge.
  absl::StatusOr<Ref<Buffer>> Allocate(Allocator& allocator,
                                       const BufferParams& params,
                                       uint64_t size) const {
    return allocator.AllocateCharged(memory ? *memory : nullptr, kWhat, params,
                                     size);
  }
  // Ends an operation that cannot be queued: fails the signal fence, if there
  // is one, and returns the status.
  absl::Status Refuse(absl::Status status) const {
    if (signal != nullptr) signal->Fail(status);
    return status;
  }

 private:
  static constexpr char kWhat[] = "a queue operation";
};

class FenceBridge;

// True if `name` is what `pattern` says: '*' stands for any text, '?' for any
// one character. How modules ask for devices by id.
bool MatchesPattern(absl::string_view name, absl::string_view pattern);

// Asked of a device as categories, for messages. Whether it runs machine code;
// whether it would run the format that is the key if it were allowed to.
inline constexpr char kNativeCodeQuery[] = "eyrie.native_code";
inline constexpr char kSystemFormatQuery[] = "eyrie.system_format";

class Device : public RefObject {
 public:
  static constexpr RefType kType{"hal.device"};

  // The device's name within a driver, as in --device: "local-sync".
  virtual absl::string_view id() const = 0;
  virtual Allocator& allocator() = 0;
  // How many queues there are, 1 to 64. An affinity names no others.
  virtual int queue_count() const = 0;
  // INVALID_ARGUMENT: bits past the device's queues; but kAnyQueue is any.
  absl::Status CheckAffinity(QueueAffinity affinity) const {
    if (affinity == kAnyQueue) [[likely]]
      return absl::OkStatus();
    return CheckQueues(affinity);
  }
  // True if the queues can wait for the semaphore and signal it. For others
  // they get semaphores of the device's own, which the host keeps in step
  // (fence_bridge.h).
  bool TakesSemaphore(const Semaphore& semaphore) const {
    return takes_all_semaphores_ || TakesThis(semaphore);
  }
  bool takes_all_semaphores() const { return takes_all_semaphores_; }

  // What the device says of (category, key), as modules ask by
  // hal.device.query; nullopt for what it does not know.
  virtual std::optional<int64_t> Query(absl::string_view category,
                                       absl::string_view key) const = 0;

  // Formats of executables that run, for messages; empty: not known.
  virtual std::vector<absl::string_view> executable_formats() const {
    return {};
  }

  // A timeline that starts at `value`.
  virtual absl::StatusOr<Ref<Semaphore>> CreateSemaphore(uint64_t value) = 0;
  // A fence, not yet reached, on a timeline of its own.
  absl::StatusOr<Ref<Fence>> CreateFence();

  // UNIMPLEMENTED: a format this device does not run; the sentence names it
  // and those it does. INVALID_ARGUMENT: damaged data.
  virtual absl::StatusOr<Ref<Executable>> CreateExecutable(
      const ExecutableParams& params) = 0;

  // OK, or an error that CreateExecutable would have, as far as it can be told
  // without running, compiling or keeping any of it.
  virtual absl::Status CheckExecutable(const ExecutableParams&) const {
    return absl::OkStatus();
  }

  virtual absl::StatusOr<Ref<CommandBuffer>> CreateCommandBuffer(
      CommandBufferMode mode, QueueAffinity affinity,
      uint32_t binding_capacity) = 0;

  // Memory that exists from the signal fence of QueueAlloca to the wait fence
  // of QueueDealloca. The buffer object may be recorded before then.
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
  // Runs the commands with slot i of the table for each indirect binding.
  // No commands at all are a barrier.
  absl::Status QueueExecute(const QueueFences& fences,
                            Ref<CommandBuffer> commands,
                            std::span<const BufferBinding> table);
  // Hands queued work to the device now.
  virtual absl::Status QueueFlush() = 0;
  // Fails, with CANCELLED, what an owner (not null) has queued and still waits:
  // what it would have signalled may be all that could let it begin.
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

  // Of a device that does not take all: what TakesSemaphore says.
  virtual bool TakesThis(const Semaphore&) const { return true; }

 private:
  absl::Status CheckQueues(QueueAffinity affinity) const;
  // Checks what surrounds an operation, and puts fences that the device can
  // use in place of others; `bridge` keeps these. Begin fails the signal fence.
  absl::Status Check(FenceBridge& bridge);
  absl::Status Begin(FenceBridge& bridge);
  // Queues the one command that `record` records.
  template <typename Record>
  absl::Status QueueOne(const QueueFences& fences, Record record);

  const bool takes_all_semaphores_;
  const Ref<FenceStore> fences_ = MakeRef<FenceStore>();
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DEVICE_H_
