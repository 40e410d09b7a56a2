// The element type and the dimensions of a buffer.
// Tested by compile_options_test.cc, testing/formats_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_SHAPE_H_
#define EYRIE_PLUGINS_PJRT_SHAPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "eyrie/c.h"
#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

struct Shape {
  Buffer_Type type = kBufferTypeInvalid;
  std::vector<int64_t> dims;

  friend bool operator==(const Shape&, const Shape&) = default;
};

// Returns the shape of these dimensions, which may be null if there are none.
// INVALID_ARGUMENT: an unknown type, a negative dimension, or more bytes than
// fit in 63 bits. UNIMPLEMENTED: buffers cannot have elements of the type.
absl::StatusOr<Shape> ShapeOf(int type, const int64_t* dims, size_t count);

// Returns the type that MLIR writes so, such as "ui32"; kBufferTypeInvalid if
// there is none.
Buffer_Type TypeNamed(absl::string_view mlir);
// Returns what MLIR writes for a type.
const char* NameOf(Buffer_Type type);
// Returns the type of the C API's arrays; EYRIE_DTYPE_NONE if there is none.
eyrie_dtype_t DtypeOf(Buffer_Type type);
// Returns the type with which a program's elements of this type are read. It is
// signed if the type of arrays has no sign.
Buffer_Type TypeOf(eyrie_dtype_t dtype);

// Returns the size of an element, and of all elements of a dense array, in
// bytes. The shape must be one that ShapeOf has returned.
size_t ByteWidth(Buffer_Type type);
size_t ByteSize(const Shape& shape);

// Returns the shape as MLIR writes it: "4x2xf32".
std::string ToText(const Shape& shape);
// Reads what ToText returns. INVALID_ARGUMENT: it is something else.
absl::StatusOr<Shape> ReadShape(absl::string_view text);

// Returns the steps, in bytes, of a dense array with this order of dimensions,
// the fastest one first. INVALID_ARGUMENT: the order lacks a
// dimension.
absl::StatusOr<std::vector<int64_t>> StridesOf(
    const Shape& shape, std::span<const int64_t> minor_to_major);
// Returns the steps of a row-major array.
std::vector<int64_t> RowMajorStrides(const Shape& shape);

// Returns the steps of a layout; of a row-major array if it is null.
// INVALID_ARGUMENT: it is of another rank, or a list in it is null.
// UNIMPLEMENTED: the layout is tiled.
absl::StatusOr<std::vector<int64_t>> StridesOf(
    const Shape& shape, const Buffer_MemoryLayout* layout);
// Fails as StridesOf does. UNIMPLEMENTED: the layout, which may be null, is not
// row-major.
absl::Status CheckRowMajor(const Shape& shape,
                           const Buffer_MemoryLayout* layout);

// INVALID_ARGUMENT: an element at these steps is outside of `size` bytes. There
// is one step for each dimension.
absl::Status CheckExtent(const Shape& shape, std::span<const int64_t> strides,
                         size_t size);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_SHAPE_H_
