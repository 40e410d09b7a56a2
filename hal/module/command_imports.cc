// Recording command buffers: hal.command_buffer.*.
//
// Converts integers. The command buffer validates ranges, usages and counts.
// Tested by queue_imports_test.cc.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal {
namespace {

// The flags of dispatches with custom arguments.
constexpr int64_t kCustomArguments = 1 << 2 | 1 << 3 | 1 << 4;

// Constants and bindings of a dispatch, usually without heap allocation.
struct DispatchArguments {
  uint32_t ordinal = 0;
  absl::InlinedVector<uint32_t, 32> constants;
  absl::InlinedVector<BufferRef, 16> bindings;

  absl::Status Read(int64_t function, int64_t flags,
                    vm::Spread<int32_t> from_constants,
                    DispatchBindings from_bindings);
};

constexpr uint32_t kMaxOrdinal = std::numeric_limits<uint32_t>::max();
constexpr size_t kMaxCount = std::numeric_limits<uint16_t>::max();

// Returns the error of Read for invalid arguments.
[[gnu::cold, gnu::noinline]] absl::Status NoDispatch(int64_t function,
                                                     int64_t flags,
                                                     size_t constants,
                                                     size_t bindings) {
  if (function < 0 || function > kMaxOrdinal) {
    return absl::OutOfRangeError(absl::StrCat("The function of the dispatch (",
                                              function,
                                              ") is not an export's ordinal."));
  }
  if (flags & kCustomArguments) {
    return absl::UnimplementedError(
        absl::StrCat("Dispatches with custom arguments are not supported; the "
                     "flags are ",
                     flags, "."));
  }
  return absl::OutOfRangeError(
      absl::StrCat("The dispatch's constants (", constants, ") or bindings (",
                   bindings, ") exceed ", kMaxCount, "."));
}

[[gnu::cold, gnu::noinline]] absl::Status OfBinding(const absl::Status& status,
                                                    size_t index) {
  return Annotate(status, absl::StrCat("(binding ", index, ")"));
}

absl::Status DispatchArguments::Read(int64_t function, int64_t flags,
                                     vm::Spread<int32_t> from_constants,
                                     DispatchBindings from_bindings) {
  if (function < 0 || function > kMaxOrdinal || (flags & kCustomArguments) ||
      from_constants.size() > kMaxCount || from_bindings.size() > kMaxCount)
      [[unlikely]] {
    return NoDispatch(function, flags, from_constants.size(),
                      from_bindings.size());
  }
  ordinal = static_cast<uint32_t>(function);
  constants.resize(from_constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    constants[i] = static_cast<uint32_t>(from_constants.get(i));
  }
  bindings.resize(from_bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    absl::Status status = ReadBufferRef(
        "binding's", from_bindings.get<2>(i), from_bindings.get<1>(i),
        from_bindings.get<3>(i), from_bindings.get<4>(i), bindings[i]);
    if (!status.ok()) [[unlikely]]
      return OfBinding(status, i);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Ref<CommandBuffer>> CommandBufferCreate(
    HalModuleState& state, Device& device, int32_t modes, int32_t,
    int64_t queue_affinity, int32_t binding_capacity) {
  ASSIGN_OR_RETURN(uint64_t capacity,
                   ReadSize("binding capacity", binding_capacity));
  RETURN_IF_ERROR(
      device.CheckAffinity(static_cast<QueueAffinity>(queue_affinity)));
  return state.Charged(
      device.CreateCommandBuffer(static_cast<CommandBufferMode>(modes),
                                 static_cast<QueueAffinity>(queue_affinity),
                                 static_cast<uint32_t>(capacity)),
      sizeof(CommandBuffer), "a command buffer");
}

absl::Status CommandBufferFinalize(HalModuleState&, CommandBuffer& commands) {
  return commands.Finalize();
}

absl::Status CommandBufferBeginDebugGroup(HalModuleState&,
                                          CommandBuffer& commands,
                                          vm::Buffer& label) {
  return commands.BeginDebugGroup(TextOf(label));
}

absl::Status CommandBufferEndDebugGroup(HalModuleState&,
                                        CommandBuffer& commands) {
  return commands.EndDebugGroup();
}

absl::Status CommandBufferExecutionBarrier(HalModuleState&,
                                           CommandBuffer& commands,
                                           int32_t source_stages,
                                           int32_t target_stages, int64_t) {
  return commands.ExecutionBarrier(static_cast<uint32_t>(source_stages),
                                   static_cast<uint32_t>(target_stages));
}

// Advice does not change results, so it is validated and ignored.
absl::Status CommandBufferAdviseBuffer(HalModuleState&, CommandBuffer&,
                                       Buffer* buffer, int64_t, int64_t,
                                       int64_t, int32_t slot) {
  BufferRef ref;
  return ReadBufferRef("advised", buffer, slot, 0, -1, ref);
}

// Memory that others can see is coherent, and a submission that is complete has
// made its writes visible. So the range is validated, and nothing is recorded.
absl::Status CommandBufferShareBuffer(HalModuleState&, CommandBuffer&,
                                      int32_t slot, Buffer* target,
                                      int64_t offset, int64_t length) {
  BufferRef ref;
  RETURN_IF_ERROR(ReadBufferRef("target", target, slot, offset, length, ref));
  return target == nullptr
             ? absl::OkStatus()
             : target->ResolveRange(ref.offset, ref.length).status();
}

absl::Status CommandBufferFillBuffer(HalModuleState&, CommandBuffer& commands,
                                     Buffer* target, int64_t offset,
                                     int64_t length, int32_t slot,
                                     int64_t pattern, int32_t pattern_length,
                                     int64_t) {
  BufferRef ref;
  RETURN_IF_ERROR(ReadBufferRef("target", target, slot, offset, length, ref));
  const auto bits = static_cast<uint64_t>(pattern);
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadPattern(bits, pattern_length, 8));
  return commands.Fill(ref, bytes);
}

absl::Status CommandBufferFillBufferV5(HalModuleState&, CommandBuffer& commands,
                                       Buffer* target, int64_t offset,
                                       int64_t length, int32_t slot,
                                       int32_t pattern,
                                       int32_t pattern_length) {
  BufferRef ref;
  RETURN_IF_ERROR(ReadBufferRef("target", target, slot, offset, length, ref));
  const uint64_t bits = static_cast<uint32_t>(pattern);
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadPattern(bits, pattern_length, 4));
  return commands.Fill(ref, bytes);
}

absl::Status CommandBufferUpdateBuffer(HalModuleState& state,
                                       CommandBuffer& commands,
                                       vm::Buffer& source,
                                       int64_t source_offset, Buffer* target,
                                       int64_t target_offset, int64_t length,
                                       int32_t slot, int64_t) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadHostRange(source, source_offset, length));
  BufferRef ref;
  RETURN_IF_ERROR(ReadBufferRef("target", target, slot, target_offset,
                                static_cast<int64_t>(bytes.size()), ref));
  // A large update becomes several, so that it stops soon.
  do {
    const auto piece = bytes.first(std::min<size_t>(bytes.size(), kPaidPiece));
    bytes = bytes.subspan(piece.size());
    ref.length = piece.size();
    RETURN_IF_ERROR(state.WorkOnBytes(piece.size()));
    RETURN_IF_ERROR(commands.Update(piece, ref));
    ref.offset += piece.size();
  } while (!bytes.empty());
  return absl::OkStatus();
}

