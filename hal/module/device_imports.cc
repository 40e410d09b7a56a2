// Devices and their queues: hal.device.* and hal.devices.*.
//
// Converts integers. Device validates the arguments. Buffers may belong to
// another device; DeviceGroup decides how such operations run.
// Tested by queue_imports_test.cc.
#include <utility>

#include "absl/container/fixed_array.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

// Reads one side of a transfer.
absl::Status ReadRange(absl::string_view what, Buffer& buffer, int64_t offset,
                       int64_t length, BufferRef& ref) {
  return ReadBufferRef(what, &buffer, 0, offset, length, ref);
}

[[gnu::noinline]] absl::Status PoolError(int64_t pool) {
  return absl::UnimplementedError(absl::StrCat(
      "Allocation pool ", pool, " does not exist; devices have pool 0 only."));
}

}  // namespace

absl::StatusOr<std::tuple<int32_t, int64_t>> DeviceQueryI64(
    HalModuleState& state, Device& device, vm::Buffer& category,
    vm::Buffer& key) {
  // The key may be a pattern, which takes time to match.
  RETURN_IF_ERROR(state.WorkOnBytes(key.size()));
  std::optional<int64_t> value = device.Query(TextOf(category), TextOf(key));
  if (value.value_or(0) == 0 && state.options().query_refused &&
      (TextOf(category) == "hal.executable.format" ||
       TextOf(category) == "hal.device.id")) {
    state.options().query_refused(TextOf(category), TextOf(key));
  }
  return std::tuple(value ? 1 : 0, value.value_or(0));
}

absl::StatusOr<Ref<Buffer>> DeviceQueueAlloca(
    HalModuleState& state, Device& device, int64_t queue_affinity, Fence* wait,
    Fence* signal, int64_t pool, int32_t memory_types, int32_t buffer_usage,
    int64_t size, int64_t) {
  ASSIGN_OR_RETURN(uint64_t bytes, ReadSize("allocation size", size));
  if (pool != 0) [[unlikely]]
    return PoolError(pool);
  Allocator& allocator = device.allocator();
  const QueueFences fences = state.Fences(wait, signal, queue_affinity);
  const BufferParams params =
      state.CreateParams(allocator, memory_types, buffer_usage, queue_affinity);
  if (state.memory() == nullptr) [[likely]]
    return state.Observed(device.QueueAlloca(fences, params, bytes));
  // On error, fail the signal fence, too, as Device does.
  absl::StatusOr<MemoryCharge> charge =
      allocator.Charge(state.memory(), bytes, "a device buffer");
  if (!charge.ok()) return fences.Refuse(charge.status());
  ASSIGN_OR_RETURN(Ref<Buffer> buffer,
                   device.QueueAlloca(fences, params, bytes));
  buffer->Hold(*std::move(charge));
  return state.Observed(std::move(buffer));
}

absl::Status DeviceQueueDealloca(HalModuleState& state, Device& device,
                                 int64_t affinity, Fence* wait, Fence* signal,
                                 Buffer& buffer, int64_t) {
  QueueFences fences = state.Fences(wait, signal, affinity);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, buffer, fences));
  return at->QueueDealloca(fences, Ref<Buffer>::Share(&buffer));
}

absl::Status DeviceQueueBarrier(HalModuleState& state, Device& device,
                                int64_t affinity, Fence* wait, Fence* signal,
                                int64_t) {
  return device.QueueBarrier(state.Fences(wait, signal, affinity));
}

absl::Status DeviceQueueFill(HalModuleState& state, Device& device,
                             int64_t affinity, Fence* wait, Fence* signal,
                             Buffer& target, int64_t offset, int64_t length,
                             int64_t pattern, int32_t pattern_length, int64_t) {
  BufferRef ref;
  RETURN_IF_ERROR(ReadRange("target", target, offset, length, ref));
  const auto bits = static_cast<uint64_t>(pattern);
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadPattern(bits, pattern_length, 8));
  QueueFences fences = state.Fences(wait, signal, affinity);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, target, fences));
  return at->QueueFill(fences, ref, bytes);
}

absl::Status DeviceQueueUpdate(HalModuleState& state, Device& device,
                               int64_t affinity, Fence* wait, Fence* signal,
                               vm::Buffer& source, int64_t source_offset,
                               Buffer& target, int64_t target_offset,
                               int64_t length, int64_t) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadHostRange(source, source_offset, length));
  BufferRef ref;
  RETURN_IF_ERROR(ReadRange("target", target, target_offset,
                            static_cast<int64_t>(bytes.size()), ref));
  RETURN_IF_ERROR(state.WorkOnBytes(bytes.size()));
  QueueFences fences = state.Fences(wait, signal, affinity);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, target, fences));
  return at->QueueUpdate(fences, bytes, ref);
}

