// Elements that lie with strides: how far they reach, and copies of them.
//
// Strides count elements. Tested by strided_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_
#define EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "abi/native/memref/descriptor.h"

namespace eyrie::native {

// Row-major strides without gaps for the shape's sizes, which are not negative.
void SetDenseStrides(MemrefShape& shape);
// True if the elements lie row-major without gaps; strides of dimensions of one
// element do not matter, and none does where there are no elements.
bool IsDense(const MemrefShape& shape);

// The product of the sizes; nullopt: one is negative, or it overflows.
std::optional<int64_t> CountElements(const MemrefShape& shape);
// Elements from the first to behind the last, for strides that are not
// negative; nullopt: it overflows.
std::optional<int64_t> CountReach(const MemrefShape& shape);

// Copies the shape's elements, of so many bytes, from strides to strides. The
// ranges do not overlap.
void CopyStrided(const MemrefShape& shape, size_t bytes, const uint8_t* from,
                 const MemrefShape::Numbers& from_strides, uint8_t* to,
                 const MemrefShape::Numbers& to_strides);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_STRIDED_H_
