// Walks the commands of a command buffer, and the workgroups of a dispatch.
//
// Does not allocate, lock or format text, unless a kernel needs local memory or
// something fails.
#include "hal/cpu/executor.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/foreign_function.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/cpu/dispatch_stream.h"
#include "hal/cpu/machine/float_state.h"
#include "hal/cpu/native_executable.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu {
namespace {

absl::Status NotVisible() {
  return absl::FailedPreconditionError(
      "The buffer's memory is not visible to the host.");
}

// Out of line, like InDispatch, so that the usual path stays small.
[[gnu::cold, gnu::noinline]] absl::Status TooManyBindings(size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat("A dispatch has ", count, " bindings; at most ",
                   kMaxDispatchBindings, " can be passed."));
}

[[gnu::cold, gnu::noinline]] absl::Status InDispatch(
    const ExportInfo& info, const absl::Status& status) {
  return Annotate(status,
                  absl::StrCat("(dispatch '", PlainName(info.name), "')"));
}

const char* TextOf(CommandKind kind) {
  if (kind == CommandKind::kFill) return "fill";
  return kind == CommandKind::kUpdate ? "update" : "copy";
}

trace::Name TraceName(CommandKind kind) {
  if (kind == CommandKind::kFill) return trace::Name::kFill;
  return kind == CommandKind::kUpdate ? trace::Name::kUpdate
                                      : trace::Name::kCopy;
}

// Fills `length` bytes with the pattern, which is repeated to 8 bytes.
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

WorkgroupState OnlyWorkgroup() {
  WorkgroupState workgroup = {};
  workgroup.processor_id = CurrentProcessor();
  return workgroup;
}

class Executor {
 public:
  Executor(const CommandResolver& resolver, Allocator& allocator,
           WorkBudget* work, bool measures)
      : resolver_(resolver),
        allocator_(allocator),
        work_(work),
        measures_(measures) {}

  absl::Status Run(const Command& command);
  // Waits for dispatches of another process. Must be called at the end.
  absl::Status Finish() {
    return stream_ == nullptr ? absl::OkStatus() : FinishStream();
  }

 private:
  absl::Status RunTransfer(const Command& command);
  absl::Status RunCollective(const CollectiveCommand& command);
  absl::Status RunDispatch(const DispatchCommand& command);
  // The same for a dispatch that is measured or traced, is not native code, or
  // needs local memory.
  absl::Status RunSpecial(const ResolvedDispatch& dispatch, bool measured);
  absl::Status RunWorkgroups(const ResolvedDispatch& dispatch);
  absl::Status PostDispatch(const ResolvedDispatch& dispatch);
  absl::Status FinishStream();

  const CommandResolver resolver_;
  Allocator& allocator_;
  WorkBudget* const work_;
  const bool measures_;
  const bool traced_ = trace::IsRecording(trace::kEvents | trace::kDispatches);
  // The workgroup of every dispatch that has only one.
  const WorkgroupState only_workgroup_ = OnlyWorkgroup();
  // Dispatches that another process runs; null: none.
  DispatchStream* stream_ = nullptr;
  const void* remote_ = nullptr;  // of stream_
  // The bindings of the current dispatch.
  void* pointers_[kMaxDispatchBindings];
  size_t lengths_[kMaxDispatchBindings];
};

absl::Status Executor::RunTransfer(const Command& command) {
  ASSIGN_OR_RETURN(const ResolvedTransfer transfer,
                   resolver_.ResolveTransfer(command));
  return cpu::RunTransfer(transfer, 0, transfer.target.length, work_);
}

absl::Status Executor::RunCollective(const CollectiveCommand& command) {
  ASSIGN_OR_RETURN(const CollectiveRanges ranges, Resolve(resolver_, command));
  return RunAlone(command, ranges, work_);
}

absl::Status Executor::RunWorkgroups(const ResolvedDispatch& dispatch) {
  const uint32_t size =
      dispatch.executable->local_memory_size(dispatch.ordinal);
  const WorkgroupRange all = AllWorkgroups(dispatch.state);
  if (size == 0) [[likely]] {
    return dispatch.Run(all, {}, work_);
  }
  ASSIGN_OR_RETURN(
      const Ref<hal::Buffer> scratch,
      allocator_.AllocateScratch(size, dispatch.executable->memory(), work_));
  return dispatch.Run(all, {scratch->host_data(), size}, work_);
}

