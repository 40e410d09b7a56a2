#include "hal/command_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

// Limit of the bytes after a command: an update's data or a dispatch's
// arguments.
constexpr uint64_t kMaxExtra = uint64_t{1} << 30;

// Slots reserved at first.
constexpr uint32_t kFirstSlots = 16;

// Resolves kWholeBuffer of a copy's sides if either side's length is known.
void MatchLengths(BufferRef& source, BufferRef& target) {
  for (BufferRef* ref : {&source, &target}) {
    if (ref->length != kWholeBuffer || !ref->buffer) continue;
    absl::StatusOr<uint64_t> length =
        ref->buffer->ResolveRange(ref->offset, ref->length);
    if (length.ok()) ref->length = *length;
  }
  if (source.length == kWholeBuffer) source.length = target.length;
  if (target.length == kWholeBuffer) target.length = source.length;
}

// Calls `see` with each range of a command.
void VisitRefs(Command& command, absl::FunctionRef<void(RecordedRef&)> see) {
  switch (command.kind) {
    case CommandKind::kBarrier:
      return;
    case CommandKind::kFill:
      return see(static_cast<FillCommand&>(command).target);
    case CommandKind::kUpdate:
      return see(static_cast<UpdateCommand&>(command).target);
    case CommandKind::kCopy:
      see(static_cast<CopyCommand&>(command).source);
      return see(static_cast<CopyCommand&>(command).target);
    case CommandKind::kCollective:
      for (RecordedRef* ref :
           {&static_cast<CollectiveCommand&>(command).send,
            &static_cast<CollectiveCommand&>(command).receive}) {
        if (ref->length != 0) see(*ref);
      }
      return;
    case CommandKind::kDispatchIndirect:
      see(static_cast<DispatchCommand&>(command).workgroup_count_ref);
      break;
    case CommandKind::kDispatch:
      break;
  }
  for (const RecordedRef& ref :
       static_cast<DispatchCommand&>(command).bindings()) {
    see(const_cast<RecordedRef&>(ref));  // bindings follow the command
  }
}

// Returns the length of a range if it is known. ValidateRef reports ranges that
// exceed their buffer.
std::optional<uint64_t> KnownLength(const BufferRef& ref) {
  if (!ref.buffer) {
    if (ref.length == kWholeBuffer) return std::nullopt;
    return ref.length;
  }
  const absl::StatusOr<uint64_t> length =
      ref.buffer->ResolveRange(ref.offset, ref.length);
  if (!length.ok()) return std::nullopt;
  return *length;
}

}  // namespace

absl::Status UnknownCommand(const Command& command) {
  return absl::InternalError(absl::StrCat(
      "The recorded command has kind ", static_cast<int>(command.kind),
      "; expected 0 to ", static_cast<int>(CommandKind::kCollective), "."));
}

CommandArena::~CommandArena() {
  if (!is_first()) std::free(words_);
}

absl::Status CommandArena::Append(size_t words, MemoryCharge& charge) {
  const size_t size = size_ + words;
  if (size > capacity_) [[unlikely]] {
    const size_t capacity = std::max(size, capacity_ * 2);
    // The first words are part of the object and are not freed.
    const size_t taken = is_first() ? 0 : capacity_;
    const uint64_t more = (capacity - taken) * sizeof(uint64_t);
    RETURN_IF_ERROR(charge.Add(more, "a command buffer"));
    void* const grown = std::realloc(is_first() ? nullptr : words_,
                                     capacity * sizeof(uint64_t));
    if (grown == nullptr) {
      charge.Sub(more);
      return absl::ResourceExhaustedError(
          absl::StrCat("A command buffer of ", capacity * sizeof(uint64_t),
                       " bytes cannot be allocated."));
    }
    if (is_first()) std::memcpy(grown, words_, size_ * sizeof(uint64_t));
    words_ = static_cast<uint64_t*>(grown);
    capacity_ = capacity;
  }
  std::memset(words_ + size_, 0, words * sizeof(uint64_t));
  size_ = size;
  return absl::OkStatus();
}

CommandBuffer::CommandBuffer(CommandBufferMode mode, QueueAffinity affinity,
                             uint32_t binding_capacity)
    : ChargedObject(kType),
      mode_(mode),
      affinity_(affinity),
      binding_capacity_(binding_capacity) {
  slots_.reserve(std::min(binding_capacity, kFirstSlots));
}

CommandBuffer::~CommandBuffer() = default;

absl::Status CommandBuffer::CheckRecording() const {
  if (!finalized_) [[likely]]
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      "The command buffer has been finalized; nothing more can be recorded.");
}

