// Compares shapes and strides of tensors with those that memref types declare.
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_
#define EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/type.h"

namespace eyrie::native {

// Reports whether the type accepts these dimensions. An unranked type accepts
// any up to the maximum rank.
inline bool HasDims(const MemrefType& type, std::span<const int64_t> dims) {
  if (type.kind == MemrefType::Kind::kUnranked) {
    return dims.size() <= MemrefType::kMaxRank;
  }
  return type.FitsShape(dims);
}

// Returns the shape of a row-major tensor. `dims` must have at most kMaxRank
// elements.
MemrefShape ShapeOf(std::span<const int64_t> dims);

// Reports whether the shape has the strides that the type declares.
bool HasStrides(const MemrefType& type, const MemrefShape& shape);

// Sets the shape's strides, as many as it has dimensions.
void SetStrides(std::span<const int64_t> strides, MemrefShape& shape);

// Sets the shape's strides to those of the type. Dynamic strides are chosen so
// that elements do not overlap. Returns false if a number overflows.
bool SetStrides(const MemrefType& type, MemrefShape& shape);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_LAYOUT_H_
