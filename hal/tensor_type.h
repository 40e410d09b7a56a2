// The type of a tensor: its element type and its dimensions, each of which may
// be unknown.
//
//   4x?xf32   two dimensions, the second of any size
//   *xf32     any number of dimensions
//   f32       no dimensions
//
// Declarations, manifests, MLIR, raw signatures and the command line all write
// types in this form, some within "tensor<…>" or "memref<…>".
// Tested by tensor_type_test.cc.
#ifndef EYRIE_HAL_TENSOR_TYPE_H_
#define EYRIE_HAL_TENSOR_TYPE_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::hal {

struct TensorType {
  using Shape = absl::InlinedVector<int64_t, 6>;
  static constexpr int64_t kDynamic = -1;  // a dimension of any size

  ElementType element = ElementType::kNone;  // kNone: any
  Shape shape;
  bool ranked = true;  // false: any number of dimensions, and `shape` is empty

  // Parses "4x?xf32" or "*xf32". INVALID_ARGUMENT: a dimension is not a whole
  // number, or the element type is unknown; the message suggests the nearest.
  static absl::StatusOr<TensorType> Parse(absl::string_view text);
  // The same for the type of a tensor that exists. INVALID_ARGUMENT: also if a
  // dimension, or the number of dimensions, is unknown.
  static absl::StatusOr<TensorType> ParseStatic(absl::string_view text);
  // Removes "4x?x" or "*x" from the front of `text` and returns the type with
  // these dimensions, for formats with other names of elements. Fails as Parse.
  static absl::StatusOr<TensorType> TakeShape(absl::string_view& text);

  // Returns the text that Parse reads. Without an element type, the dimensions
  // alone, "4x?".
  std::string ToString() const;
  // Returns "4x?x", "*x" or "".
  std::string ShapePrefix() const;

  // Reports whether all dimensions are known.
  bool is_static() const;
  // Reports whether a tensor of this shape has the type's dimensions.
  bool FitsShape(std::span<const int64_t> given) const {
    if (!ranked) return true;
    if (given.size() != shape.size()) return false;
    for (size_t i = 0; i < given.size(); ++i) {
      if (shape[i] != given[i] && shape[i] != kDynamic) return false;
    }
    return true;
  }
  // Reports whether a tensor may be passed as one of this type: its elements
  // pass IsTakenAs, and its shape fits.
  bool Fits(ElementType given, std::span<const int64_t> given_shape) const {
    return IsTakenAs(given, element) && FitsShape(given_shape);
  }
  // Returns how a tensor that does not fit differs, as the end of a sentence:
  // "dimension 1 is 3, expected 4 (2x4xf32)."; "" if it fits. `declared` is the
  // text of the type.
  std::string Difference(ElementType given,
                         std::span<const int64_t> given_shape,
                         absl::string_view declared) const;
  std::string ShapeDifference(std::span<const int64_t> given,
                              absl::string_view declared) const;

  // Return the number of elements, and their size in bytes. All dimensions must
  // be known. RESOURCE_EXHAUSTED: the result needs more than 64 bits.
  absl::StatusOr<int64_t> ElementCount() const;
  absl::StatusOr<uint64_t> ByteLength() const;

  bool operator==(const TensorType&) const = default;
};

// Returns "2x3xf32".
std::string TensorText(std::span<const int64_t> shape, ElementType element);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_TENSOR_TYPE_H_
