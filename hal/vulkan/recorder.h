// Translates HAL commands into a Vulkan command buffer, in one pass.
//
// A dispatch binds its buffers by descriptors, which are pushed if the device
// supports that, or by a table of addresses. Fills that Vulkan has no command
// for run an internal shader. Barriers cover all memory accesses of the
// surrounding commands, because a module's own barriers can say too little.
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

// A range of a VkBuffer that a binding resolves to.
struct BoundRange {
  VkBuffer buffer;
  uint64_t offset;  // in the VkBuffer
  uint64_t length;
  uint64_t room;            // usable bytes from `offset`
  VkDeviceAddress address;  // of `offset`
};

// The device's objects that a recorder uses.
struct RecorderContext {
  const LogicalDevice& device;
  Allocator& allocator;
  const Pipeline& fill;
};

class Recorder {
 public:
  // `table` must have passed ValidateTable.
  Recorder(const RecorderContext& context, NativeCommands& target,
           std::span<const BufferBinding> table);

  // Records all commands and ends the recording. FAILED_PRECONDITION: a buffer
  // or executable belongs to another device. INVALID_ARGUMENT: an alignment or
  // a copy's lengths, which earlier checks could not know, are wrong.
  // RESOURCE_EXHAUSTED: a limit of the device is exceeded.
  absl::Status Record(const CommandBuffer& commands);

  // Rewrites a patchable recording for this table. The recording must not be
  // running. Returns the same errors as Record; after an error it must not be
  // submitted.
  absl::Status Patch();

 private:
  absl::Status RecordOne(const Command& command);
  // Makes the writes of earlier commands visible to later ones.
  void OrderCommands();
  absl::Status RecordFill(const FillCommand& command);
  // Fills the bytes [begin, begin + length) of a range with the shader.
  absl::Status FillByShader(const BoundRange& target, uint64_t begin,
                            uint64_t length, uint64_t pattern);
  absl::Status RecordUpdate(const UpdateCommand& command);
  absl::Status RecordCopy(const CopyCommand& command);
  absl::Status RecordDispatch(const DispatchCommand& command);
  absl::Status BindDescriptors(const DispatchCommand& command,
                               const Pipeline& pipeline);
  absl::Status BindAddresses(const DispatchCommand& command,
                             const PipelineDef& def, const Pipeline& pipeline);
  // Writes the descriptors of a pipeline's set, in the order of its bindings.
  absl::Status BindSet(const NativeLayout& layout,
                       std::span<const VkDescriptorBufferInfo> buffers);
  absl::Status Launch(const DispatchCommand& command);

  // Writes the address of a range into an address table.
  absl::Status WriteAddress(const AddressPatch& patch) const;

  // Resolves a reference, and notes that the recording depends on its range.
  absl::StatusOr<BoundRange> Resolve(const RecordedRef& ref) {
    is_fixed_ |= ref.buffer == nullptr;
    return Find(ref);
  }
  absl::StatusOr<BoundRange> Find(const RecordedRef& ref) const;
  // Returns the descriptor of a binding.
  absl::StatusOr<VkDescriptorBufferInfo> Describe(const BoundRange& range,
                                                  DescriptorKind kind) const;
  // Allocates host memory that lives as long as the commands.
  absl::StatusOr<Ref<hal::Buffer>> Staging(uint64_t size);

  const LogicalDevice& device_;
  const VolkDeviceTable& fn_;
  Allocator& allocator_;
  const Pipeline& fill_;
  NativeCommands& target_;
  const VkCommandBuffer handle_;
  const std::span<const BufferBinding> table_;
  VkPipeline bound_ = VK_NULL_HANDLE;
  bool is_fixed_ = false;  // not only address tables depend on the table
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_RECORDER_H_
