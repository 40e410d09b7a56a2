// Integers from a module, checked before anything adds to them.
//
// Modules carry sizes as signed numbers; none may be negative but a length of
// -1, which means "to the end of the buffer".
// Tested by queue_imports_test.cc.
#ifndef EYRIE_HAL_MODULE_ARGUMENTS_H_
#define EYRIE_HAL_MODULE_ARGUMENTS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/buffer.h"
#include "hal/command_buffer.h"
#include "vm/buffer.h"

namespace eyrie::hal {

// "The target offset (-4) is negative."
absl::Status NegativeError(absl::string_view what, int64_t value);

// A size, offset or count. OUT_OF_RANGE: it is negative.
inline absl::StatusOr<uint64_t> ReadSize(absl::string_view what,
                                         int64_t value) {
  if (value < 0) [[unlikely]]
    return NegativeError(what, value);
  return static_cast<uint64_t>(value);
}

// A length; -1 is kWholeBuffer. OUT_OF_RANGE: any other negative number.
inline absl::StatusOr<uint64_t> ReadLength(absl::string_view what,
                                           int64_t value) {
  if (value < -1) [[unlikely]]
    return NegativeError(what, value);
  return static_cast<uint64_t>(value);
}

// A range of `buffer`, or of the slot where that is null, in `ref`.
// OUT_OF_RANGE: a negative number. `what` names the range: "target".
absl::Status ReadBufferRef(absl::string_view what, Buffer* buffer, int32_t slot,
                           int64_t offset, int64_t length, BufferRef& ref);

// A name, key or message: the first kilobytes, for a buffer may be as large as
// memory is, and the text stands in messages.
inline absl::string_view TextOf(const vm::Buffer& buffer) {
  constexpr size_t kMaxText = 4096;
  return buffer.text().substr(0, kMaxText);
}

// The bytes [offset, offset + length) of a host buffer; a length of -1 means
// the rest. OUT_OF_RANGE: they pass its end.
absl::StatusOr<std::span<const uint8_t>> ReadHostRange(const vm::Buffer& buffer,
                                                       int64_t offset,
                                                       int64_t length);

// The bytes of a fill pattern, low first: a view of `pattern`.
// INVALID_ARGUMENT: a length that is not 1, 2, 4 or 8, or above `limit`.
absl::StatusOr<std::span<const uint8_t>> ReadPattern(const uint64_t& pattern,
                                                     int32_t length,
                                                     int32_t limit);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_ARGUMENTS_H_
