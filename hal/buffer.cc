#include "hal/buffer.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

absl::Status Lacks(absl::string_view what, const std::string& has,
                   const std::string& lacks) {
  return absl::PermissionDeniedError(
      absl::StrCat("The buffer's ", what, " (", has, ") lacks ", lacks, "."));
}

}  // namespace

Buffer::Buffer(const BufferParams& params, uint64_t length, uint8_t* host_data)
    : ChargedObject(kType),
      byte_length_(length),
      params_(params),
      host_data_(host_data) {
  params_.work = nullptr;
}

Buffer::Buffer(Ref<Buffer> buffer, uint64_t offset, uint64_t length)
    : ChargedObject(kType),
      byte_offset_(buffer->byte_offset_ + offset),
      byte_length_(length),
      params_(buffer->params_),
      host_data_(buffer->host_data_ ? buffer->host_data_ + offset : nullptr) {
  allocation_ = buffer->allocation_ ? buffer->allocation_ : std::move(buffer);
}

void Buffer::Reset(const BufferParams& params, uint64_t length) {
  params_ = params;
  params_.work = nullptr;
  byte_length_ = length;
  owners_.store(1, std::memory_order_relaxed);
}

absl::StatusOr<Ref<Buffer>> Buffer::Subspan(Ref<Buffer> buffer, uint64_t offset,
                                            uint64_t length) {
  ASSIGN_OR_RETURN(length, buffer->ResolveRange(offset, length));
  if (offset == 0 && length == buffer->byte_length_) return buffer;
  return Ref<Buffer>::Adopt(new Buffer(std::move(buffer), offset, length));
}

Ref<Buffer> Buffer::ReadOnly(Ref<Buffer> buffer) {
  const uint64_t length = buffer->byte_length_;
  auto range = Ref<Buffer>::Adopt(new Buffer(std::move(buffer), 0, length));
  range->params_.access &= ~memory_access::kDiscardWrite;
  return range;
}

absl::Status Buffer::CheckAccess(MemoryAccess required) const {
  if (required & memory_access::kAny) return absl::OkStatus();
  const MemoryAccess missing = required &
                               (memory_access::kRead | memory_access::kWrite) &
                               ~params_.access;
  if (missing == 0) [[likely]]
    return absl::OkStatus();
  return Lacks("access", MemoryAccessText(params_.access),
               MemoryAccessText(missing));
}

absl::Status Buffer::LacksUsage(BufferUsage required) const {
  return Lacks("usage", BufferUsageText(params_.usage),
               BufferUsageText(required & ~params_.usage));
}

absl::Status Buffer::LacksMemoryType(MemoryType required) const {
  return Lacks("memory type", MemoryTypeText(params_.type),
               MemoryTypeText(required & ~params_.type));
}

absl::StatusOr<uint64_t> Buffer::ResolveRange(uint64_t offset,
                                              uint64_t length) const {
  if (length == kWholeBuffer && offset <= byte_length_) {
    return byte_length_ - offset;
  }
  if (RangeFits(offset, length, byte_length_)) [[likely]]
    return length;
  if (length == kWholeBuffer || offset > byte_length_) {
    return absl::OutOfRangeError(
        absl::StrCat("Offset ", offset, " is past the end of the buffer (",
                     byte_length_, " bytes)."));
  }
  return absl::OutOfRangeError(absl::StrCat(
      "The range of ", length, " bytes at offset ", offset,
      " passes the end of the buffer (", byte_length_, " bytes)."));
}

absl::StatusOr<std::span<uint8_t>> Buffer::Map(MemoryAccess access,
                                               uint64_t offset,
                                               uint64_t length) {
  RETURN_IF_ERROR(CheckAccess(access));
  ASSIGN_OR_RETURN(length, ResolveRange(offset, length));
  if (host_data_ == nullptr) [[unlikely]]
    return allocation().MapCopy(access, byte_offset_ + offset, length);
  if (!(params_.type & memory_type::kHostCoherent) &&
      (access & (memory_access::kRead | memory_access::kAny))) {
    RETURN_IF_ERROR(allocation().Invalidate(byte_offset_ + offset, length));
  }
  return std::span<uint8_t>(host_data_ + offset, length);
}

absl::Status Buffer::Unmap(uint64_t offset, uint64_t length) {
  ASSIGN_OR_RETURN(length, ResolveRange(offset, length));
  if (host_data_ == nullptr) [[unlikely]]
    return allocation().UnmapCopy(byte_offset_ + offset, length);
  if (params_.type & memory_type::kHostCoherent) return absl::OkStatus();
  return allocation().Flush(byte_offset_ + offset, length);
}

absl::Status Buffer::Read(uint64_t offset, std::span<uint8_t> target) {
  ASSIGN_OR_RETURN(std::span<uint8_t> bytes,
                   Map(memory_access::kRead, offset, target.size()));
  if (!target.empty()) std::memcpy(target.data(), bytes.data(), target.size());
  return host_data_ != nullptr ? absl::OkStatus()
                               : Unmap(offset, target.size());
}

absl::Status Buffer::Write(uint64_t offset, std::span<const uint8_t> source) {
  ASSIGN_OR_RETURN(std::span<uint8_t> bytes,
                   Map(memory_access::kWrite, offset, source.size()));
  if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
  return Unmap(offset, source.size());
}

absl::Status Buffer::Invalidate(uint64_t, uint64_t) { return absl::OkStatus(); }

absl::Status Buffer::Flush(uint64_t, uint64_t) { return absl::OkStatus(); }

const void* Buffer::DriverData(const void*) const { return nullptr; }

absl::StatusOr<std::span<uint8_t>> Buffer::MapCopy(MemoryAccess, uint64_t,
                                                   uint64_t) {
  return absl::FailedPreconditionError(
      absl::StrCat("The buffer's memory (", MemoryTypeText(params_.type),
                   ") is not visible to the host."));
}

absl::Status Buffer::UnmapCopy(uint64_t, uint64_t) { return absl::OkStatus(); }

}  // namespace eyrie::hal
