// The devices of a program, and the one place that decides whether they share
// a buffer or copy it.
//
// Allocator::CanUse is asked. Where each device can use the memory of all, as
// CPU devices can, operations go to their device as they are. Else one that
// names a single buffer goes to a device that can use it; a copy between two
// goes through memory of the host; and commands run on copies, which go back
// when they have run, as far as the buffers may be written.
// Immutable and thread-safe; operations behave as Device's, fences included.
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
#include "hal/types.h"

namespace eyrie::hal {

class DeviceGroup {
 public:
  explicit DeviceGroup(std::vector<Ref<Device>> devices);

  std::span<const Ref<Device>> devices() const { return devices_; }
  // True if nothing is ever copied between the devices for their sake.
  bool shares_memory() const { return shares_memory_; }

  // Which of some devices, at least one, is to have a buffer that all of them
  // use: the first whose memory of this kind the others can use, else the
  // first.
  size_t Select(std::span<Device* const> among,
                const BufferParams& params) const;

  // Where an operation on one buffer runs: on `device` or, with an affinity
  // for any queue, on the first that can use the buffer. INVALID_ARGUMENT, and
  // the signal fence fails: none can.
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
    if (shares_memory_) [[likely]] {
      return device.QueueExecute(fences, std::move(commands), table);
    }
    return ExecuteOnCopies(device, fences, std::move(commands), table);
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

  std::vector<Ref<Device>> devices_;
  bool shares_memory_ = true;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DEVICE_GROUP_H_
