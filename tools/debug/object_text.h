// Describes referenced objects: tensors, lists, buffers and others.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_
#define EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"

namespace eyrie::tools {

// Returns "null", or the object's type and the first part of its content. Lines
// after the first are indented.
std::string ObjectText(RefObject* object);

// Returns a buffer's bytes as elements of a type ("f32") or as a tensor
// ("2x3xi8"). INVALID_ARGUMENT: `type` is not a type, or the object is not a
// buffer. OUT_OF_RANGE: the tensor is larger than the buffer.
absl::StatusOr<std::string> ObjectTextAs(RefObject* object,
                                         absl::string_view type);

// Returns a buffer's size in bytes. INVALID_ARGUMENT: the object is null or is
// not a buffer.
absl::StatusOr<uint64_t> BufferSize(RefObject* object);
// Calls `see` with a buffer's bytes, which are valid during the call. Fails as
// BufferSize and hal::Buffer::Map do.
absl::Status SeeBytes(RefObject* object,
                      absl::FunctionRef<void(std::span<const uint8_t>)> see);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_