absl::Status CommandBuffer::ChargeSlots() {
  if (slots_.size() <= charged_slots_) [[likely]]
    return absl::OkStatus();
  const size_t more = slots_.size() - charged_slots_;
  charged_slots_ = slots_.size();
  return charge().Add(more * sizeof(SlotTable::value_type),
                      "a command buffer's slots");
}

template <typename T>
absl::StatusOr<T*> CommandBuffer::Append(CommandKind kind, uint64_t extra) {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
  if (extra > kMaxExtra) {
    return absl::OutOfRangeError(absl::StrCat("A command's data (", extra,
                                              " bytes) exceeds the limit (",
                                              kMaxExtra, ")."));
  }
  RETURN_IF_ERROR(ChargeSlots());
  const size_t words = (sizeof(T) + extra + 7) / 8;
  const size_t start = arena_.size();
  RETURN_IF_ERROR(arena_.Append(words, charge()));
  T* command = new (arena_.data() + start) T();
  command->kind = kind;
  command->size = static_cast<uint32_t>(words * 8);
  return command;
}

void CommandBuffer::Retain(RefObject* object) {
  if (object == nullptr) return;
  // Consecutive commands often name the same objects.
  const std::span<const Ref<RefObject>> all = retained_;
  for (const Ref<RefObject>& near : all.last(std::min<size_t>(all.size(), 8))) {
    if (near.get() == object) return;
  }
  retained_.push_back(Ref<RefObject>::Share(object));
}

absl::Status CommandBuffer::ExecutionBarrier(uint32_t source_stages,
                                             uint32_t target_stages) {
  RETURN_IF_ERROR(CheckRecording());
  ASSIGN_OR_RETURN(BarrierCommand * command,
                   Append<BarrierCommand>(CommandKind::kBarrier, 0));
  command->source_stages = source_stages;
  command->target_stages = target_stages;
  return absl::OkStatus();
}

absl::Status CommandBuffer::Fill(const BufferRef& target,
                                 std::span<const uint8_t> pattern) {
  RETURN_IF_ERROR(CheckRecording());
  if (target.length == 0) return absl::OkStatus();
  RETURN_IF_ERROR(ValidatePattern(pattern.size()));
  const RangeUse use = {"the fill's target", buffer_usage::kTransferTarget,
                        memory_access::kWrite,
                        static_cast<uint32_t>(pattern.size())};
  ASSIGN_OR_RETURN(const RecordedRef ref, ValidateRef(target, use, slots_));
  ASSIGN_OR_RETURN(FillCommand * command,
                   Append<FillCommand>(CommandKind::kFill, 0));
  command->target = ref;
  command->pattern_length = static_cast<uint32_t>(pattern.size());
  uint8_t repeated[8];
  for (size_t i = 0; i < 8; ++i) repeated[i] = pattern[i % pattern.size()];
  std::memcpy(&command->pattern, repeated, 8);
  Retain(ref.buffer);
  return absl::OkStatus();
}

absl::Status CommandBuffer::Update(std::span<const uint8_t> source,
                                   const BufferRef& target) {
  RETURN_IF_ERROR(CheckRecording());
  if (target.length == 0) return absl::OkStatus();
  BufferRef sized = target;
  if (sized.length == kWholeBuffer) sized.length = source.size();
  if (sized.length != source.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("An update's source has ", source.size(),
                     " bytes and its target ", sized.length, "."));
  }
  const RangeUse use = {"the update's target", buffer_usage::kTransferTarget,
                        memory_access::kWrite, 1};
  ASSIGN_OR_RETURN(const RecordedRef ref, ValidateRef(sized, use, slots_));
  ASSIGN_OR_RETURN(UpdateCommand * command,
                   Append<UpdateCommand>(CommandKind::kUpdate, source.size()));
  command->target = ref;
  std::memcpy(command + 1, source.data(), source.size());
  Retain(ref.buffer);
  return absl::OkStatus();
}

absl::Status CommandBuffer::Copy(const BufferRef& source,
                                 const BufferRef& target) {
  RETURN_IF_ERROR(CheckRecording());
  if (target.length == 0 && source.length == 0) return absl::OkStatus();
  BufferRef from = source;
  BufferRef to = target;
  MatchLengths(from, to);
  const RangeUse read = {"the copy's source", buffer_usage::kTransferSource,
                         memory_access::kRead, 1};
  const RangeUse write = {"the copy's target", buffer_usage::kTransferTarget,
                          memory_access::kWrite, 1};
  ASSIGN_OR_RETURN(const RecordedRef from_ref, ValidateRef(from, read, slots_));
  ASSIGN_OR_RETURN(const RecordedRef to_ref, ValidateRef(to, write, slots_));
  RETURN_IF_ERROR(ValidateCopy(from_ref, to_ref));
  ASSIGN_OR_RETURN(CopyCommand * command,
                   Append<CopyCommand>(CommandKind::kCopy, 0));
  command->source = from_ref;
  command->target = to_ref;
  Retain(from_ref.buffer);
  Retain(to_ref.buffer);
  return absl::OkStatus();
}

