#include "abi/native/memref/strided.h"

#include <cstring>

namespace eyrie::native {
namespace {

template <size_t kBytes>
void CopyRow(int64_t count, const uint8_t* from, int64_t from_step, uint8_t* to,
             int64_t to_step) {
  for (int64_t i = 0; i < count; ++i, from += from_step, to += to_step) {
    std::memcpy(to, from, kBytes);
  }
}

// Copies one innermost row; steps are in bytes.
void CopyRow(int64_t count, size_t bytes, const uint8_t* from,
             int64_t from_step, uint8_t* to, int64_t to_step) {
  switch (bytes) {
    case 1:
      return CopyRow<1>(count, from, from_step, to, to_step);
    case 2:
      return CopyRow<2>(count, from, from_step, to, to_step);
    case 4:
      return CopyRow<4>(count, from, from_step, to, to_step);
    case 8:
      return CopyRow<8>(count, from, from_step, to, to_step);
    default:
      return CopyRow<16>(count, from, from_step, to, to_step);
  }
}

// Returns the product, which may wrap for shapes without elements.
int64_t Times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

}  // namespace

void SetDenseStrides(MemrefShape& shape) {
  int64_t stride = 1;
  for (size_t i = shape.rank; i-- > 0;) {
    shape.strides[i] = stride;
    stride = Times(stride, shape.sizes[i]);
  }
}

bool IsDense(const MemrefShape& shape) {
  bool dense = true;
  int64_t stride = 1;
  for (size_t i = shape.rank; i-- > 0;) {
    if (shape.sizes[i] == 0) return true;
    if (shape.sizes[i] == 1) continue;
    dense = dense && shape.strides[i] == stride;
    stride = Times(stride, shape.sizes[i]);
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

std::optional<int64_t> CountReach(const MemrefShape& shape) {
  int64_t reach = 1;
  for (size_t i = 0; i < shape.rank; ++i) {
    if (shape.sizes[i] == 0) return 0;
    int64_t steps = 0;
    if (__builtin_mul_overflow(shape.sizes[i] - 1, shape.strides[i], &steps) ||
        __builtin_add_overflow(reach, steps, &reach)) {
      return std::nullopt;
    }
  }
  return reach;
}

void CopyStrided(const MemrefShape& shape, size_t bytes, const uint8_t* from,
                 const MemrefShape::Numbers& from_strides, uint8_t* to,
                 const MemrefShape::Numbers& to_strides) {
  if (CountElements(shape).value_or(0) == 0) return;
  const auto width = static_cast<int64_t>(bytes);
  if (shape.rank == 0) return CopyRow(1, bytes, from, 0, to, 0);
  const size_t last = shape.rank - 1;
  MemrefShape::Numbers index = {};
  while (true) {
    int64_t from_offset = 0;
    int64_t to_offset = 0;
    for (size_t i = 0; i < last; ++i) {
      from_offset += index[i] * from_strides[i];
      to_offset += index[i] * to_strides[i];
    }
    CopyRow(shape.sizes[last], bytes, from + from_offset * width,
            from_strides[last] * width, to + to_offset * width,
            to_strides[last] * width);
    size_t i = last;
    while (i > 0 && ++index[i - 1] == shape.sizes[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace eyrie::native
