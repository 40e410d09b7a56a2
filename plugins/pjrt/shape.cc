// Implements shapes.
#include "plugins/pjrt/shape.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {
namespace {

struct TypeRow {
  Buffer_Type type;
  eyrie_dtype_t dtype;
  const char* mlir;
};

constexpr TypeRow kTypes[] = {
#define ELEMENT_TYPE(name, code, dtype, mlir) {kBufferType##name, dtype, mlir},
#include "plugins/pjrt/element_types.def"
};

// Codes are the indices of rows.
const TypeRow& RowOf(Buffer_Type type) { return kTypes[type]; }

}  // namespace

absl::StatusOr<Shape> ShapeOf(int type, const int64_t* dims, size_t count) {
  if (type <= 0 || static_cast<size_t>(type) >= std::size(kTypes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The element type ", type, " is unknown."));
  }
  Shape shape;
  shape.type = static_cast<Buffer_Type>(type);
  if (DtypeOf(shape.type) == EYRIE_DTYPE_NONE) {
    return absl::UnimplementedError(
        absl::StrCat("Buffers cannot have elements of type ",
                     kTypes[type].mlir[0] != '\0' ? kTypes[type].mlir
                                                  : absl::StrCat(type).c_str(),
                     "."));
  }
  if (count > 1024) {
    return absl::InvalidArgumentError(
        absl::StrCat("The rank is ", count, "; at most 1024 is possible."));
  }
  RETURN_IF_ERROR(CheckList(dims, count, "dims"));
  uint64_t bytes = ByteWidth(shape.type);
  for (size_t i = 0; i < count; ++i) {
    if (dims[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Dimension ", i, " is ", dims[i],
                       "; dynamic shapes and negative "
                       "dimensions are not possible."));
    }
    const auto dim = static_cast<uint64_t>(dims[i]);
    if (dim != 0 && bytes > std::numeric_limits<int64_t>::max() / dim) {
      return absl::InvalidArgumentError(
          absl::StrCat("The elements exceed 63 bits of bytes at dimension ", i,
                       " (", dims[i], ")."));
    }
    if (dim != 0) bytes *= dim;
    shape.dims.push_back(dims[i]);
  }
  return shape;
}

Buffer_Type TypeNamed(absl::string_view mlir) {
  for (const TypeRow& row : kTypes) {
    if (!mlir.empty() && mlir == row.mlir) return row.type;
  }
  return kBufferTypeInvalid;
}

const char* NameOf(Buffer_Type type) { return RowOf(type).mlir; }

eyrie_dtype_t DtypeOf(Buffer_Type type) { return RowOf(type).dtype; }

Buffer_Type TypeOf(eyrie_dtype_t dtype) {
  switch (dtype) {
    case EYRIE_DTYPE_SI8:
      return kBufferTypeS8;
    case EYRIE_DTYPE_SI16:
      return kBufferTypeS16;
    case EYRIE_DTYPE_SI32:
      return kBufferTypeS32;
    case EYRIE_DTYPE_SI64:
      return kBufferTypeS64;
    case EYRIE_DTYPE_UI8:
      return kBufferTypeU8;
    case EYRIE_DTYPE_UI16:
      return kBufferTypeU16;
    case EYRIE_DTYPE_UI32:
      return kBufferTypeU32;
    case EYRIE_DTYPE_UI64:
      return kBufferTypeU64;
    default:
      break;
  }
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype && dtype != EYRIE_DTYPE_NONE) return row.type;
  }
  return kBufferTypeInvalid;
}

size_t ByteWidth(Buffer_Type type) {
  // The low byte of a type is the number of its bits.
  return static_cast<size_t>(DtypeOf(type) & 0xff) / 8;
}

size_t ByteSize(const Shape& shape) {
  size_t bytes = ByteWidth(shape.type);
  for (const int64_t dim : shape.dims) bytes *= static_cast<size_t>(dim);
  return bytes;
}

std::string ToText(const Shape& shape) {
  std::string text;
  for (const int64_t dim : shape.dims) absl::StrAppend(&text, dim, "x");
  return absl::StrCat(text, NameOf(shape.type));
}

