// Validates integers that modules pass, before any arithmetic on them.
//
// Modules pass sizes as signed numbers. None may be negative, except that a
// length of -1 means "to the end of the buffer".
// Tested by queue_imports_test.cc.
#ifndef EYRIE_HAL_MODULE_ARGUMENTS_H_
#define EYRIE_HAL_MODULE_ARGUMENTS_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/buffer.h"
#include "hal/command_buffer.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {

// Returns OUT_OF_RANGE: "The target offset (-4) is negative."
absl::Status NegativeError(absl::string_view what, int64_t value);

// Reads a size, offset or count. OUT_OF_RANGE: it is negative.
inline absl::StatusOr<uint64_t> ReadSize(absl::string_view what,
                                         int64_t value) {
  if (value < 0) [[unlikely]]
    return NegativeError(what, value);
  return static_cast<uint64_t>(value);
}

// Reads a length; -1 is kWholeBuffer. OUT_OF_RANGE: any other negative number.
inline absl::StatusOr<uint64_t> ReadLength(absl::string_view what,
                                           int64_t value) {
  if (value < -1) [[unlikely]]
    return NegativeError(what, value);
  return static_cast<uint64_t>(value);
}

// Reads the numbers of workgroups in x, y and z. OUT_OF_RANGE: one is negative.
inline absl::Status ReadWorkgroups(const int32_t (&counts)[3],
                                   uint32_t (&workgroups)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (counts[i] < 0) [[unlikely]]
      return NegativeError("workgroup count", counts[i]);
    workgroups[i] = static_cast<uint32_t>(counts[i]);
  }
  return absl::OkStatus();
}

// Sets `ref` to a range of `buffer`, or of `slot` if `buffer` is null. `what`
// names the range in messages: "target". OUT_OF_RANGE: a negative number.
absl::Status ReadBufferRef(absl::string_view what, Buffer* buffer, int32_t slot,
                           int64_t offset, int64_t length, BufferRef& ref);

// Returns the first 4 KiB of a name, key or message. Limited, because it may
// appear in our messages, and a buffer may be of any size.
inline absl::string_view TextOf(const vm::Buffer& buffer) {
  constexpr size_t kMaxText = 4096;
  return buffer.text().substr(0, kMaxText);
}

// Returns bytes [offset, offset + length) of a host buffer; a length of -1
// means up to its end. OUT_OF_RANGE: the range exceeds the buffer.
absl::StatusOr<std::span<const uint8_t>> ReadHostRange(const vm::Buffer& buffer,
                                                       int64_t offset,
                                                       int64_t length);

// Returns the bytes of a fill pattern, low byte first, as a view of `pattern`.
// INVALID_ARGUMENT: the length is not 1, 2, 4 or 8, or exceeds `limit`.
absl::StatusOr<std::span<const uint8_t>> ReadPattern(const uint64_t& pattern,
                                                     int32_t length,
                                                     int32_t limit);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_ARGUMENTS_H_
