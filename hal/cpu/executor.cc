// Walks the commands of a command buffer, and the workgroups of a dispatch.
//
// Nothing here allocates, locks or formats unless a kernel wants local memory
// or something fails.
// Tested by device_test.cc.
#include "hal/cpu/executor.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/float_state.h"
#include "hal/cpu/kernel_executable.h"

namespace eyrie::hal::cpu {
namespace {

// A range as the host sees it.
struct Bytes {
  uint8_t* data;
  uint64_t length;
};

class Executor {
 public:
  Executor(std::span<const BufferBinding> table, Allocator& allocator)
      : table_(table), allocator_(allocator) {}

  absl::Status Run(const Command& command);

 private:
  absl::StatusOr<Bytes> Resolve(const RecordedRef& ref) const;
  absl::Status RunFill(const FillCommand& command);
  absl::Status RunUpdate(const UpdateCommand& command);
  absl::Status RunCopy(const CopyCommand& command);
  absl::Status RunDispatch(const DispatchCommand& command);
  absl::Status ReadCounts(const DispatchCommand& command,
                          uint32_t (&count)[3]) const;
  absl::Status ResolveBindings(const DispatchCommand& command,
                               void* (&pointers)[kMaxDispatchBindings],
                               size_t (&lengths)[kMaxDispatchBindings]) const;
  absl::Status RunWorkgroups(const KernelExecutable& executable,
                             uint32_t ordinal, const DispatchState& state);

  std::span<const BufferBinding> table_;
  Allocator& allocator_;
};

absl::Status NotVisible() {
  return absl::FailedPreconditionError(
      "The buffer's memory is not visible to the host.");
}

absl::StatusOr<Bytes> Executor::Resolve(const RecordedRef& ref) const {
  if (ref.buffer != nullptr) {
    uint8_t* data = ref.buffer->host_data();
    if (data == nullptr) [[unlikely]]
      return NotVisible();
    return Bytes{data + ref.offset, ref.length};
  }
  const BufferBinding& binding = table_[ref.slot];
  uint8_t* data = binding.buffer->host_data();
  if (data == nullptr) [[unlikely]]
    return NotVisible();
  uint64_t length = ref.length;
  if (length == kWholeBuffer) {
    length = binding.length == kWholeBuffer
                 ? binding.buffer->byte_length() - binding.offset
                 : binding.length;
    length -= ref.offset;
  }
  return Bytes{data + binding.offset + ref.offset, length};
}

absl::Status Executor::RunFill(const FillCommand& command) {
  ASSIGN_OR_RETURN(const Bytes target, Resolve(command.target));
  if (command.pattern_length == 1) {
    std::memset(target.data, static_cast<int>(command.pattern & 0xFF),
                target.length);
    return absl::OkStatus();
  }
  uint64_t done = 0;
  for (; target.length - done >= 8; done += 8) {
    std::memcpy(target.data + done, &command.pattern, 8);
  }
  std::memcpy(target.data + done, &command.pattern, target.length - done);
  return absl::OkStatus();
}

absl::Status Executor::RunUpdate(const UpdateCommand& command) {
  ASSIGN_OR_RETURN(const Bytes target, Resolve(command.target));
  std::memcpy(target.data, command.data(), target.length);
  return absl::OkStatus();
}

absl::Status Executor::RunCopy(const CopyCommand& command) {
  ASSIGN_OR_RETURN(const Bytes source, Resolve(command.source));
  ASSIGN_OR_RETURN(const Bytes target, Resolve(command.target));
  if (source.length != target.length) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A copy's source has ", source.length,
                     " bytes and its target ", target.length, "."));
  }
  // Slots of one table may overlap; nothing has compared them.
  std::memmove(target.data, source.data, target.length);
  return absl::OkStatus();
}

absl::Status Executor::ReadCounts(const DispatchCommand& command,
                                  uint32_t (&count)[3]) const {
  if (command.kind == CommandKind::kDispatch) {
    std::memcpy(count, command.workgroup_count, sizeof(count));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Bytes bytes, Resolve(command.workgroup_count_ref));
  std::memcpy(count, bytes.data, sizeof(count));
  return ValidateWorkgroupCount(count);
}

