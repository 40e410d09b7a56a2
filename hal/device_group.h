// The devices of a program. Decides whether they share a buffer or copy it.
//
// Allocator::CanUse decides. If every device can use the memory of all others,
// as CPU devices can, operations run unchanged. Otherwise, an operation on one
// buffer runs on a device that can use it; a copy between two devices goes
// through host memory; and commands run on copies of the buffers, which are
// copied back afterwards if they are writable. An observer of dispatches, if
// there is one, sees those of all devices. Immutable and thread-safe.
// Operations treat fences and errors as Device does.
// Tested by device_group_test.cc.
#ifndef EYRIE_HAL_DEVICE_GROUP_H_
#define EYRIE_HAL_DEVICE_GROUP_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/dispatch_observer.h"
#include "hal/types.h"

namespace eyrie::hal {

class DeviceGroup {
 public:
  // `observer` may be null, and must outlive the group.
  explicit DeviceGroup(std::vector<Ref<Device>> devices,
                       DispatchObserver* observer = nullptr);

  std::span<const Ref<Device>> devices() const { return devices_; }
  // Reports whether every device can use the memory of all others.
  bool shares_memory() const { return shares_memory_; }

  // Returns the index of the device that should allocate a buffer for all
  // devices in `among` (at least one): the first whose memory with these params
  // all others can use, else 0.
  size_t Select(std::span<Device* const> among,
                const BufferParams& params) const;

  // Returns the device for an operation on one buffer: `device` if it can use
  // the buffer, else the first that can, with the affinity set to any queue.
  // INVALID_ARGUMENT: no device can; this also fails the signal fence.
  absl::StatusOr<Device*> Reaching(Device& device, const Buffer& buffer,
                                   QueueFences& fences) const {
    if (shares_memory_) [[likely]]
      return &device;
    return FindReaching(device, buffer, fences);
  }

  absl::Status QueueCopy(Device& device, const QueueFences& fences,
                         const BufferRef& source,
                         const BufferRef& target) const {
    if (shares_memory_) [[likely]]
      return device.QueueCopy(fences, source, target);
    return CopyBetween(device, fences, source, target);
  }
  absl::Status QueueExecute(Device& device, const QueueFences& fences,
                            Ref<CommandBuffer> commands,
                            std::span<const BufferBinding> table) const {
    if (executes_directly_) [[likely]] {
      return device.QueueExecute(fences, std::move(commands), table);
    }
    return ExecuteIndirectly(device, fences, std::move(commands), table);
  }

 private:
  absl::StatusOr<Device*> FindReaching(Device& device, const Buffer& buffer,
                                       QueueFences& fences) const;
  absl::Status CopyBetween(Device& device, const QueueFences& fences,
                           const BufferRef& source,
                           const BufferRef& target) const;
  absl::Status ExecuteOnCopies(Device& device, const QueueFences& fences,
                               Ref<CommandBuffer> commands,
                               std::span<const BufferBinding> table) const;
  // Executes on copies, for the observer, or both.
  absl::Status ExecuteIndirectly(Device& device, const QueueFences& fences,
                                 Ref<CommandBuffer> commands,
                                 std::span<const BufferBinding> table) const;

  std::vector<Ref<Device>> devices_;
  DispatchObserver* observer_;
  bool shares_memory_ = true;
  bool executes_directly_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DEVICE_GROUP_H_
