// Strided elements: their extent in memory, and copies of them.
//
// Strides count elements.
// Tested by strided_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_
#define EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "abi/native/memref/descriptor.h"

namespace eyrie::native {

// Returns the shape of a row-major tensor. `dims` must have at most kMaxRank
// elements.
MemrefShape ShapeOf(std::span<const int64_t> dims);
// Sets the shape's strides, as many as it has dimensions.
void SetStrides(std::span<const int64_t> strides, MemrefShape& shape);
// Sets row-major strides without gaps. The sizes must not be negative.
void SetDenseStrides(MemrefShape& shape);
// Reports whether the elements are row-major without gaps. The stride of a
// dimension of size 1 is ignored; a shape without elements is dense.
bool IsDense(const MemrefShape& shape);

// Returns the product of the sizes, or nullopt if one is negative or the
// product overflows.
std::optional<int64_t> CountElements(const MemrefShape& shape);
// Copies the shape's elements, each of `bytes` bytes, from one set of strides
// to another. The ranges must not overlap.
void CopyStrided(const MemrefShape& shape, size_t bytes, const uint8_t* from,
                 const MemrefShape::Numbers& from_strides, uint8_t* to,
                 const MemrefShape::Numbers& to_strides);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_
