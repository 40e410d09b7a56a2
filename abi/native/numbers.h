// Converts numbers of any element type from text to bytes and back.
// Tested by attributes_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_NUMBERS_H_
#define EYRIE_ABI_NATIVE_NUMBERS_H_

#include <string>

#include "abi/native/ffi_types.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

// Appends the bytes of one number, such as "-7", "1.5", "true", or "(1,-2)" for
// a complex type. INVALID_ARGUMENT: the text is not a number, or the type
// cannot hold it. UNIMPLEMENTED: attributes do not support the type.
absl::Status AppendNumber(absl::string_view text, FfiType type,
                          std::string& bytes);

// Returns a number that printf printed, with '.' in place of the locale's
// decimal separator.
std::string WithPoint(absl::string_view printed);

// Appends a text that AppendNumber reads back to the same bytes.
void AppendNumberText(absl::string_view bytes, FfiType type, std::string& text);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NUMBERS_H_