absl::Status DeviceQueueCopy(HalModuleState& state, Device& device,
                             int64_t affinity, Fence* wait, Fence* signal,
                             Buffer& source, int64_t source_offset,
                             Buffer& target, int64_t target_offset,
                             int64_t length, int64_t) {
  BufferRef from;
  RETURN_IF_ERROR(ReadRange("source", source, source_offset, length, from));
  BufferRef to;
  RETURN_IF_ERROR(ReadRange("target", target, target_offset, length, to));
  return state.group().QueueCopy(device, state.Fences(wait, signal, affinity),
                                 from, to);
}

absl::Status DeviceQueueRead(HalModuleState& state, Device& device,
                             int64_t affinity, Fence* wait, Fence* signal,
                             File& source, int64_t source_offset,
                             Buffer& target, int64_t target_offset,
                             int64_t length, int64_t) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("source offset", source_offset));
  BufferRef to;
  RETURN_IF_ERROR(ReadRange("target", target, target_offset, length, to));
  QueueFences fences = state.Fences(wait, signal, affinity);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, target, fences));
  return at->QueueRead(fences, Ref<File>::Share(&source), begin, to);
}

absl::Status DeviceQueueWrite(HalModuleState& state, Device& device,
                              int64_t affinity, Fence* wait, Fence* signal,
                              Buffer& source, int64_t source_offset,
                              File& target, int64_t target_offset,
                              int64_t length, int64_t) {
  BufferRef from;
  RETURN_IF_ERROR(ReadRange("source", source, source_offset, length, from));
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("target offset", target_offset));
  QueueFences fences = state.Fences(wait, signal, affinity);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, source, fences));
  return at->QueueWrite(fences, from, Ref<File>::Share(&target), begin);
}

absl::Status DeviceQueueExecute(HalModuleState& state, Device& device,
                                int64_t affinity, Fence* wait, Fence* signal,
                                CommandBuffer& commands, int64_t) {
  return state.group().QueueExecute(device,
                                    state.Fences(wait, signal, affinity),
                                    Ref<CommandBuffer>::Share(&commands), {});
}

absl::Status DeviceQueueExecuteV5(HalModuleState& state, Device& device,
                                  int64_t affinity, Fence* wait, Fence* signal,
                                  vm::Spread<CommandBuffer*> commands) {
  if (commands.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(commands.size(),
                     " command buffers are executed at once; the limit is 1."));
  }
  if (commands.empty()) {
    return device.QueueBarrier(state.Fences(wait, signal, affinity));
  }
  if (commands.get(0) == nullptr) {
    return absl::InvalidArgumentError("The command buffer to execute is null.");
  }
  return DeviceQueueExecute(state, device, affinity, wait, signal,
                            *commands.get(0), 0);
}

absl::Status DeviceQueueExecuteIndirect(
    HalModuleState& state, Device& device, int64_t affinity, Fence* wait,
    Fence* signal, CommandBuffer& commands, int64_t,
    vm::Spread<Buffer*, int64_t, int64_t> table) {
  absl::FixedArray<BufferBinding, 16> bindings(table.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    const int64_t offset = table.get<1>(i);
    const int64_t length = table.get<2>(i);
    if (offset < 0 || length < -1) [[unlikely]] {
      return Annotate(NegativeError(offset < 0 ? "offset" : "length",
                                    offset < 0 ? offset : length),
                      absl::StrCat("(slot ", i, " of the binding table)"));
    }
    bindings[i] = {table.get<0>(i), static_cast<uint64_t>(offset),
                   static_cast<uint64_t>(length)};
  }
  return state.group().QueueExecute(
      device, state.Fences(wait, signal, affinity),
      Ref<CommandBuffer>::Share(&commands), bindings);
}

absl::Status DeviceQueueFlush(HalModuleState&, Device& device,
                              int64_t affinity) {
  RETURN_IF_ERROR(device.CheckAffinity(static_cast<QueueAffinity>(affinity)));
  return device.QueueFlush();
}

absl::StatusOr<int32_t> DevicesCount(HalModuleState& state) {
  return static_cast<int32_t>(state.devices().size());
}

absl::StatusOr<Ref<Device>> DevicesGet(HalModuleState& state, int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= state.devices().size()) {
    return Ref<Device>();
  }
  return state.devices()[static_cast<size_t>(index)];
}

}  // namespace eyrie::hal
