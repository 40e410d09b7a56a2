// What references lead to, as text: tensors, lists, buffers and others.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_
#define EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"

namespace eyrie::tools {

// "null", or a type and what the object holds, of much the beginning; lines
// behind the first are indented.
std::string ObjectText(RefObject* object);

// A buffer's bytes as elements of a type, or as a tensor: "f32", "2x3xi8".
// INVALID_ARGUMENT: the type is none, or the object no buffer. OUT_OF_RANGE:
// the tensor is larger than the buffer.
absl::StatusOr<std::string> ObjectTextAs(RefObject* object,
                                         absl::string_view type);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_OBJECT_TEXT_H_
