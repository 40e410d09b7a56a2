#include "hal/device.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/fence_bridge.h"
#include "hal/queue_validator.h"

namespace eyrie::hal {

bool MatchesPattern(absl::string_view name, absl::string_view pattern) {
  size_t n = 0;
  size_t p = 0;
  // The position of the last '*', and the end of the text that it matches.
  size_t star = absl::string_view::npos;
  size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++n;
      ++p;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

absl::Status Device::CheckQueues(QueueAffinity affinity) const {
  const int count = queue_count();
  if (count >= 64 || (affinity >> count) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "The queue affinity (0x", absl::Hex(affinity), ") exceeds the ", count,
      " queues of the device ", id(), "."));
}

absl::StatusOr<Ref<Fence>> Device::CreateFence() {
  Ref<Fence> kept = fences_->Take();
  if (kept) [[likely]]
    return kept;
  ASSIGN_OR_RETURN(Ref<Semaphore> semaphore, CreateSemaphore(0));
  Ref<Fence> fence = Fence::At(std::move(semaphore), 1);
  fence->ReturnTo(fences_);
  return fence;
}

// Inlined into Begin, because every operation runs it.
[[gnu::always_inline]] inline absl::Status Device::Check(FenceBridge& bridge) {
  const QueueFences& fences = bridge.fences();
  RETURN_IF_ERROR(CheckAffinity(fences.affinity));
  if (fences.wait != nullptr && fences.signal != nullptr) {
    RETURN_IF_ERROR(ValidateFences(*fences.wait, *fences.signal));
  }
  return bridge.Connect(*this);
}

absl::Status Device::Begin(FenceBridge& bridge) {
  absl::Status status = Check(bridge);
  if (!status.ok()) [[unlikely]]
    return bridge.fences().Refuse(std::move(status));
  return status;
}

absl::StatusOr<Ref<Buffer>> Device::QueueAlloca(const QueueFences& fences,
                                                const BufferParams& params,
                                                uint64_t size) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  return DoAlloca(bridge.fences(), params, size);
}

absl::Status Device::QueueDealloca(const QueueFences& fences,
                                   Ref<Buffer> buffer) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::Status status = ValidateDealloca(buffer.get());
  if (!status.ok()) return bridge.fences().Refuse(std::move(status));
  return DoDealloca(bridge.fences(), std::move(buffer));
}

absl::Status Device::QueueFill(const QueueFences& fences,
                               const BufferRef& target,
                               std::span<const uint8_t> pattern) {
  return QueueOne(fences, [&](CommandBuffer& commands) {
    return commands.Fill(target, pattern);
  });
}

absl::Status Device::QueueUpdate(const QueueFences& fences,
                                 std::span<const uint8_t> source,
                                 const BufferRef& target) {
  return QueueOne(fences, [&](CommandBuffer& commands) {
    return commands.Update(source, target);
  });
}

absl::Status Device::QueueCopy(const QueueFences& fences,
                               const BufferRef& source,
                               const BufferRef& target) {
  return QueueOne(fences, [&](CommandBuffer& commands) {
    return commands.Copy(source, target);
  });
}

template <typename Record>
absl::Status Device::QueueOne(const QueueFences& fences, Record record) {
  absl::StatusOr<Ref<CommandBuffer>> commands =
      CreateCommandBuffer(command_buffer_mode::kOneShot, kAnyQueue, 0);
  if (!commands.ok()) return fences.Refuse(commands.status());
  absl::StatusOr<MemoryCharge> charge = fences.Charge(sizeof(CommandBuffer));
  if (!charge.ok()) return fences.Refuse(charge.status());
  (*commands)->Hold(*std::move(charge));
  absl::Status status = record(**commands);
  if (status.ok()) status = (*commands)->Finalize();
  if (!status.ok()) return fences.Refuse(std::move(status));
  return QueueExecute(fences, *std::move(commands), {});
}

absl::Status Device::QueueRead(const QueueFences& fences, Ref<File> source,
                               uint64_t source_offset,
                               const BufferRef& target) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::StatusOr<BufferRef> resolved =
      ValidateRead(source.get(), source_offset, target);
  if (!resolved.ok()) return bridge.fences().Refuse(resolved.status());
  return DoRead(bridge.fences(), std::move(source), source_offset, *resolved);
}

absl::Status Device::QueueWrite(const QueueFences& fences,
                                const BufferRef& source, Ref<File> target,
                                uint64_t target_offset) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  absl::StatusOr<BufferRef> resolved =
      ValidateWrite(source, target.get(), target_offset);
  if (!resolved.ok()) return bridge.fences().Refuse(resolved.status());
  return DoWrite(bridge.fences(), *resolved, std::move(target), target_offset);
}

absl::Status Device::QueueBarrier(const QueueFences& fences) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  return DoBarrier(bridge.fences());
}

absl::Status Device::QueueExecute(const QueueFences& fences,
                                  Ref<CommandBuffer> commands,
                                  std::span<const BufferBinding> table) {
  FenceBridge bridge(fences);
  RETURN_IF_ERROR(Begin(bridge));
  if (!commands) return DoBarrier(bridge.fences());
  const trace::Span span(trace::Category::kQueue, trace::Name::kExecute);
  absl::Status status = ValidateExecute(*commands, table);
  if (!status.ok()) [[unlikely]]
    return bridge.fences().Refuse(std::move(status));
  return DoExecute(bridge.fences(), std::move(commands), table);
}

}  // namespace eyrie::hal
