// The C++ functions of imports.def.
//
// Arguments have the names and meanings of the compiler's import declarations.
// A function has the newest calling convention; most rows of older ones adapt
// it (import_adapters.h). Functions named ...V5 serve releases 20240828 to 3.3
// if they differ in more; descriptor_imports.h has those of earlier releases.
// Unnamed arguments are ignored. References are borrowed for the call; every
// integer is validated.
#ifndef EYRIE_HAL_MODULE_IMPORTS_H_
#define EYRIE_HAL_MODULE_IMPORTS_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/collectives/channel.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/fence.h"
#include "hal/file.h"
#include "hal/module/state.h"
#include "hal/pipeline_layout.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {

// buffer_imports.cc: allocators and buffers.

absl::StatusOr<Ref<Buffer>> AllocatorAllocate(
    HalModuleState&, Allocator& allocator, int64_t queue_affinity,
    int32_t memory_types, int32_t buffer_usage, int64_t size);
// Returns null if the memory cannot be imported and `is_try` is set.
absl::StatusOr<Ref<Buffer>> AllocatorImport(
    HalModuleState&, Allocator& allocator, int32_t is_try,
    int64_t queue_affinity, int32_t memory_types, int32_t buffer_usage,
    vm::Buffer& source, int64_t offset, int64_t length);
absl::StatusOr<std::tuple<Ref<Device>, int64_t>> AllocatorSelect(
    HalModuleState&, int32_t memory_types, int32_t buffer_usage, int64_t,
    vm::Spread<Device*, int64_t> from);
absl::StatusOr<int32_t> BufferAllocationDiscard(HalModuleState&,
                                                Buffer& buffer);
absl::StatusOr<int32_t> BufferAllocationIsTerminal(HalModuleState&,
                                                   Buffer& buffer);
absl::Status BufferAllocationPreserve(HalModuleState&, Buffer& buffer);
absl::Status BufferAssert(HalModuleState&, Buffer& buffer, vm::Buffer& message,
                          Allocator& allocator, int64_t minimum_length,
                          int32_t memory_types, int32_t buffer_usage);
absl::StatusOr<int64_t> BufferLength(HalModuleState&, Buffer& buffer);
absl::StatusOr<int32_t> BufferLoadAny(Buffer& source, int64_t offset,
                                      int32_t length);
