#include "abi/native/memref/descriptor.h"

#include "abi/native/tensor_layout.h"

namespace eyrie::native {

MemrefShape ShapeOf(std::span<const int64_t> dims) {
  MemrefShape shape;
  shape.rank = dims.size();
  for (size_t i = 0; i < dims.size(); ++i) shape.sizes[i] = dims[i];
  SetDenseStrides(shape);
  return shape;
}

void SetStrides(std::span<const int64_t> strides, MemrefShape& shape) {
  for (size_t i = 0; i < shape.rank; ++i) shape.strides[i] = strides[i];
}

void SetDenseStrides(MemrefShape& shape) {
  int64_t stride = 1;
  for (size_t i = shape.rank; i-- > 0;) {
    shape.strides[i] = stride;
    stride = WrappingProduct(stride, shape.sizes[i]);
  }
}

bool IsDense(const MemrefShape& shape) {
  bool dense = true;
  int64_t stride = 1;
  for (size_t i = shape.rank; i-- > 0;) {
    if (shape.sizes[i] == 0) return true;
    if (shape.sizes[i] == 1) continue;
    dense = dense && shape.strides[i] == stride;
    stride = WrappingProduct(stride, shape.sizes[i]);
  }
  return dense;
}

std::optional<int64_t> CountElements(const MemrefShape& shape) {
  int64_t count = 1;
  bool empty = false;
  bool overflow = false;
  for (const int64_t size : shape.dims()) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
    overflow = __builtin_mul_overflow(count, size, &count) || overflow;
  }
  if (empty) return 0;
  return overflow ? std::nullopt : std::optional(count);
}

void CopyStrided(const MemrefShape& shape, size_t bytes, const uint8_t* from,
                 const MemrefShape::Numbers& from_strides, uint8_t* to,
                 const MemrefShape::Numbers& to_strides) {
  CopyStrided(shape.dims(), bytes, from, {from_strides.data(), shape.rank}, to,
              {to_strides.data(), shape.rank});
}

}  // namespace eyrie::native
