#include "hal/module/testing/fake_device.h"

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "hal/host_semaphore.h"

namespace eyrie::hal {
namespace {

class FakeBuffer final : public Buffer {
 public:
  FakeBuffer(const BufferParams& params, std::span<uint8_t> bytes,
             std::function<void()> release)
      : Buffer(params, bytes.size(), bytes.data()),
        release_(std::move(release)) {}
  ~FakeBuffer() override { release_(); }

 private:
  std::function<void()> release_;
};

std::string LengthText(uint64_t length) {
  return length == kWholeBuffer ? "rest" : absl::StrCat(length);
}

// "4+8 of 16", or "4+8 of slot 1".
std::string RefText(const RecordedRef& ref) {
  std::string of = ref.buffer ? absl::StrCat(ref.buffer->byte_length())
                              : absl::StrCat("slot ", ref.slot);
  return absl::StrCat(ref.offset, "+", LengthText(ref.length), " of ", of);
}

std::string DispatchText(const DispatchCommand& dispatch) {
  const uint32_t* count = dispatch.workgroup_count;
  std::string text = absl::StrCat("dispatch ", dispatch.export_ordinal, " ");
  if (dispatch.kind == CommandKind::kDispatch) {
    absl::StrAppend(&text, count[0], "x", count[1], "x", count[2]);
  } else {
    absl::StrAppend(&text, "[", RefText(dispatch.workgroup_count_ref), "]");
  }
  absl::StrAppend(&text, " {", absl::StrJoin(dispatch.constants(), ","), "} (");
  for (const RecordedRef& binding : dispatch.bindings()) {
    absl::StrAppend(&text, &binding == dispatch.bindings().data() ? "" : ", ",
                    RefText(binding));
  }
  return text + ")";
}

std::string CommandText(const Command& command) {
  switch (command.kind) {
    case CommandKind::kBarrier: {
      const auto& barrier = static_cast<const BarrierCommand&>(command);
      return absl::StrCat("barrier ", barrier.source_stages, " ",
                          barrier.target_stages);
    }
    case CommandKind::kFill: {
      const auto& fill = static_cast<const FillCommand&>(command);
      return absl::StrCat("fill ", RefText(fill.target), " with 0x",
                          absl::Hex(fill.pattern));
    }
    case CommandKind::kUpdate: {
      const auto& update = static_cast<const UpdateCommand&>(command);
      return absl::StrCat("update ", RefText(update.target), " from ",
                          int{update.data()[0]});
    }
    case CommandKind::kCopy: {
      const auto& copy = static_cast<const CopyCommand&>(command);
      return absl::StrCat("copy ", RefText(copy.source), " to ",
                          RefText(copy.target));
    }
    case CommandKind::kCollective: {
      const auto& collective = static_cast<const CollectiveCommand&>(command);
      return absl::StrCat(CollectiveText(collective.plan.op), " x ",
                          collective.plan.count, " from ",
                          RefText(collective.send), " to ",
                          RefText(collective.receive));
    }
    default:
      return DispatchText(static_cast<const DispatchCommand&>(command));
  }
}

}  // namespace

std::string CommandText(const CommandBuffer& commands) {
  std::vector<std::string> texts;
  for (const Command* c = commands.begin(); c != nullptr;
       c = commands.Next(c)) {
    texts.push_back(CommandText(*c));
  }
  return absl::StrJoin(texts, "; ");
}

absl::StatusOr<Ref<Buffer>> FakeAllocator::Allocate(const BufferParams& params,
                                                    uint64_t size) {
  if (size > 1 << 20) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A buffer of ", size, " bytes exceeds the fake's limit."));
  }
  void* data = std::calloc(1, size + 1);
  std::span<uint8_t> bytes(static_cast<uint8_t*>(data), size);
  BufferParams made = params;
  made.type |= memory_type::kHostVisible | memory_type::kHostCoherent;
  return Ref<Buffer>(
      MakeRef<FakeBuffer>(made, bytes, [data] { std::free(data); }));
}