// Returns four bytes if they are in range and can be read in place, else
// nullopt.
inline std::optional<int32_t> BufferPeek(Buffer& source, int64_t offset,
                                         int32_t length) {
  int32_t value;
  if (length != sizeof(value)) return std::nullopt;
  const uint8_t* const at =
      source.Peek(static_cast<uint64_t>(offset), sizeof(value));
  if (at == nullptr) return std::nullopt;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
inline absl::StatusOr<int32_t> BufferLoad(HalModuleState&, Buffer& source,
                                          int64_t offset, int32_t length) {
  const std::optional<int32_t> value = BufferPeek(source, offset, length);
  if (value) [[likely]]
    return *value;
  return BufferLoadAny(source, offset, length);
}
absl::Status BufferStore(HalModuleState&, int32_t value, Buffer& target,
                         int64_t offset, int32_t length);
absl::StatusOr<Ref<Buffer>> BufferSubspan(HalModuleState&, Buffer& source,
                                          int64_t offset, int64_t length);

// buffer_view_imports.cc.

absl::Status BufferViewAssert(HalModuleState&, BufferView& view,
                              vm::Buffer& message, int32_t element_type,
                              int32_t encoding, vm::Spread<int64_t> shape);
inline Ref<Buffer> BufferViewBuffer(HalModuleState&, BufferView& view) {
  return view.buffer();
}
absl::StatusOr<Ref<BufferView>> BufferViewCreate(
    HalModuleState&, Buffer& source, int64_t offset, int64_t length,
    int32_t element_type, int32_t encoding, vm::Spread<int64_t> shape);
absl::StatusOr<int64_t> BufferViewDim(HalModuleState&, BufferView& view,
                                      int32_t index);
inline std::optional<int64_t> BufferViewPeekDim(BufferView& view,
                                                int32_t index) {
  const std::span<const int64_t> shape = view.shape();
  if (static_cast<uint32_t>(index) >= shape.size()) return std::nullopt;
  return shape[static_cast<uint32_t>(index)];
}
absl::StatusOr<int32_t> BufferViewElementType(HalModuleState&,
                                              BufferView& view);
absl::StatusOr<int32_t> BufferViewEncodingType(HalModuleState&,
                                               BufferView& view);
absl::StatusOr<int32_t> BufferViewRank(HalModuleState&, BufferView& view);
absl::Status BufferViewTrace(HalModuleState& state, vm::Buffer& key,
                             vm::Spread<BufferView*> views);

// channel_imports.cc: collectives. A rank or count of -1 means the provider's;
// a null id or group means the default.

absl::StatusOr<Ref<Channel>> ChannelCreate(HalModuleState& state, Device&,
                                           int64_t, int64_t, vm::Buffer* id,
                                           vm::Buffer* group, int32_t rank,
                                           int32_t count);
absl::StatusOr<std::tuple<int32_t, int32_t>> ChannelRankAndCount(
    HalModuleState&, Channel& channel);
// Returns null for a color of -1.
absl::StatusOr<Ref<Channel>> ChannelSplit(HalModuleState& state,
                                          Channel& channel, int32_t color,
                                          int32_t key, int64_t);
absl::Status CommandBufferCollective(
    HalModuleState&, CommandBuffer& commands, Channel& channel, int32_t op,
    int32_t param, int32_t send_slot, int32_t receive_slot, Buffer* send,
    Buffer* receive, int64_t send_offset, int64_t send_length,
    int64_t receive_offset, int64_t receive_length, int64_t element_count);

// command_imports.cc: recording. If a buffer is null, its slot is used.

// Bindings of a dispatch: reserved, slot, buffer, offset, length.
using DispatchBindings =
    vm::Spread<int32_t, int32_t, Buffer*, int64_t, int64_t>;

absl::Status CommandBufferAdviseBuffer(HalModuleState&, CommandBuffer& commands,
                                       Buffer* buffer, int64_t, int64_t,
                                       int64_t, int32_t slot);
absl::Status CommandBufferShareBuffer(HalModuleState&, CommandBuffer& commands,
                                      int32_t slot, Buffer* target,
                                      int64_t offset, int64_t length);
absl::Status CommandBufferBeginDebugGroup(HalModuleState&,
                                          CommandBuffer& commands,
                                          vm::Buffer& label);
absl::Status CommandBufferCopyBuffer(HalModuleState&, CommandBuffer& commands,
                                     int32_t source_slot, int32_t target_slot,
                                     Buffer* source, int64_t source_offset,
                                     Buffer* target, int64_t target_offset,
                                     int64_t length, int64_t);
absl::StatusOr<Ref<CommandBuffer>> CommandBufferCreate(
    HalModuleState&, Device& device, int32_t modes, int32_t categories,
    int64_t queue_affinity, int32_t binding_capacity);
absl::Status CommandBufferDispatch(HalModuleState&, CommandBuffer& commands,
                                   Executable& executable, int64_t function,
                                   int32_t workgroups_x, int32_t workgroups_y,
                                   int32_t workgroups_z, int64_t flags,
                                   vm::Spread<int32_t> constants,
                                   DispatchBindings bindings);
absl::Status CommandBufferDispatchIndirect(
    HalModuleState&, CommandBuffer& commands, Executable& executable,
    int64_t function, int32_t workgroups_slot, Buffer* workgroups,
    int64_t workgroups_offset, int64_t flags, vm::Spread<int32_t> constants,
    DispatchBindings bindings);
absl::Status CommandBufferEndDebugGroup(HalModuleState&,
                                        CommandBuffer& commands);
absl::Status CommandBufferExecutionBarrier(HalModuleState&,
                                           CommandBuffer& commands,
                                           int32_t source_stages,
                                           int32_t target_stages, int64_t);
absl::Status CommandBufferFillBuffer(HalModuleState&, CommandBuffer& commands,
                                     Buffer* target, int64_t offset,
                                     int64_t length, int32_t slot,
                                     int64_t pattern, int32_t pattern_length,
                                     int64_t);
absl::Status CommandBufferFillBufferV5(HalModuleState&, CommandBuffer& commands,
                                       Buffer* target, int64_t offset,
                                       int64_t length, int32_t slot,
                                       int32_t pattern, int32_t pattern_length);
absl::Status CommandBufferFinalize(HalModuleState&, CommandBuffer& commands);
absl::Status CommandBufferUpdateBuffer(HalModuleState&, CommandBuffer& commands,
                                       vm::Buffer& source,
                                       int64_t source_offset, Buffer* target,
                                       int64_t target_offset, int64_t length,
                                       int32_t slot, int64_t);

// device_imports.cc: devices and their queues. Fences may be null.

inline Ref<Allocator> DeviceAllocator(HalModuleState&, Device& device) {
  return Ref<Allocator>::Share(&device.allocator());
}
// Returns (1, value), or (0, 0) if the device does not know the key.
absl::StatusOr<std::tuple<int32_t, int64_t>> DeviceQueryI64(
    HalModuleState&, Device& device, vm::Buffer& category, vm::Buffer& key);
absl::StatusOr<Ref<Buffer>> DeviceQueueAlloca(
    HalModuleState&, Device& device, int64_t queue_affinity, Fence* wait,
    Fence* signal, int64_t pool, int32_t memory_types, int32_t buffer_usage,
    int64_t size, int64_t);
absl::Status DeviceQueueBarrier(HalModuleState&, Device& device, int64_t,
                                Fence* wait, Fence* signal, int64_t);
absl::Status DeviceQueueCopy(HalModuleState&, Device& device, int64_t,
                             Fence* wait, Fence* signal, Buffer& source,
                             int64_t source_offset, Buffer& target,
                             int64_t target_offset, int64_t length, int64_t);
absl::Status DeviceQueueDealloca(HalModuleState&, Device& device, int64_t,
                                 Fence* wait, Fence* signal, Buffer& buffer,
                                 int64_t);
absl::Status DeviceQueueExecute(HalModuleState&, Device& device, int64_t,
                                Fence* wait, Fence* signal,
                                CommandBuffer& commands, int64_t);
// Takes at most one command buffer; without one it is a barrier.
absl::Status DeviceQueueExecuteV5(HalModuleState&, Device& device, int64_t,
                                  Fence* wait, Fence* signal,
                                  vm::Spread<CommandBuffer*> commands);
absl::Status DeviceQueueExecuteIndirect(
    HalModuleState&, Device& device, int64_t, Fence* wait, Fence* signal,
    CommandBuffer& commands, int64_t,
    vm::Spread<Buffer*, int64_t, int64_t> table);
absl::Status DeviceQueueFill(HalModuleState&, Device& device, int64_t,
                             Fence* wait, Fence* signal, Buffer& target,
                             int64_t offset, int64_t length, int64_t pattern,
                             int32_t pattern_length, int64_t);
absl::Status DeviceQueueFlush(HalModuleState&, Device& device, int64_t);
absl::Status DeviceQueueRead(HalModuleState&, Device& device, int64_t,
                             Fence* wait, Fence* signal, File& source,
                             int64_t source_offset, Buffer& target,
                             int64_t target_offset, int64_t length, int64_t);
absl::Status DeviceQueueUpdate(HalModuleState&, Device& device, int64_t,
                               Fence* wait, Fence* signal, vm::Buffer& source,
                               int64_t source_offset, Buffer& target,
                               int64_t target_offset, int64_t length, int64_t);
absl::Status DeviceQueueWrite(HalModuleState&, Device& device, int64_t,
                              Fence* wait, Fence* signal, Buffer& source,
                              int64_t source_offset, File& target,
                              int64_t target_offset, int64_t length, int64_t);
absl::StatusOr<int32_t> DevicesCount(HalModuleState& state);
// Returns null if the index is out of range.
absl::StatusOr<Ref<Device>> DevicesGet(HalModuleState& state, int32_t index);

// executable_imports.cc.

// Creates an executable with a layout for each export, or with none.
absl::StatusOr<Ref<Executable>> CreateExecutableWith(
    HalModuleState&, Device& device, vm::Buffer& format, vm::Buffer& data,
    vm::Buffer* constants, std::vector<Ref<PipelineLayout>> layouts);
absl::StatusOr<Ref<Executable>> ExecutableCreate(HalModuleState&,
                                                 Device& device, int64_t,
                                                 vm::Buffer& format,
                                                 vm::Buffer& data,
                                                 vm::Buffer* constants);
// Returns the export's ordinal, which command_buffer.dispatch takes.
// NOT_FOUND: the message lists the executable's functions.
absl::StatusOr<int64_t> ExecutableLookupFunction(HalModuleState&,
                                                 Executable& executable,
                                                 vm::Buffer& name);

// fence_imports.cc. Statuses are numbers: 0 means reached, 17 not yet reached;
// others are Abseil's codes.

// Returns 0, or 4 (DEADLINE_EXCEEDED) after `timeout_ms` milliseconds (-1: no
// limit). If a fence failed, the call fails with its status.
absl::StatusOr<int32_t> FenceAwait(HalModuleState&, int32_t timeout_ms, int64_t,
                                   vm::Spread<Fence*> fences);
absl::StatusOr<Ref<Fence>> FenceCreate(HalModuleState&, Device& device,
                                       int64_t);
absl::Status FenceFail(HalModuleState&, Fence& fence, int32_t status);
// Returns null, which counts as reached, if no fence has a point.
absl::StatusOr<Ref<Fence>> FenceJoin(HalModuleState&, int64_t,
                                     vm::Spread<Fence*> fences);
absl::StatusOr<int32_t> FenceQuery(HalModuleState&, Fence& fence);
absl::Status FenceSignal(HalModuleState&, Fence& fence);

// file_imports.cc.

// Creates a read-only file over a range of `buffer`, which it retains.
absl::StatusOr<Ref<File>> FileFromMemory(HalModuleState&, Device& device,
                                         int64_t, int32_t access,
                                         vm::Buffer& buffer, int64_t offset,
                                         int64_t length, int32_t);

// Fast paths for functions that programs call often, in loop conditions and for
// shapes; null: none. A fast path returns nullopt to fall back.
template <auto kFunction>
inline constexpr auto kQuick = nullptr;

template <>
inline constexpr auto kQuick<BufferLoad> = BufferPeek;

template <>
inline constexpr auto kQuick<BufferViewDim> = BufferViewPeekDim;

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_IMPORTS_H_
