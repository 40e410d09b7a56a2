#include "hal/queue_validator.h"

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/hash_map.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

// Validates a transfer between a file and a buffer. `usage` and `access` are
// those that the buffer needs.
absl::StatusOr<BufferRef> ValidateTransfer(
    const BufferRef& ref, BufferUsage usage, MemoryAccess access,
    const File* file, uint64_t file_offset, MemoryAccess file_access) {
  if (!ref.buffer || file == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A transfer has no ", file == nullptr ? "file" : "buffer", "."));
  }
  const Buffer& buffer = *ref.buffer;
  RETURN_IF_ERROR(buffer.CheckMemoryType(memory_type::kDeviceVisible));
  RETURN_IF_ERROR(buffer.CheckUsage(usage));
  RETURN_IF_ERROR(buffer.CheckAccess(access));
  BufferRef resolved = ref;
  ASSIGN_OR_RETURN(resolved.length,
                   buffer.ResolveRange(ref.offset, ref.length));
  if ((file->allowed_access() & file_access) != file_access) {
    return absl::PermissionDeniedError(absl::StrCat(
        "The file's access (", MemoryAccessText(file->allowed_access()),
        ") lacks ", MemoryAccessText(file_access), "."));
  }
  if (!RangeFits(file_offset, resolved.length, file->length())) {
    return absl::OutOfRangeError(absl::StrCat(
        "The range of ", resolved.length, " bytes at offset ", file_offset,
        " passes the end of the file (", file->length(), " bytes)."));
  }
  return resolved;
}

}  // namespace

absl::Status ValidateLoop(const Fence& wait, const Fence& signal) {
  // A fence has at most one point per semaphore.
  HashMap<const Semaphore*, uint64_t> raised;
  for (const Fence::Point& point : signal.points()) {
    raised[point.semaphore.get()] = point.value;
  }
  for (const Fence::Point& until : wait.points()) {
    const auto point = raised.find(until.semaphore.get());
    if (point == raised.end() || until.value < point->second) continue;
    // If the wait has failed, the operation itself reports it.
    if (wait.Query().value_or(true)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "The operation waits until a semaphore reaches ", until.value,
        ", which it would itself raise to ", point->second, "."));
  }
  return absl::OkStatus();
}

absl::Status ValidateDealloca(const Buffer* buffer) {
  if (buffer != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("A deallocation has no buffer.");
}

absl::StatusOr<BufferRef> ValidateRead(const File* source,
                                       uint64_t source_offset,
                                       const BufferRef& target) {
  return ValidateTransfer(target, buffer_usage::kTransferTarget,
                          memory_access::kWrite, source, source_offset,
                          memory_access::kRead);
}

absl::StatusOr<BufferRef> ValidateWrite(const BufferRef& source,
                                        const File* target,
                                        uint64_t target_offset) {
  return ValidateTransfer(source, buffer_usage::kTransferSource,
                          memory_access::kRead, target, target_offset,
                          memory_access::kWrite);
}

absl::Status ValidateExecute(const CommandBuffer& commands,
                             std::span<const BufferBinding> table) {
  if (!commands.finalized()) {
    return absl::FailedPreconditionError(
        "The command buffer is still being recorded.");
  }
  return commands.ValidateTable(table);
}

}  // namespace eyrie::hal
