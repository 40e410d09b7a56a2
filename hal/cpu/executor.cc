// Walks the commands of a command buffer, and the workgroups of a dispatch.
//
// Nothing here allocates, locks or formats unless a kernel wants local memory
// or something fails.
// Tested by device_test.cc.
#include "hal/cpu/executor.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/cpu/float_state.h"

namespace eyrie::hal::cpu {
namespace {

absl::Status NotVisible() {
  return absl::FailedPreconditionError(
      "The buffer's memory is not visible to the host.");
}

class Executor {
 public:
  Executor(const CommandResolver& resolver, Allocator& allocator, bool measures)
      : resolver_(resolver), allocator_(allocator), measures_(measures) {}

  absl::Status Run(const Command& command);

 private:
  absl::Status RunFill(const FillCommand& command);
  absl::Status RunUpdate(const UpdateCommand& command);
  absl::Status RunCopy(const CopyCommand& command);
  absl::Status RunCollective(const CollectiveCommand& command);
  absl::Status RunDispatch(const DispatchCommand& command);
  absl::Status RunWorkgroups(const ResolvedDispatch& dispatch);

  const CommandResolver resolver_;
  Allocator& allocator_;
  const bool measures_;
};

absl::Status Executor::RunFill(const FillCommand& command) {
  ASSIGN_OR_RETURN(const HostBytes target, resolver_.Resolve(command.target));
  const trace::Span span(trace::Category::kTransfer, trace::Name::kFill,
                         target.length);
  FillBytes(command, target.data, target.length);
  return absl::OkStatus();
}

absl::Status Executor::RunUpdate(const UpdateCommand& command) {
  ASSIGN_OR_RETURN(const HostBytes target, resolver_.Resolve(command.target));
  const trace::Span span(trace::Category::kTransfer, trace::Name::kUpdate,
                         target.length);
  std::memcpy(target.data, command.data(), target.length);
  return absl::OkStatus();
}

absl::Status Executor::RunCopy(const CopyCommand& command) {
  ASSIGN_OR_RETURN(const ResolvedCopy copy, resolver_.Resolve(command));
  const trace::Span span(trace::Category::kTransfer, trace::Name::kCopy,
                         copy.target.length);
  std::memmove(copy.target.data, copy.source.data, copy.target.length);
  return absl::OkStatus();
}

absl::Status Executor::RunCollective(const CollectiveCommand& command) {
  ASSIGN_OR_RETURN(const CollectiveRanges ranges, Resolve(resolver_, command));
  return RunAlone(command, ranges);
}

absl::Status Executor::RunWorkgroups(const ResolvedDispatch& dispatch) {
  const uint32_t size =
      dispatch.executable->local_memory_size(dispatch.ordinal);
  const WorkgroupRange all = AllWorkgroups(dispatch.state);
  if (size == 0) [[likely]] {
    return dispatch.executable->RunWorkgroups(dispatch.ordinal, dispatch.state,
                                              all, {});
  }
  ASSIGN_OR_RETURN(const Ref<hal::Buffer> scratch,
                   allocator_.AllocateScratch(size));
  return dispatch.executable->RunWorkgroups(dispatch.ordinal, dispatch.state,
                                            all, {scratch->host_data(), size});
}

absl::Status Executor::RunDispatch(const DispatchCommand& command) {
  void* pointers[kMaxDispatchBindings];
  size_t lengths[kMaxDispatchBindings];
  ResolvedDispatch dispatch;
  RETURN_IF_ERROR(resolver_.Resolve(command, pointers, lengths, dispatch));
  const KernelExecutable& executable = *dispatch.executable;
  const bool due = measures_ && executable.cost(dispatch.ordinal).IsDue();
  return executable.Measure(dispatch.ordinal, dispatch.state,
                            AllWorkgroups(dispatch.state), due,
                            [&] { return RunWorkgroups(dispatch); });
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
    case CommandKind::kCollective:
      return RunCollective(static_cast<const CollectiveCommand&>(command));
    case CommandKind::kDispatch:
    case CommandKind::kDispatchIndirect:
      return RunDispatch(static_cast<const DispatchCommand&>(command));
  }
  return absl::InternalError("A command of no known kind was recorded.");
}

}  // namespace

