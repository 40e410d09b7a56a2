// Guesses the type of the numbers that a kernel writes, which no module
// declares: from the kernel's name, and from the bytes.
//
// Tested by difference_test.cc.
#ifndef EYRIE_TOOLS_BISECT_ELEMENT_GUESS_H_
#define EYRIE_TOOLS_BISECT_ELEMENT_GUESS_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/strings/string_view.h"
#include "hal/element_type.h"
#include "tools/bisect/bytes.h"

namespace eyrie::tools {

// Returns the type in the kernel's operation, such as f32 of
// "main_dispatch_3_matmul_4x8x16_f32". Of several, the last float whose numbers
// the bytes likely are, else the last integer. Without one: f32 or f64 if the
// bytes are likely such numbers, else i32 or i8.
hal::ElementType GuessElement(absl::string_view kernel,
                              std::span<const uint8_t> bytes);

// Returns the range with its end rounded up to a whole element, of the last
// type in the kernel's operation or of 4 bytes, within `size` bytes.
ByteRange WholeElements(absl::string_view kernel, const ByteRange& range,
                        uint64_t size);

// Returns "4x8xf32" if the kernel's name has dimensions for this many elements,
// else "32xf32".
std::string GuessShape(absl::string_view kernel, int64_t count,
                       hal::ElementType type);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_ELEMENT_GUESS_H_
