#include "hal/module/types.h"

#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/collectives/channel.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/fence.h"
#include "hal/file.h"
#include "hal/pipeline_layout.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

std::span<const RefType* const> HalTypes() {
  static constexpr const RefType* kTypes[] = {
      &Allocator::kType, &Buffer::kType,        &BufferView::kType,
      &Channel::kType,   &CommandBuffer::kType, &DescriptorSetLayout::kType,
      &Device::kType,    &kEventType,           &Executable::kType,
      &Fence::kType,     &File::kType,          &PipelineLayout::kType,
      &Semaphore::kType,
  };
  return kTypes;
}

}  // namespace eyrie::hal
