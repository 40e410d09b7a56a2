#include "hal/module/parameter_transfers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/file.h"
#include "hal/module/file_image.h"

namespace eyrie::hal {
namespace {

// Bytes per write if a device cannot fill with a splat's pattern.
constexpr uint64_t kSplatChunk = uint64_t{64} * 1024;

// Reports whether devices can fill with this pattern; it must be aligned.
bool CanFill(const Splat& splat, const ParameterSpan& span) {
  return splat.length <= 8 && span.parameter_offset % splat.length == 0 &&
         span.buffer_offset % splat.length == 0 &&
         span.length % splat.length == 0;
}

// Returns a file of a parameter that is not a splat, for reading.
Ref<File> FileOf(const Parameter& parameter) {
  if (parameter.file->reader()) {
    // A file with a reader has one parameter, which begins at offset 0.
    return MakeRef<File>(parameter.length, parameter.file->reader(),
                         parameter.file);
  }
  const std::span<const uint8_t> bytes = parameter.bytes();
  // Safe, because the file does not allow writes.
  const std::span<uint8_t> contents(const_cast<uint8_t*>(bytes.data()),
                                    bytes.size());
  return MakeRef<File>(contents, memory_access::kRead, parameter.file);
}

}  // namespace

absl::StatusOr<QueueFences> ParameterTransfers::Next() {
  if (!semaphore_) {
    ASSIGN_OR_RETURN(semaphore_, device_.CreateSemaphore(0));
  }
  before_ = std::move(previous_);
  previous_ = Fence::ForPoint(semaphore_, ++value_);
  return state_.Fences(before_.get(), previous_.get());
}

absl::StatusOr<Ref<Buffer>> ParameterTransfers::Image(
    const Parameter& parameter, const BufferParams& params,
    const ParameterSpan& span) {
  const std::span<const uint8_t> bytes =
      parameter.bytes().subspan(span.parameter_offset, span.length);
  const bool is_constant =
      (params.usage & buffer_usage::kSharingImmutable) != 0;
  if (!parameter.file->in_place() || !is_constant) {
    return CreateFileImage(state_, device_.allocator(), params,
                           parameter.file->mapping(), bytes,
                           "an image of a parameter");
  }
  BufferParams reading = params;
  reading.access = memory_access::kRead;
  // Commands cannot write to a buffer with this access.
  auto lent = device_.allocator().ImportHost(
      reading, {const_cast<uint8_t*>(bytes.data()), bytes.size()},
      [keep = parameter.file] {});
  if (absl::IsUnavailable(lent.status())) return Ref<Buffer>();
  return lent;
}

absl::StatusOr<Ref<Buffer>> ParameterTransfers::Load(
    const Parameter& parameter, const BufferParams& params,
    const ParameterSpan& span) {
  if (parameter.file && !parameter.file->reader() && span.buffer_offset == 0) {
    ASSIGN_OR_RETURN(Ref<Buffer> image, Image(parameter, params, span));
    if (image) return image;
  }
  ASSIGN_OR_RETURN(
      MemoryCharge charge,
      device_.allocator().Charge(state_.memory(), span.length, "a parameter"));
  ASSIGN_OR_RETURN(const QueueFences fences, Next());
  ASSIGN_OR_RETURN(Ref<Buffer> buffer,
                   device_.QueueAlloca(fences, params, span.length));
  buffer->Hold(std::move(charge));
  RETURN_IF_ERROR(Read(parameter, span, buffer));
  return buffer;
}

absl::Status ParameterTransfers::Read(const Parameter& parameter,
                                      const ParameterSpan& span,
                                      const Ref<Buffer>& target) {
  if (const Splat* splat = std::get_if<Splat>(&parameter.storage)) {
    return ReadSplat(*splat, span, target);
  }
  ASSIGN_OR_RETURN(const QueueFences fences, Next());
  return device_.QueueRead(fences, FileOf(parameter), span.parameter_offset,
                           {target, 0, span.buffer_offset, span.length});
}

absl::Status ParameterTransfers::ReadSplat(const Splat& splat,
                                           const ParameterSpan& span,
                                           const Ref<Buffer>& target) {
  if (CanFill(splat, span)) {
    ASSIGN_OR_RETURN(const QueueFences fences, Next());
    return device_.QueueFill(fences,
                             {target, 0, span.buffer_offset, span.length},
                             std::span(splat.pattern).first(splat.length));
  }
  std::vector<uint8_t> chunk(std::min(span.length, kSplatChunk));
  for (size_t i = 0; i < chunk.size(); ++i) {
    chunk[i] = splat.at(span.parameter_offset + i);
  }
  const auto repeated = ParameterFile::FromBytes(std::move(chunk), "a splat");
  const auto file =
      MakeRef<File>(repeated->writable_bytes(), memory_access::kRead, repeated);
  for (uint64_t done = 0; done < span.length;) {
    RETURN_IF_ERROR(state_.Work(1));
    const uint64_t part = std::min(span.length - done, kSplatChunk);
    ASSIGN_OR_RETURN(const QueueFences fences, Next());
    RETURN_IF_ERROR(device_.QueueRead(
        fences, file, 0, {target, 0, span.buffer_offset + done, part}));
    done += part;
  }
  return absl::OkStatus();
}

absl::Status ParameterTransfers::Write(const Ref<Buffer>& source,
                                       const Parameter& parameter,
                                       const ParameterSpan& span) {
  if (!parameter.file) {
    return absl::PermissionDeniedError(
        "A parameter that is a splat cannot be written.");
  }
  const std::span<uint8_t> bytes = parameter.file->writable_bytes();
  if (bytes.empty() && span.length != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(parameter.file->path(),
                     " is not writable; use --parameter_mode=write."));
  }
  const uint64_t begin = std::get<FileOffset>(parameter.storage).offset;
  ASSIGN_OR_RETURN(const QueueFences fences, Next());
  return device_.QueueWrite(
      fences, {source, 0, span.buffer_offset, span.length},
      MakeRef<File>(bytes.subspan(begin, parameter.length),
                    memory_access::kRead | memory_access::kWrite,
                    parameter.file),
      span.parameter_offset);
}

absl::Status ParameterTransfers::End(const absl::Status& status) {
  const QueueFences last = state_.Fences(previous_.get(), signal_);
  return status.ok() ? device_.QueueBarrier(last) : last.Refuse(status);
}

}  // namespace eyrie::hal
