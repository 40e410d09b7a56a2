// Tensors as text: "2x3xf32=[1 2 3][4 5 6]".
//
//   tensor   := shape_and_type ['=' elements]
//   shape    := dimension 'x' dimension 'x' … type      ("f32" has rank 0)
//   elements := numbers between spaces, commas and brackets; one number fills
//               the tensor, no '=' or no numbers fill it with zeros
// Integers are decimal or 0x…; floats as C has them, "nan" and "inf" included.
// i1 takes 0, 1, true, false. Complex numbers are "1+2i". An element may also
// be its bytes in hexadecimal where the type has no other text. docs/cli.md
// Tested by tensor_text_test.cc.
#ifndef EYRIE_ABI_TENSOR_TEXT_H_
#define EYRIE_ABI_TENSOR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/half.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// What a dense row-major tensor is, without its elements.
struct TensorSpec {
  hal::ElementType type = hal::ElementType::kNone;
  hal::BufferView::Shape shape;

  // Product of the dimensions. Both: RESOURCE_EXHAUSTED if 64 bits overflow.
  absl::StatusOr<int64_t> ElementCount() const;
  absl::StatusOr<uint64_t> ByteLength() const;
  // "2x3xf32"
  std::string ToString() const;
};

// Reads "2x3xf32". INVALID_ARGUMENT: a dimension is no whole number, or the
// element type is unknown (the sentence suggests the nearest).
absl::StatusOr<TensorSpec> ParseTensorSpec(absl::string_view text);

// Reads the elements of a tensor into `target`, which has ByteLength() bytes.
// INVALID_ARGUMENT names the element; OUT_OF_RANGE: their number is wrong.
absl::Status ParseElements(absl::string_view text, const TensorSpec& spec,
                           std::span<uint8_t> target);

// Reads one element. INVALID_ARGUMENT without saying where.
absl::Status ParseElement(absl::string_view text, hal::ElementType type,
                          std::span<uint8_t> target);

// The format of a float narrower than 32 bits; nullptr for other types.
const FloatFormat* SmallFloatFormat(hal::ElementType type);

// Spells special values of floats: "INF", "NAN" as five releases of the public
// runtime do but one, which says "inf", "nan".
enum class FloatCase : uint8_t { kUpper, kLower };

// Appends one element, which begins at bit `bit` of `bytes`.
void AppendElement(std::span<const uint8_t> bytes, uint64_t bit,
                   hal::ElementType type, FloatCase float_case,
                   std::string& out);

// Appends at most `limit` elements, inner dimensions in brackets: "[1 2][3...".
// `bytes` must be the tensor's ByteLength() at least.
void AppendElements(std::span<const uint8_t> bytes, const TensorSpec& spec,
                    size_t limit, FloatCase float_case, std::string& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_TEXT_H_
