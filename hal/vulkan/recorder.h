// Translates recorded commands into a command buffer of Vulkan's.
//
// Commands are walked once. A dispatch binds by descriptors, pushed where the
// device can, or by a table of addresses; fills that Vulkan has no command for
// run a shader of our own. Barriers cover all that commands can do to memory:
// those of modules say less than what the commands around them do.
// Thread-compatible.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_RECORDER_H_
#define EYRIE_HAL_VULKAN_RECORDER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/command_buffer.h"
#include "hal/vulkan/allocator.h"
#include "hal/vulkan/executable.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/memory_block.h"
#include "hal/vulkan/native_commands.h"
#include "hal/vulkan/pipeline.h"

namespace eyrie::hal::vulkan {

// A range with nothing left to look up.
struct BoundRange {
  VkBuffer buffer;
  uint64_t offset;  // in the VkBuffer
  uint64_t length;
  uint64_t room;            // bytes from `offset` that may be named
  VkDeviceAddress address;  // of `offset`
};

// What a recorder works with; all of it is the device's.
struct RecorderContext {
  const LogicalDevice& device;
  Allocator& allocator;
  const Pipeline& fill;
};

class Recorder {
 public:
  // The table has passed ValidateTable.
  Recorder(const RecorderContext& context, NativeCommands& target,
           std::span<const BufferBinding> table);

  // Records all commands, and ends the recording. FAILED_PRECONDITION: a
  // buffer or an executable of another device. INVALID_ARGUMENT: an alignment,
  // or a copy's lengths, that show only now. RESOURCE_EXHAUSTED: a limit of
  // the device's.
  absl::Status Record(const CommandBuffer& commands);

  // Makes a recording that can be patched, and does not run, one for the table
  // instead. Fails as Record does; it must not be submitted then.
  absl::Status Patch();

 private:
  absl::Status RecordOne(const Command& command);
  // What comes sees what commands before it have written.
  void OrderCommands();
  absl::Status RecordFill(const FillCommand& command);
  // Bytes of a range by the shader: [begin, begin + length).
  absl::Status FillByShader(const BoundRange& target, uint64_t begin,
                            uint64_t length, uint64_t pattern);
  absl::Status RecordUpdate(const UpdateCommand& command);
  absl::Status RecordCopy(const CopyCommand& command);
  absl::Status RecordDispatch(const DispatchCommand& command);
  absl::Status BindDescriptors(const DispatchCommand& command,
                               const Pipeline& pipeline);
  absl::Status BindAddresses(const DispatchCommand& command,
                             const PipelineDef& def, const Pipeline& pipeline);
  // Writes descriptors for a pipeline's set, in its bindings' order.
  absl::Status BindSet(const NativeLayout& layout,
                       std::span<const VkDescriptorBufferInfo> buffers);
  absl::Status Launch(const DispatchCommand& command);

  // Writes the address of a range.
  absl::Status WriteAddress(const AddressPatch& patch) const;

  // The range of a reference that the recording depends on.
  absl::StatusOr<BoundRange> Resolve(const RecordedRef& ref) {
    is_fixed_ |= ref.buffer == nullptr;
    return Find(ref);
  }
  absl::StatusOr<BoundRange> Find(const RecordedRef& ref) const;
  // The descriptor of a binding.
  absl::StatusOr<VkDescriptorBufferInfo> Describe(const BoundRange& range,
                                                  DescriptorKind kind) const;
  // Memory of the host's that lives as long as the commands.
  absl::StatusOr<Ref<hal::Buffer>> Staging(uint64_t size);

  const LogicalDevice& device_;
  const VolkDeviceTable& fn_;
  Allocator& allocator_;
  const Pipeline& fill_;
  NativeCommands& target_;
  const VkCommandBuffer handle_;
  const std::span<const BufferBinding> table_;
  VkPipeline bound_ = VK_NULL_HANDLE;
  bool is_fixed_ = false;  // the table stands in more than address tables
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_RECORDER_H_
