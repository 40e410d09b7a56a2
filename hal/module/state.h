// The state of the `hal` module in a context: its devices and allocations.
#ifndef EYRIE_HAL_MODULE_STATE_H_
#define EYRIE_HAL_MODULE_STATE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/buffer_view.h"
#include "hal/collectives/channel.h"
#include "hal/device.h"
#include "hal/device_group.h"
#include "hal/dispatch_observer.h"
#include "hal/paid_transfer.h"
#include "hal/types.h"
#include "vm/module/module.h"

namespace eyrie::hal {

// An embedder's options for the `hal` module. Immutable once the module is
// created. The functions are called on the thread of any context.
struct HalModuleOptions {
  // Called by buffer_view.trace with its key and at least one tensor, none of
  // them null; both are borrowed for the call. If empty, traces are dropped.
  std::function<void(absl::string_view key,
                     std::span<BufferView* const> tensors)>
      trace;
  // Called when a device answers a module's query of its name or executable
  // formats with no: ("hal.device.id", "vulkan*") or ("hal.executable.format",
  // "embedded-elf-arm_64"). May be empty.
  std::function<void(absl::string_view category, absl::string_view key)>
      query_refused;
  // Creates channels to other ranks; null: this process is the only rank.
  std::shared_ptr<ChannelProvider> collectives;
  // Sees the dispatches of programs. Must outlive the module; may be null.
  DispatchObserver* observer = nullptr;
};

// The module's devices, in the order in which programs index them, and options.
struct HalModuleConfig {
  DeviceGroup group;
  HalModuleOptions options;
};

// The state of one context. Only the context's thread may use it.
class HalModuleState : public vm::ModuleState {
 public:
  explicit HalModuleState(std::shared_ptr<const HalModuleConfig> config);
  // Cancels the context's queued operations that are still waiting.
  ~HalModuleState() override;

  const DeviceGroup& group() const { return config_->group; }
  std::span<const Ref<Device>> devices() const { return group().devices(); }
  const HalModuleOptions& options() const { return config_->options; }

  // Returns the params of a new buffer: the bits that modules pass, and this
  // context as the owner.
  BufferParams CreateParams(const Allocator& allocator, int32_t memory_types,
                            int32_t buffer_usage, int64_t queue_affinity) const;

  // Shows a new buffer to the observer, if there is one. Fails as it does.
  absl::StatusOr<Ref<Buffer>> Observed(
      absl::StatusOr<Ref<Buffer>> allocated) const;
  // Allocates a buffer and charges it to the context. RESOURCE_EXHAUSTED: the
  // memory limit is exceeded. Else as Allocator::Allocate.
  absl::StatusOr<Ref<Buffer>> Allocate(Allocator& allocator,
                                       const BufferParams& params,
                                       uint64_t size) const;
  // Takes fuel for `bytes` bytes, allocates a buffer that the host can write,
  // and copies them to it. Adds the memory type and usage that this needs. Else
  // as Allocate and WriteBytes.
  absl::StatusOr<Ref<Buffer>> AllocateCopy(Allocator& allocator,
                                           BufferParams params,
                                           std::span<const uint8_t> bytes);
  // Writes `bytes` to the begin of a buffer, and takes fuel for them. Stops
  // soon if the call must stop. Fails as Work and Buffer::Map.
  absl::Status WriteBytes(Buffer& target, std::span<const uint8_t> bytes);
  // Charges bytes to the context; `what` names their use in messages.
  // RESOURCE_EXHAUSTED: the memory limit is exceeded.
  absl::StatusOr<MemoryCharge> Charge(uint64_t bytes,
                                      absl::string_view what) const {
    return MemoryCharge::Take(memory(), bytes, what);
  }
  // Charges bytes for a new object, which then holds the charge. Returns the
  // object.
  template <typename T>
  absl::StatusOr<Ref<T>> Charged(absl::StatusOr<Ref<T>> object, uint64_t bytes,
                                 absl::string_view what) const {
    if (memory() == nullptr || !object.ok() || !*object) [[likely]]
      return object;
    ASSIGN_OR_RETURN(MemoryCharge charge, Charge(bytes, what));
    (*object)->Hold(std::move(charge));
    return object;
  }
  // Returns a range of a buffer, and charges for a new object if it is not the
  // whole buffer.
  absl::StatusOr<Ref<Buffer>> Subspan(Buffer& source, uint64_t offset,
                                      uint64_t length) const;
  // Takes fuel for work on a fence's points if there are many.
  absl::Status WorkOnPoints(const Fence* fence) {
    if (!HasManyPoints(fence)) [[likely]]
      return absl::OkStatus();
    return Work(static_cast<uint32_t>(fence->points().size() / kPointsPerUnit));
  }
  // Returns the fences of a queue operation, with the context's meter, budget
  // and owner. If their points use up the fuel, the next branch or call of the
  // program reports it.
  QueueFences Fences(Fence* wait, Fence* signal, int64_t affinity = -1) {
    if (HasManyPoints(wait) || HasManyPoints(signal)) [[unlikely]]
      WorkOnManyPoints(wait, signal);
    return {wait,      signal,
            &memory(), meter() != nullptr ? &meter()->work() : nullptr,
            this,      static_cast<QueueAffinity>(affinity)};
  }

 private:
  // Fences with fewer points take no fuel.
  static constexpr size_t kPointsPerUnit = 16;

  static bool HasManyPoints(const Fence* fence) {
    return fence != nullptr && fence->points().size() >= kPointsPerUnit;
  }
  // Separate, so that Fences can be inlined.
  void WorkOnManyPoints(const Fence* wait, const Fence* signal);

  // The owner ids by allocator. There is one per device, so usually one in all.
  struct Owner {
    const Allocator* allocator;
    uint64_t id;
  };

  std::shared_ptr<const HalModuleConfig> config_;
  std::vector<Owner> owners_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_STATE_H_