absl::StatusOr<Shape> ReadShape(absl::string_view text) {
  Shape shape;
  absl::string_view rest = text;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    const size_t end = rest.find('x');
    int64_t dim = 0;
    if (end == absl::string_view::npos ||
        !absl::SimpleAtoi(rest.substr(0, end), &dim)) {
      break;
    }
    shape.dims.push_back(dim);
    rest.remove_prefix(end + 1);
  }
  const Buffer_Type type = TypeNamed(rest);
  if (type == kBufferTypeInvalid) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is not the shape of an array."));
  }
  return ShapeOf(type, shape.dims.data(), shape.dims.size());
}

absl::StatusOr<std::vector<int64_t>> StridesOf(
    const Shape& shape, std::span<const int64_t> minor_to_major) {
  const size_t rank = shape.dims.size();
  std::vector<int64_t> strides(rank, 0);
  auto step = static_cast<int64_t>(ByteWidth(shape.type));
  bool is_permutation = minor_to_major.size() == rank;
  for (size_t i = 0; i < rank && is_permutation; ++i) {
    const int64_t at = minor_to_major[i];
    is_permutation = at >= 0 && static_cast<size_t>(at) < rank &&
                     strides[static_cast<size_t>(at)] == 0;
    if (!is_permutation) break;
    strides[static_cast<size_t>(at)] = step;
    // A shape with a dimension of 0 has no elements, and any steps.
    step *= std::max<int64_t>(shape.dims[static_cast<size_t>(at)], 1);
  }
  if (!is_permutation) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The layout's order of dimensions is not one of ", rank, "."));
  }
  return strides;
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> order;
  for (size_t i = shape.dims.size(); i > 0; --i) {
    order.push_back(static_cast<int64_t>(i - 1));
  }
  return *StridesOf(shape, order);
}

absl::StatusOr<std::vector<int64_t>> StridesOf(
    const Shape& shape, const Buffer_MemoryLayout* layout) {
  if (layout == nullptr) return RowMajorStrides(shape);
  if (layout->type == Buffer_MemoryLayout::kStrides) {
    if (layout->strides.num_byte_strides != shape.dims.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The layout has ", layout->strides.num_byte_strides,
                       " strides; the rank is ", shape.dims.size(), "."));
    }
    RETURN_IF_ERROR(CheckList(layout->strides.byte_strides, shape.dims.size(),
                              "byte_strides"));
    return std::vector<int64_t>(
        layout->strides.byte_strides,
        layout->strides.byte_strides + shape.dims.size());
  }
  if (layout->type != Buffer_MemoryLayout::kTiled ||
      layout->tiled.num_tiles != 0) {
    return absl::UnimplementedError("Tiled layouts are not possible.");
  }
  RETURN_IF_ERROR(CheckList(layout->tiled.minor_to_major,
                            layout->tiled.minor_to_major_size,
                            "minor_to_major"));
  return StridesOf(shape, std::span(layout->tiled.minor_to_major,
                                    layout->tiled.minor_to_major_size));
}

absl::Status CheckRowMajor(const Shape& shape,
                           const Buffer_MemoryLayout* layout) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                   StridesOf(shape, layout));
  if (strides == RowMajorStrides(shape)) return absl::OkStatus();
  return absl::UnimplementedError(
      "The layout of arrays in a device's memory is row-major.");
}

absl::Status CheckExtent(const Shape& shape, std::span<const int64_t> strides,
                         size_t size) {
  const absl::Status outside = absl::InvalidArgumentError(
      absl::StrCat("The layout leads to elements outside of the memory of ",
                   size, " bytes."));
  if (ByteSize(shape) == 0) return absl::OkStatus();
  // The end of the last element.
  uint64_t end = ByteWidth(shape.type);
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    const auto steps = static_cast<uint64_t>(shape.dims[i] - 1);
    if (steps != 0 && strides[i] < 0) return outside;
    const auto bytes = CheckedMul(steps, static_cast<uint64_t>(strides[i]));
    if (steps == 0) continue;
    if (!bytes) return outside;
    const auto sum = CheckedAdd(end, *bytes);
    if (!sum) return outside;
    end = *sum;
  }
  return end <= size ? absl::OkStatus() : outside;
}

}  // namespace eyrie::pjrt
