#include "abi/native/memref/layout.h"

#include <optional>

#include "abi/native/memref/strided.h"

namespace eyrie::native {

MemrefShape ShapeOf(std::span<const int64_t> dims) {
  MemrefShape shape;
  shape.rank = dims.size();
  for (size_t i = 0; i < dims.size(); ++i) shape.sizes[i] = dims[i];
  SetDenseStrides(shape);
  return shape;
}

bool HasStrides(const MemrefType& type, const MemrefShape& shape) {
  for (size_t i = 0; i < type.strides.size(); ++i) {
    if (type.strides[i] != MemrefType::kDynamic && shape.sizes[i] > 1 &&
        type.strides[i] != shape.strides[i]) {
      return false;
    }
  }
  return true;
}

void SetStrides(std::span<const int64_t> strides, MemrefShape& shape) {
  for (size_t i = 0; i < shape.rank; ++i) shape.strides[i] = strides[i];
}

bool SetStrides(const MemrefType& type, MemrefShape& shape) {
  MemrefShape fixed = shape;
  for (size_t i = 0; i < shape.rank; ++i) {
    if (type.strides[i] == MemrefType::kDynamic) {
      fixed.sizes[i] = 1;
    } else {
      fixed.strides[i] = shape.strides[i] = type.strides[i];
    }
  }
  std::optional<int64_t> reach = CountReach(fixed);
  for (size_t i = shape.rank; i-- > 0;) {
    if (type.strides[i] != MemrefType::kDynamic) continue;
    if (!reach) return false;
    shape.strides[i] = *reach;
    int64_t next = 0;
    if (__builtin_mul_overflow(*reach, shape.sizes[i], &next)) return false;
    reach = next;
  }
  return reach.has_value();
}

}  // namespace eyrie::native