// Inlines all calls, because every dispatch runs through them.
[[gnu::flatten]] EYRIE_CALLS_FOREIGN_CODE absl::Status Executor::RunDispatch(
    const DispatchCommand& command) {
  ResolvedDispatch dispatch;
  RETURN_IF_ERROR(resolver_.Resolve(command, pointers_, lengths_, dispatch));
  const NativeCode* const code = dispatch.executable->native_code();
  if (stream_ != nullptr && dispatch.executable->remote() != remote_)
      [[unlikely]] {
    RETURN_IF_ERROR(FinishStream());
  }
  const bool measured =
      measures_ && dispatch.executable->cost(dispatch.ordinal).IsDue();
  if (measured || traced_ || code == nullptr ||
      code->kernels[dispatch.ordinal].local_memory_size != 0) [[unlikely]] {
    return RunSpecial(dispatch, measured);
  }
  const DispatchFunction kernel = code->kernels[dispatch.ordinal].function;
  const WorkgroupRange all = AllWorkgroups(dispatch.state);
  const int failed =
      all.end == 1
          ? kernel(code->environment, &dispatch.state, &only_workgroup_)
          : RunKernel(kernel, code->environment, dispatch.state, all, {},
                      only_workgroup_.processor_id);
  if (failed == 0) [[likely]]
    return absl::OkStatus();
  return KernelFailed(dispatch.executable->exports()[dispatch.ordinal], failed);
}

absl::Status Executor::FinishStream() {
  return std::exchange(stream_, nullptr)->Finish(work_);
}

absl::Status Executor::PostDispatch(const ResolvedDispatch& dispatch) {
  if (stream_ == nullptr) {
    ASSIGN_OR_RETURN(stream_, dispatch.executable->TakeStream(work_));
    remote_ = dispatch.executable->remote();
  }
  return stream_->Post(*dispatch.executable, dispatch.ordinal, dispatch.state,
                       dispatch.read_only, work_);
}

[[gnu::noinline]] absl::Status Executor::RunSpecial(
    const ResolvedDispatch& dispatch, bool measured) {
  if (dispatch.executable->remote() != nullptr && !measured && !traced_ &&
      dispatch.executable->local_memory_size(dispatch.ordinal) == 0) {
    return PostDispatch(dispatch);
  }
  RETURN_IF_ERROR(Finish());
  return dispatch.executable->Measure(dispatch.ordinal, dispatch.state,
                                      AllWorkgroups(dispatch.state), measured,
                                      [&] { return RunWorkgroups(dispatch); });
}

absl::Status Executor::Run(const Command& command) {
  RETURN_IF_ERROR(PayForCommand(work_));
  if (stream_ != nullptr && command.kind != CommandKind::kDispatch &&
      command.kind != CommandKind::kBarrier) {
    RETURN_IF_ERROR(FinishStream());
  }
  switch (command.kind) {
    case CommandKind::kBarrier:
      return absl::OkStatus();  // commands run in order anyway
    case CommandKind::kFill:
    case CommandKind::kUpdate:
    case CommandKind::kCopy:
      return RunTransfer(command);
    case CommandKind::kCollective:
      return RunCollective(static_cast<const CollectiveCommand&>(command));
    case CommandKind::kDispatch:
    case CommandKind::kDispatchIndirect:
      return RunDispatch(static_cast<const DispatchCommand&>(command));
  }
  return UnknownCommand(command);
}

}  // namespace

absl::StatusOr<HostBytes> CommandResolver::Resolve(
    const RecordedRef& ref) const {
  const LocatedRange range = Locate(ref, table_);
  uint8_t* const data = range.buffer.host_data();
  if (data == nullptr) [[unlikely]]
    return NotVisible();
  return HostBytes{data + range.offset, range.length};
}

absl::StatusOr<ResolvedTransfer> CommandResolver::ResolveCopy(
    const CopyCommand& command) const {
  ASSIGN_OR_RETURN(const HostBytes source, Resolve(command.source));
  ASSIGN_OR_RETURN(const HostBytes target, Resolve(command.target));
  if (source.length != target.length) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A copy's source has ", source.length,
                     " bytes and its target ", target.length, "."));
  }
  return ResolvedTransfer{&command, source.data, target};
}

absl::StatusOr<ResolvedTransfer> CommandResolver::ResolveTransfer(
    const Command& command) const {
  switch (command.kind) {
    case CommandKind::kFill: {
      const auto& fill = static_cast<const FillCommand&>(command);
      ASSIGN_OR_RETURN(const HostBytes target, Resolve(fill.target));
      return ResolvedTransfer{&command, nullptr, target};
    }
    case CommandKind::kUpdate: {
      const auto& update = static_cast<const UpdateCommand&>(command);
      ASSIGN_OR_RETURN(const HostBytes target, Resolve(update.target));
      return ResolvedTransfer{&command, update.data(), target};
    }
    default:
      return ResolveCopy(static_cast<const CopyCommand&>(command));
  }
}

