// Numbers of any element type: their bytes from text, and the text of bytes.
//
// Tested by attributes_test.cc, native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_NUMBERS_H_
#define EYRIE_ABI_NATIVE_NUMBERS_H_

#include <string>

#include "abi/native/xla/types.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

// Appends the bytes of one number: "-7", "1.5", "true", "(1,-2)" of a complex
// type. INVALID_ARGUMENT: no number, or one that the type does not hold.
// UNIMPLEMENTED: a type that attributes do not have.
absl::Status AppendNumber(absl::string_view text, FfiType type,
                          std::string& bytes);

// What printf made of a number, with a point for the sign that the locale has
// in its place.
std::string WithPoint(absl::string_view printed);

// Appends a text that gives these bytes again.
void AppendNumberText(absl::string_view bytes, FfiType type, std::string& text);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NUMBERS_H_