absl::Status CommandBuffer::RecordDispatch(
    const Ref<Executable>& executable, uint32_t ordinal, const uint32_t* count,
    const BufferRef& count_ref, std::span<const uint32_t> constants,
    std::span<const BufferRef> bindings) {
  RETURN_IF_ERROR(ValidateDispatch(executable.get(), ordinal, constants.size(),
                                   bindings.size()));
  RecordedRef count_range = {};
  if (count == nullptr) {
    BufferRef three = count_ref;
    // The range may be longer, but only three words are read.
    if (three.length >= 12) three.length = 12;
    const RangeUse use = {"the dispatch's workgroup counts",
                          buffer_usage::kDispatchIndirectParameters,
                          memory_access::kRead, 4};
    if (three.length < 12) {
      return absl::OutOfRangeError(
          absl::StrCat("The workgroup counts have ", three.length,
                       " bytes; three numbers take 12."));
    }
    ASSIGN_OR_RETURN(count_range, ValidateRef(three, use, slots_));
  }
  ASSIGN_OR_RETURN(
      DispatchCommand * command,
      Append<DispatchCommand>(
          count ? CommandKind::kDispatch : CommandKind::kDispatchIndirect,
          bindings.size() * sizeof(RecordedRef) + constants.size_bytes()));
  const size_t start = reinterpret_cast<uint64_t*>(command) - arena_.data();
  command->executable = executable.get();
  command->export_ordinal = ordinal;
  if (count) std::copy_n(count, 3, command->workgroup_count);
  command->workgroup_count_ref = count_range;
  command->constant_count = static_cast<uint32_t>(constants.size());
  command->binding_count = static_cast<uint32_t>(bindings.size());
  RecordedRef* refs = reinterpret_cast<RecordedRef*>(command + 1);
  const RangeUse use = {"a dispatch's binding", buffer_usage::kDispatchStorage,
                        memory_access::kAny, 1};
  for (size_t i = 0; i < bindings.size(); ++i) {
    absl::StatusOr<RecordedRef> ref = ValidateRef(bindings[i], use, slots_);
    if (!ref.ok()) [[unlikely]] {
      arena_.Cut(start);
      return Annotate(
          ref.status(),
          absl::StrCat("(binding ", i, " of '",
                       PlainName(executable->exports()[ordinal].name), "')"));
    }
    refs[i] = *ref;
    Retain(ref->buffer);
  }
  if (!constants.empty()) {
    std::memcpy(refs + bindings.size(), constants.data(),
                constants.size_bytes());
  }
  Retain(count_range.buffer);
  Retain(executable.get());
  return ChargeSlots();
}

absl::Status CommandBuffer::Dispatch(const Ref<Executable>& executable,
                                     uint32_t export_ordinal,
                                     const uint32_t (&workgroup_count)[3],
                                     std::span<const uint32_t> constants,
                                     std::span<const BufferRef> bindings) {
  RETURN_IF_ERROR(CheckRecording());
  RETURN_IF_ERROR(ValidateWorkgroupCount(workgroup_count));
  if (workgroup_count[0] == 0 || workgroup_count[1] == 0 ||
      workgroup_count[2] == 0) {
    return absl::OkStatus();
  }
  return RecordDispatch(executable, export_ordinal, workgroup_count,
                        BufferRef(), constants, bindings);
}

absl::Status CommandBuffer::DispatchIndirect(
    const Ref<Executable>& executable, uint32_t export_ordinal,
    const BufferRef& workgroup_count, std::span<const uint32_t> constants,
    std::span<const BufferRef> bindings) {
  RETURN_IF_ERROR(CheckRecording());
  return RecordDispatch(executable, export_ordinal, nullptr, workgroup_count,
                        constants, bindings);
}

