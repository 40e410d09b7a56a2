// Shapes and strides of tensors, beside those that memref types declare.
//
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_
#define EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/type.h"

namespace eyrie::native {

// True if the type takes these dimensions. Of an unranked one: up to the limit.
inline bool HasDims(const MemrefType& type, std::span<const int64_t> dims) {
  if (type.kind == MemrefType::Kind::kUnranked) {
    return dims.size() <= MemrefType::kMaxRank;
  }
  if (type.dims.size() != dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (type.dims[i] != MemrefType::kDynamic && type.dims[i] != dims[i]) {
      return false;
    }
  }
  return true;
}

// The shape of a row-major tensor, of kMaxRank dimensions at most.
MemrefShape ShapeOf(std::span<const int64_t> dims);

// True if the type's own strides are those that the shape has.
bool HasStrides(const MemrefType& type, const MemrefShape& shape);

// Gives the type's strides to the shape; those that it leaves open are chosen
// so that no two elements meet. False: the numbers overflow.
bool SetStrides(const MemrefType& type, MemrefShape& shape);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_