absl::Status CommandResolver::ReadCounts(const DispatchCommand& command,
                                         uint32_t (&count)[3]) const {
  ASSIGN_OR_RETURN(const HostBytes bytes, Resolve(command.workgroup_count_ref));
  std::memcpy(count, bytes.data, sizeof(count));
  return ValidateWorkgroupCount(count);
}

absl::Status CommandResolver::ResolveBindings(const DispatchCommand& command,
                                              void** pointers, size_t* lengths,
                                              uint64_t& read_only) const {
  const std::span<const RecordedRef> refs = command.bindings();
  if (refs.size() > kMaxDispatchBindings) [[unlikely]]
    return TooManyBindings(refs.size());
  uintptr_t misaligned = 0;
  read_only = 0;
  for (size_t i = 0; i < refs.size(); ++i) {
    const LocatedRange range = Locate(refs[i], table_);
    uint8_t* const data = range.buffer.host_data();
    if (data == nullptr) [[unlikely]]
      return NotVisible();
    pointers[i] = data + range.offset;
    lengths[i] = range.length;
    const bool is_writable =
        (range.buffer.allowed_access() & memory_access::kWrite) != 0;
    read_only |= uint64_t{!is_writable} << i;
    misaligned |= reinterpret_cast<uintptr_t>(pointers[i]);
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
  if (command.kind == CommandKind::kDispatch) [[likely]] {
    std::memcpy(count, command.workgroup_count, sizeof(count));
  } else {
    RETURN_IF_ERROR(ReadCounts(command, count));
  }
  const absl::Status resolved =
      ResolveBindings(command, pointers, lengths, dispatch.read_only);
  if (!resolved.ok()) [[unlikely]]
    return InDispatch(info, resolved);
  dispatch.executable = &executable;
  dispatch.ordinal = command.export_ordinal;
  dispatch.state = CreateDispatchState(info, count, command.constants(),
                                       {pointers, command.binding_count},
                                       lengths, max_concurrency_);
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
                      const CollectiveRanges& ranges, WorkBudget* work) {
  RETURN_IF_ERROR(PayForBytes(work, "collective", ranges.receive.size()));
  return command.channel->RunAlone(command.plan, ranges);
}

absl::Status RunTransfer(const ResolvedTransfer& transfer, uint64_t begin,
                         uint64_t length, WorkBudget* work) {
  const CommandKind kind = transfer.command->kind;
  const trace::Span span(trace::Category::kTransfer, TraceName(kind), length);
  uint8_t* const target = transfer.target.data + begin;
  const auto move = [&](uint64_t offset, uint64_t piece) {
    if (kind == CommandKind::kFill) {
      FillBytes(static_cast<const FillCommand&>(*transfer.command),
                target + offset, piece);
    } else {
      std::memmove(target + offset, transfer.source + begin + offset, piece);
    }
    return absl::OkStatus();
  };
  // Moves overlapping ranges in the direction that reads each byte before it is
  // overwritten.
  const bool backwards =
      transfer.Overlaps() && transfer.source < transfer.target.data;
  return MovePaid(work, TextOf(kind), length, move, backwards);
}

absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table, Allocator& allocator,
                     WorkBudget* work, int max_concurrency, bool measures) {
  return ExecuteRange(commands, {commands.begin(), nullptr}, table, allocator,
                      work, max_concurrency, measures);
}

absl::Status ExecuteRange(const CommandBuffer& commands,
                          const CommandRange& range,
                          std::span<const BufferBinding> table,
                          Allocator& allocator, WorkBudget* work,
                          int max_concurrency, bool measures) {
  Executor executor(CommandResolver(table, max_concurrency), allocator, work,
                    measures);
  const FlushDenormals flush;
  const bool to_last = range.begin != nullptr && range.end == nullptr;
  const Command* const end = to_last ? commands.end() : range.end;
  for (const Command* command = range.begin; command != end;
       command = command->After()) {
    absl::Status status = executor.Run(*command);
    if (!status.ok()) [[unlikely]] {
      // Posted dispatches must end before their buffers may be released.
      executor.Finish().IgnoreError();
      return status;
    }
  }
  return executor.Finish();
}

}  // namespace eyrie::hal::cpu
