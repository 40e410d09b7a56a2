// Reads and writes tensors as text: "2x3xf32=[1 2 3][4 5 6]".
//
//   tensor   := shape_and_type ['=' elements]
//   shape    := dimension 'x' dimension 'x' … type      ("f32" has rank 0)
//   elements := numbers, separated by spaces, commas or brackets; one number
//               fills the tensor, and no '=' or no numbers fill it with zeros
// Integers are decimal or 0x…; floats are as in C, with "nan" and "inf"; i1
// takes 0, 1, true, false; complex numbers are "1+2i". Elements of types
// without another text form are their bytes in hexadecimal. See docs/cli.md.
// Tested by tensor_text_test.cc.
#ifndef EYRIE_ABI_TENSOR_TENSOR_TEXT_H_
#define EYRIE_ABI_TENSOR_TENSOR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/half.h"
#include "hal/element_type.h"
#include "hal/tensor_type.h"

namespace eyrie::abi {

// Parses the elements of a tensor into `target`, which must have ByteLength()
// bytes. INVALID_ARGUMENT: an element is malformed; the message gives its
// index. OUT_OF_RANGE: the number of elements is wrong.
absl::Status ParseElements(absl::string_view text, const hal::TensorType& spec,
                           std::span<uint8_t> target);

// Parses one element; one narrower than a byte is stored in the low bits of
// one. INVALID_ARGUMENT: it is malformed; the message does not say where.
absl::Status ParseElement(absl::string_view text, hal::ElementType type,
                          std::span<uint8_t> target);

// Returns the format of a float type narrower than 32 bits; null for other
// types.
const FloatFormat* SmallFloatFormat(hal::ElementType type);

// The spelling of special float values: "INF", "NAN" as in the public runtime,
// or "inf", "nan" as in its release 3.11.
enum class FloatCase : uint8_t { kUpper, kLower };

// Appends the element that begins at bit `bit` of `bytes`.
void AppendElement(std::span<const uint8_t> bytes, uint64_t bit,
                   hal::ElementType type, FloatCase float_case,
                   std::string& out);

// The elements of each of two tensors that differ, when both are printed: they
// fill about a screen of 24 lines.
inline constexpr size_t kScreenOfElements = 64;

// Appends at most `limit` elements, with inner dimensions in brackets: "[1
// 2][3...", and at most `empty_rows` brackets without any. `bytes` must have at
// least the tensor's ByteLength().
void AppendElements(std::span<const uint8_t> bytes, const hal::TensorType& spec,
                    size_t limit, FloatCase float_case, std::string& out,
                    size_t empty_rows = 1024);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_TENSOR_TEXT_H_
