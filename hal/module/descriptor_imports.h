// Imports of hal 0.0 to 0.2, whose dispatches use descriptor sets: the
// functions of imports.def for releases before 20240828. See imports.h.
#ifndef EYRIE_HAL_MODULE_DESCRIPTOR_IMPORTS_H_
#define EYRIE_HAL_MODULE_DESCRIPTOR_IMPORTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/collectives/channel.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/module/state.h"
#include "hal/pipeline_layout.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {

// Elements of a descriptor set: binding, slot, buffer, offset, length. If the
// buffer is null, the slot is used.
using PushedBindings = vm::Spread<int32_t, int32_t, Buffer*, int64_t, int64_t>;

// Copies bytes [offset, offset + length) of `source` into a new buffer.
absl::StatusOr<Ref<Buffer>> AllocatorAllocateInitialized(
    HalModuleState&, Allocator& allocator, int32_t memory_types,
    int32_t buffer_usage, vm::Buffer& source, int64_t offset, int64_t length);
absl::Status CommandBufferCollectiveV2(HalModuleState&, CommandBuffer& commands,
                                       Channel& channel, int32_t op,
                                       int32_t param, Buffer* send,
                                       int64_t send_offset, int64_t send_length,
                                       Buffer* receive, int64_t receive_offset,
                                       int64_t receive_length,
                                       int64_t element_count);
absl::Status CommandBufferCopyBufferV2(HalModuleState&, CommandBuffer& commands,
                                       Buffer& source, int64_t source_offset,
                                       Buffer& target, int64_t target_offset,
                                       int64_t length);
absl::Status CommandBufferDispatchV2(HalModuleState&, CommandBuffer& commands,
                                     Executable& executable, int32_t ordinal,
                                     int32_t workgroups_x, int32_t workgroups_y,
                                     int32_t workgroups_z);
absl::Status CommandBufferDispatchIndirectV2(
    HalModuleState&, CommandBuffer& commands, Executable& executable,
    int32_t ordinal, Buffer& workgroups, int64_t workgroups_offset);
// UNIMPLEMENTED: nested command buffers, which no compiler records.
absl::Status CommandBufferExecuteCommands(
    HalModuleState&, CommandBuffer& commands, CommandBuffer& nested,
    vm::Spread<Buffer*, int64_t, int64_t> table);
absl::Status CommandBufferFillBufferV2(HalModuleState&, CommandBuffer& commands,
                                       Buffer& target, int64_t offset,
                                       int64_t length, int32_t pattern,
                                       int32_t pattern_length);
// Sets 32-bit constants from the one at `offset` on.
absl::Status CommandBufferPushConstants(HalModuleState&,
                                        CommandBuffer& commands,
                                        PipelineLayout& layout, int32_t offset,
                                        vm::Spread<int32_t> values);
absl::Status CommandBufferPushDescriptorSet(HalModuleState&,
                                            CommandBuffer& commands,
                                            PipelineLayout& layout, int32_t set,
                                            PushedBindings bindings);
// Bindings: number, type, flags.
absl::StatusOr<Ref<DescriptorSetLayout>> DescriptorSetLayoutCreate(
    HalModuleState&, Device& device, int32_t flags,
    vm::Spread<int32_t, int32_t, int32_t> bindings);
// Takes one layout per export.
absl::StatusOr<Ref<Executable>> ExecutableCreateV2(
    HalModuleState&, Device& device, vm::Buffer& format, vm::Buffer& data,
    vm::Buffer* constants, vm::Spread<PipelineLayout*> layouts);
absl::StatusOr<Ref<PipelineLayout>> PipelineLayoutCreate(
    HalModuleState&, Device& device, int32_t constant_count,
    vm::Spread<DescriptorSetLayout*> sets);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_DESCRIPTOR_IMPORTS_H_