absl::StatusOr<Ref<Buffer>> FakeAllocator::ImportHost(
    const BufferParams& params, std::span<uint8_t> bytes,
    std::function<void()> release) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 64 != 0) {
    return absl::UnavailableError("The memory is not aligned to 64 bytes.");
  }
  BufferParams made = params;
  made.type |= memory_type::kHostVisible | memory_type::kHostCoherent;
  return Ref<Buffer>(MakeRef<FakeBuffer>(made, bytes, std::move(release)));
}

std::optional<int64_t> FakeDevice::Query(absl::string_view category,
                                         absl::string_view key) const {
  if (category == "device" && key == "answer") return 42;
  return std::nullopt;
}

absl::StatusOr<Ref<Semaphore>> FakeDevice::CreateSemaphore(uint64_t value) {
  return Ref<Semaphore>(MakeRef<HostSemaphore>(value));
}

absl::StatusOr<Ref<Executable>> FakeDevice::CreateExecutable(
    const ExecutableParams& params) {
  absl::StrAppend(&log_, log_.empty() ? "" : "; ", "executable ", params.format,
                  " of ", params.data.size(), " bytes {",
                  absl::StrJoin(params.constants, ","), "}");
  return Ref<Executable>(MakeRef<FakeExecutable>());
}

absl::StatusOr<Ref<CommandBuffer>> FakeDevice::CreateCommandBuffer(
    CommandBufferMode mode, QueueAffinity affinity, uint32_t binding_capacity) {
  return MakeRef<CommandBuffer>(mode, affinity, binding_capacity);
}

absl::Status FakeDevice::QueueFlush() { return Note({}, "flush"); }

absl::Status FakeDevice::Note(const QueueFences& fences,
                              const std::string& text) {
  absl::StrAppend(&log_, log_.empty() ? "" : "; ", text,
                  fences.wait ? " after" : "");
  return fences.signal ? fences.signal->Signal() : absl::OkStatus();
}

absl::StatusOr<Ref<Buffer>> FakeDevice::DoAlloca(const QueueFences& fences,
                                                 const BufferParams& params,
                                                 uint64_t size) {
  RETURN_IF_ERROR(Note(fences, absl::StrCat("alloca ", size)));
  return allocator_->Allocate(params, size);
}

absl::Status FakeDevice::DoDealloca(const QueueFences& fences,
                                    Ref<Buffer> buffer) {
  return Note(fences, absl::StrCat("dealloca ", buffer->byte_length()));
}

absl::Status FakeDevice::DoRead(const QueueFences& fences, Ref<File> source,
                                uint64_t source_offset,
                                const BufferRef& target) {
  RETURN_IF_ERROR(
      source->Read(source_offset, {target.buffer->host_data() + target.offset,
                                   static_cast<size_t>(target.length)}));
  return Note(fences, absl::StrCat("read ", target.length, " at ",
                                   source_offset, " to ", target.offset));
}

absl::Status FakeDevice::DoWrite(const QueueFences& fences,
                                 const BufferRef& source, Ref<File>,
                                 uint64_t target_offset) {
  return Note(fences, absl::StrCat("write ", source.length, " at ",
                                   source.offset, " to ", target_offset));
}

absl::Status FakeDevice::DoBarrier(const QueueFences& fences) {
  return Note(fences, "barrier");
}

absl::Status FakeDevice::DoExecute(const QueueFences& fences,
                                   Ref<CommandBuffer> commands,
                                   std::span<const BufferBinding> table) {
  std::string text = absl::StrCat("execute [", CommandText(*commands), "]");
  for (const BufferBinding& binding : table) {
    absl::StrAppend(&text, " ", binding.offset, "+",
                    LengthText(binding.length));
  }
  return Note(fences, text);
}

}  // namespace eyrie::hal