absl::Status Executor::ResolveBindings(
    const DispatchCommand& command, void* (&pointers)[kMaxDispatchBindings],
    size_t (&lengths)[kMaxDispatchBindings]) const {
  const std::span<const RecordedRef> refs = command.bindings();
  if (refs.size() > kMaxDispatchBindings) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A dispatch has ", refs.size(), " bindings; at most ",
                     kMaxDispatchBindings, " can be passed."));
  }
  uintptr_t misaligned = 0;
  for (size_t i = 0; i < refs.size(); ++i) {
    ASSIGN_OR_RETURN(const Bytes bytes, Resolve(refs[i]));
    pointers[i] = bytes.data;
    lengths[i] = bytes.length;
    misaligned |= reinterpret_cast<uintptr_t>(bytes.data);
  }
  if (misaligned % kBufferAlignment == 0) [[likely]]
    return absl::OkStatus();
  for (size_t i = 0; i < refs.size(); ++i) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointers[i]);
    // What has no bytes is not accessed.
    if (address % kBufferAlignment == 0 || lengths[i] == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Binding ", i, " begins ", address % kBufferAlignment,
                     " bytes past a multiple of ", kBufferAlignment,
                     "; kernels take aligned memory."));
  }
  return absl::OkStatus();
}

absl::Status Executor::RunWorkgroups(const KernelExecutable& executable,
                                     uint32_t ordinal,
                                     const DispatchState& state) {
  const uint32_t size = executable.local_memory_size(ordinal);
  if (size == 0) [[likely]] {
    return executable.RunWorkgroups(ordinal, state, AllWorkgroups(state), {});
  }
  ASSIGN_OR_RETURN(const Ref<hal::Buffer> scratch,
                   allocator_.AllocateScratch(size));
  return executable.RunWorkgroups(ordinal, state, AllWorkgroups(state),
                                  {scratch->host_data(), size});
}

absl::Status Executor::RunDispatch(const DispatchCommand& command) {
  if (command.executable->driver_tag() != &KernelExecutable::kDriverTag)
      [[unlikely]] {
    return absl::FailedPreconditionError(
        "The executable was made by another driver.");
  }
  const KernelExecutable& executable =
      static_cast<const KernelExecutable&>(*command.executable);
  const uint32_t ordinal = command.export_ordinal;
  uint32_t count[3];
  void* pointers[kMaxDispatchBindings];
  size_t lengths[kMaxDispatchBindings];
  RETURN_IF_ERROR(ReadCounts(command, count));
  absl::Status resolved = ResolveBindings(command, pointers, lengths);
  if (!resolved.ok()) [[unlikely]] {
    return Annotate(
        resolved,
        absl::StrCat("(dispatch '", executable.exports()[ordinal].name, "')"));
  }
  const uint32_t* size = executable.exports()[ordinal].workgroup_size;
  DispatchState state = {};
  state.workgroup_size_x = size[0];
  state.workgroup_size_y = size[1];
  state.workgroup_size_z = static_cast<uint16_t>(size[2]);
  state.constant_count = static_cast<uint16_t>(command.constant_count);
  state.workgroup_count_x = count[0];
  state.workgroup_count_y = count[1];
  state.workgroup_count_z = static_cast<uint16_t>(count[2]);
  state.max_concurrency = 1;
  state.binding_count = static_cast<uint8_t>(command.binding_count);
  state.constants = command.constants().data();
  state.binding_pointers = pointers;
  state.binding_lengths = lengths;
  return RunWorkgroups(executable, ordinal, state);
}

absl::Status Executor::Run(const Command& command) {
  switch (command.kind) {
    case CommandKind::kBarrier:
      return absl::OkStatus();  // commands run in order anyway
    case CommandKind::kFill:
      return RunFill(static_cast<const FillCommand&>(command));
    case CommandKind::kUpdate:
      return RunUpdate(static_cast<const UpdateCommand&>(command));
    case CommandKind::kCopy:
      return RunCopy(static_cast<const CopyCommand&>(command));
    case CommandKind::kDispatch:
    case CommandKind::kDispatchIndirect:
      return RunDispatch(static_cast<const DispatchCommand&>(command));
  }
  return absl::InternalError("A command of no known kind was recorded.");
}

}  // namespace

absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table,
                     Allocator& allocator) {
  Executor executor(table, allocator);
  const FlushDenormals flush;
  for (const Command* command = commands.begin(); command != nullptr;
       command = commands.Next(command)) {
    absl::Status status = executor.Run(*command);
    if (!status.ok()) [[unlikely]]
      return status;
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal::cpu
