// What the imports of the `hal` module work on: the devices of a context.
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
#include "hal/paid_transfer.h"
#include "hal/types.h"
#include "vm/module.h"

namespace eyrie::hal {

// What an embedder gives to the `hal` module. Immutable once the module is
// made; the function must be safe to call from every context's thread.
struct HalModuleOptions {
  // Called by buffer_view.trace with its key and at least one tensor, none
  // null; they are borrowed for the call. Empty: traces are dropped.
  std::function<void(absl::string_view key,
                     std::span<BufferView* const> tensors)>
      trace;
  // Called with each question of a module's about a device's name or the
  // executables it runs that the device answers with no: "hal.device.id",
  // "vulkan*" or "hal.executable.format", "embedded-elf-arm_64".
  std::function<void(absl::string_view category, absl::string_view key)>
      query_refused;
  // What makes channels to other ranks; null: this process is alone.
  std::shared_ptr<ChannelProvider> collectives;
};

// The module's devices, in the order modules index them, and its options.
struct HalModuleConfig {
  DeviceGroup group;
  HalModuleOptions options;
};

// One per context. Only the context's thread uses it.
class HalModuleState : public vm::ModuleState {
 public:
  explicit HalModuleState(std::shared_ptr<const HalModuleConfig> config);
  // Cancels what the context has queued and still waits.
  ~HalModuleState() override;

  const DeviceGroup& group() const { return config_->group; }
  std::span<const Ref<Device>> devices() const { return group().devices(); }
  const HalModuleOptions& options() const { return config_->options; }

  // What a new buffer of this context is: bits as modules pass them, and this
  // context as the owner.
  BufferParams CreateParams(const Allocator& allocator, int32_t memory_types,
                            int32_t buffer_usage, int64_t queue_affinity) const;

  // A buffer of this context, charged for. RESOURCE_EXHAUSTED: its memory
  // limit, else as the allocator.
  absl::StatusOr<Ref<Buffer>> Allocate(Allocator& allocator,
                                       const BufferParams& params,
                                       uint64_t size) const;
  // Takes bytes that `what` is going to need. RESOURCE_EXHAUSTED.
  absl::StatusOr<MemoryCharge> Charge(uint64_t bytes,
                                      absl::string_view what) const {
    return MemoryCharge::Take(memory(), bytes, what);
  }
  // The same for an object that was just made; gives the object back.
  template <typename T>
  absl::StatusOr<Ref<T>> Charged(absl::StatusOr<Ref<T>> object, uint64_t bytes,
                                 absl::string_view what) const {
    if (memory() == nullptr || !object.ok() || !*object) [[likely]]
      return object;
    ASSIGN_OR_RETURN(MemoryCharge charge, Charge(bytes, what));
    (*object)->Hold(std::move(charge));
    return object;
  }
  // A range of a buffer, charged for if it is not all of it.
  absl::StatusOr<Ref<Buffer>> Subspan(Buffer& source, uint64_t offset,
                                      uint64_t length) const;
  // Takes fuel for what an import does to a fence's points, if they are many.
  absl::Status WorkOnPoints(const Fence* fence) {
    if (!HasManyPoints(fence)) [[likely]]
      return absl::OkStatus();
    return Work(static_cast<uint32_t>(fence->points().size() / kPointsPerUnit));
  }
  // Fences of a queue operation, which counts what it keeps and does. If their
  // points take the rest of the fuel, the next branch or call says so.
  QueueFences Fences(Fence* wait, Fence* signal, int64_t affinity = -1) {
    if (HasManyPoints(wait) || HasManyPoints(signal)) [[unlikely]]
      WorkOnManyPoints(wait, signal);
    return {wait,      signal,
            &memory(), meter() != nullptr ? &meter()->work() : nullptr,
            this,      static_cast<QueueAffinity>(affinity)};
  }
  // Counts bytes that an import moves itself. Fails as ModuleState::Work.
  absl::Status WorkOnBytes(uint64_t bytes) {
    return Work(static_cast<uint32_t>(
        std::min<uint64_t>(bytes / kBytesPerUnit, UINT32_MAX)));
  }

 private:
  // A fence of fewer points takes no fuel.
  static constexpr size_t kPointsPerUnit = 16;

  static bool HasManyPoints(const Fence* fence) {
    return fence != nullptr && fence->points().size() >= kPointsPerUnit;
  }
  // Apart from Fences, which is to be inlined.
  void WorkOnManyPoints(const Fence* wait, const Fence* signal);

  // Of each device, by its allocator; nearly always there is one.
  struct Owner {
    const Allocator* allocator;
    uint64_t id;
  };

  std::shared_ptr<const HalModuleConfig> config_;
  std::vector<Owner> owners_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_STATE_H_