absl::Status CommandBufferCopyBuffer(HalModuleState&, CommandBuffer& commands,
                                     int32_t source_slot, int32_t target_slot,
                                     Buffer* source, int64_t source_offset,
                                     Buffer* target, int64_t target_offset,
                                     int64_t length, int64_t) {
  BufferRef from;
  RETURN_IF_ERROR(ReadBufferRef("source", source, source_slot, source_offset,
                                length, from));
  BufferRef to;
  RETURN_IF_ERROR(
      ReadBufferRef("target", target, target_slot, target_offset, length, to));
  return commands.Copy(from, to);
}

absl::Status CommandBufferDispatch(HalModuleState&, CommandBuffer& commands,
                                   Executable& executable, int64_t function,
                                   int32_t workgroups_x, int32_t workgroups_y,
                                   int32_t workgroups_z, int64_t flags,
                                   vm::Spread<int32_t> constants,
                                   DispatchBindings bindings) {
  uint32_t workgroups[3];
  RETURN_IF_ERROR(
      ReadWorkgroups({workgroups_x, workgroups_y, workgroups_z}, workgroups));
  DispatchArguments arguments;
  RETURN_IF_ERROR(arguments.Read(function, flags, constants, bindings));
  return commands.Dispatch(Ref<Executable>::Share(&executable),
                           arguments.ordinal, workgroups, arguments.constants,
                           arguments.bindings);
}

absl::Status CommandBufferDispatchIndirect(
    HalModuleState&, CommandBuffer& commands, Executable& executable,
    int64_t function, int32_t workgroups_slot, Buffer* workgroups,
    int64_t workgroups_offset, int64_t flags, vm::Spread<int32_t> constants,
    DispatchBindings bindings) {
  BufferRef counts;
  RETURN_IF_ERROR(ReadBufferRef("workgroup counts'", workgroups,
                                workgroups_slot, workgroups_offset,
                                3 * sizeof(uint32_t), counts));
  DispatchArguments arguments;
  RETURN_IF_ERROR(arguments.Read(function, flags, constants, bindings));
  return commands.DispatchIndirect(Ref<Executable>::Share(&executable),
                                   arguments.ordinal, counts,
                                   arguments.constants, arguments.bindings);
}

}  // namespace eyrie::hal
