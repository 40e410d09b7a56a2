#include "hal/module/arguments.h"

#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal {

absl::Status NegativeError(absl::string_view what, int64_t value) {
  return absl::OutOfRangeError(
      absl::StrCat("The ", what, " (", value, ") is negative."));
}

namespace {

// Returns the error for the negative number of a range.
[[gnu::cold, gnu::noinline]] absl::Status NegativeRange(absl::string_view what,
                                                        int32_t slot,
                                                        int64_t offset,
                                                        int64_t length) {
  if (offset < 0) return NegativeError(absl::StrCat(what, " offset"), offset);
  if (length < -1) return NegativeError(absl::StrCat(what, " length"), length);
  return NegativeError(absl::StrCat(what, " binding slot"), slot);
}

}  // namespace

absl::Status ReadBufferRef(absl::string_view what, Buffer* buffer, int32_t slot,
                           int64_t offset, int64_t length, BufferRef& ref) {
  if (offset < 0 || length < -1 || (buffer == nullptr && slot < 0))
      [[unlikely]] {
    return NegativeRange(what, slot, offset, length);
  }
  ref.buffer = Ref<Buffer>::Share(buffer);
  ref.slot = buffer == nullptr ? static_cast<uint32_t>(slot) : 0;
  ref.offset = static_cast<uint64_t>(offset);
  ref.length = static_cast<uint64_t>(length);
  return absl::OkStatus();
}

absl::StatusOr<std::span<const uint8_t>> ReadHostRange(const vm::Buffer& buffer,
                                                       int64_t offset,
                                                       int64_t length) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("source offset", offset));
  ASSIGN_OR_RETURN(uint64_t size, ReadLength("source length", length));
  if (size == kWholeBuffer && begin <= buffer.size()) {
    size = buffer.size() - begin;
  }
  return buffer.Range(begin, size);
}

absl::StatusOr<std::span<const uint8_t>> ReadPattern(const uint64_t& pattern,
                                                     int32_t length,
                                                     int32_t limit) {
  static_assert(std::endian::native == std::endian::little);
  if (length < 1 || length > limit ||
      !std::has_single_bit(static_cast<uint32_t>(length))) {
    return absl::InvalidArgumentError(
        absl::StrCat("The fill pattern's length (", length,
                     " bytes) is not a power of two up to ", limit, "."));
  }
  return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&pattern),
                                  static_cast<size_t>(length));
}

}  // namespace eyrie::hal