absl::Status CommandBuffer::Collective(const Ref<Channel>& channel,
                                       const CollectiveOp& op, uint32_t param,
                                       const BufferRef& send,
                                       const BufferRef& receive,
                                       uint64_t element_count) {
  RETURN_IF_ERROR(CheckRecording());
  if (!channel) {
    return absl::InvalidArgumentError("A collective has no channel.");
  }
  CollectiveArguments arguments;
  arguments.param = param;
  arguments.count = element_count;
  arguments.send_length = KnownLength(send);
  arguments.receive_length = KnownLength(receive);
  ASSIGN_OR_RETURN(
      const CollectivePlan plan,
      PlanCollective(op, arguments, channel->rank(), channel->count()));
  RecordedRef refs[2] = {};
  const RangeUse uses[2] = {
      {"the collective's send range", buffer_usage::kTransferSource,
       memory_access::kRead, ByteCount(op.type)},
      {"the collective's receive range", buffer_usage::kTransferTarget,
       memory_access::kWrite, ByteCount(op.type)}};
  const uint64_t lengths[2] = {plan.send_bytes, plan.receive_bytes};
  for (int i = 0; i < 2; ++i) {
    if (lengths[i] == 0) continue;
    BufferRef ref = i == 0 ? send : receive;
    ref.length = lengths[i];
    ASSIGN_OR_RETURN(refs[i], ValidateRef(ref, uses[i], slots_));
  }
  ASSIGN_OR_RETURN(CollectiveCommand * command,
                   Append<CollectiveCommand>(CommandKind::kCollective, 0));
  command->channel = channel.get();
  command->plan = plan;
  command->send = refs[0];
  command->receive = refs[1];
  talks_to_ranks_ |= channel->count() > 1;
  Retain(channel.get());
  Retain(refs[0].buffer);
  Retain(refs[1].buffer);
  return absl::OkStatus();
}

absl::Status CommandBuffer::BeginDebugGroup(absl::string_view label) {
  RETURN_IF_ERROR(CheckRecording());
  ++debug_depth_;
  return absl::OkStatus();
}

absl::Status CommandBuffer::EndDebugGroup() {
  RETURN_IF_ERROR(CheckRecording());
  if (debug_depth_ == 0) {
    return absl::FailedPreconditionError("No debug group is open.");
  }
  --debug_depth_;
  return absl::OkStatus();
}

absl::Status CommandBuffer::Finalize() {
  RETURN_IF_ERROR(CheckRecording());
  if (debug_depth_ != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("Debug groups are still open (", debug_depth_, ")."));
  }
  finalized_ = true;
  recorder_state_.reset();
  return absl::OkStatus();
}

void CommandBuffer::ForEachRef(
    absl::FunctionRef<void(const RecordedRef&)> see) const {
  for (const Command* command = begin(); command; command = Next(command)) {
    VisitRefs(const_cast<Command&>(*command), see);  // `see` does not change it
  }
}

absl::StatusOr<Ref<CommandBuffer>> CommandBuffer::CopyRange(
    const Command* begin, const Command* end, MemoryCharge charge) const {
  const size_t words = reinterpret_cast<const uint64_t*>(end) -
                       reinterpret_cast<const uint64_t*>(begin);
  auto copy = MakeRef<CommandBuffer>(mode_ | command_buffer_mode::kOneShot,
                                     affinity_, binding_capacity_);
  copy->Hold(std::move(charge));
  if (words != 0) {
    RETURN_IF_ERROR(copy->arena_.Append(words, copy->charge()));
    std::memcpy(copy->arena_.data(), begin, words * sizeof(uint64_t));
  }
  copy->slots_ = slots_;
  copy->talks_to_ranks_ = talks_to_ranks_;
  RETURN_IF_ERROR(copy->ChargeSlots());
  copy->retained_ = retained_;
  copy->finalized_ = true;
  return copy;
}

absl::StatusOr<Ref<CommandBuffer>> CommandBuffer::CopyWith(
    absl::FunctionRef<void(RecordedRef&)> change,
    std::span<const Ref<Buffer>> kept, MemoryCharge charge) const {
  const auto* const first = reinterpret_cast<const Command*>(arena_.data());
  ASSIGN_OR_RETURN(Ref<CommandBuffer> copy,
                   CopyRange(first, end(), std::move(charge)));
  copy->retained_.insert(copy->retained_.end(), kept.begin(), kept.end());
  for (const Command* command = copy->begin(); command;
       command = copy->Next(command)) {
    VisitRefs(const_cast<Command&>(*command), change);  // it is in copy's arena
  }
  return copy;
}

Ref<RefObject> CommandBuffer::TakeTranslation() const {
  std::lock_guard<std::mutex> lock(translation_mutex_);
  return std::move(translation_);
}

void CommandBuffer::KeepTranslation(Ref<RefObject> translation) const {
  std::lock_guard<std::mutex> lock(translation_mutex_);
  std::swap(translation_, translation);
}

}  // namespace eyrie::hal