absl::StatusOr<HostBytes> CommandResolver::Resolve(
    const RecordedRef& ref) const {
  if (ref.buffer != nullptr) {
    uint8_t* data = ref.buffer->host_data();
    if (data == nullptr) [[unlikely]]
      return NotVisible();
    return HostBytes{data + ref.offset, ref.length};
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
  return HostBytes{data + binding.offset + ref.offset, length};
}

absl::StatusOr<ResolvedCopy> CommandResolver::Resolve(
    const CopyCommand& command) const {
  ASSIGN_OR_RETURN(const HostBytes source, Resolve(command.source));
  ASSIGN_OR_RETURN(const HostBytes target, Resolve(command.target));
  if (source.length != target.length) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A copy's source has ", source.length,
                     " bytes and its target ", target.length, "."));
  }
  return ResolvedCopy{source, target};
}

absl::Status CommandResolver::ReadCounts(const DispatchCommand& command,
                                         uint32_t (&count)[3]) const {
  if (command.kind == CommandKind::kDispatch) {
    std::memcpy(count, command.workgroup_count, sizeof(count));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const HostBytes bytes, Resolve(command.workgroup_count_ref));
  std::memcpy(count, bytes.data, sizeof(count));
  return ValidateWorkgroupCount(count);
}

absl::Status CommandResolver::ResolveBindings(const DispatchCommand& command,
                                              void** pointers,
                                              size_t* lengths) const {
  const std::span<const RecordedRef> refs = command.bindings();
  if (refs.size() > kMaxDispatchBindings) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A dispatch has ", refs.size(), " bindings; at most ",
                     kMaxDispatchBindings, " can be passed."));
  }
  uintptr_t misaligned = 0;
  for (size_t i = 0; i < refs.size(); ++i) {
    ASSIGN_OR_RETURN(const HostBytes bytes, Resolve(refs[i]));
    pointers[i] = bytes.data;
    lengths[i] = bytes.length;
    misaligned |= reinterpret_cast<uintptr_t>(bytes.data);
  }
  if (misaligned % kBufferAlignment == 0) [[likely]]
    return absl::OkStatus();
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!IsAligned(pointers[i], lengths[i])) {
      return MisalignedBinding(i, pointers[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status CommandResolver::Resolve(const DispatchCommand& command,
                                      void** pointers, size_t* lengths,
                                      ResolvedDispatch& dispatch) const {
  if (command.executable->driver_tag() != &KernelExecutable::kDriverTag)
      [[unlikely]] {
    return absl::FailedPreconditionError(
        "The executable was made by another driver.");
  }
  const KernelExecutable& executable =
      static_cast<const KernelExecutable&>(*command.executable);
  const ExportInfo& info = executable.exports()[command.export_ordinal];
  uint32_t count[3];
  RETURN_IF_ERROR(ReadCounts(command, count));
  absl::Status resolved = ResolveBindings(command, pointers, lengths);
  if (!resolved.ok()) [[unlikely]] {
    return Annotate(resolved, absl::StrCat("(dispatch '", info.name, "')"));
  }
  dispatch.executable = &executable;
  dispatch.ordinal = command.export_ordinal;
  dispatch.state = MakeDispatchState(info, count, command.constants(),
                                     {pointers, command.binding_count}, lengths,
                                     max_concurrency_);
  return absl::OkStatus();
}

absl::StatusOr<CollectiveRanges> Resolve(const CommandResolver& resolver,
                                         const CollectiveCommand& command) {
  CollectiveRanges ranges;
  if (command.send.length != 0) {
    ASSIGN_OR_RETURN(const HostBytes send, resolver.Resolve(command.send));
    ranges.send = {send.data, send.length};
  }
  if (command.receive.length != 0) {
    ASSIGN_OR_RETURN(const HostBytes receive,
                     resolver.Resolve(command.receive));
    ranges.receive = {receive.data, receive.length};
  }
  return ranges;
}

absl::Status RunAlone(const CollectiveCommand& command,
                      const CollectiveRanges& ranges) {
  if (command.channel->count() != 1) {
    return absl::InternalError(
        "A collective of many ranks is run as one of a single rank.");
  }
  absl::Status ended;
  command.channel->Start(
      command.plan, ranges, nullptr,
      [&ended](const absl::Status& status) { ended = status; });
  return ended;
}

void FillBytes(const FillCommand& command, uint8_t* target, uint64_t length) {
  if (command.pattern_length == 1) {
    std::memset(target, static_cast<int>(command.pattern & 0xFF), length);
    return;
  }
  uint64_t done = 0;
  for (; length - done >= 8; done += 8) {
    std::memcpy(target + done, &command.pattern, 8);
  }
  std::memcpy(target + done, &command.pattern, length - done);
}

absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table, Allocator& allocator,
                     int max_concurrency, bool measures) {
  Executor executor(CommandResolver(table, max_concurrency), allocator,
                    measures);
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
