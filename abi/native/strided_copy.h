// Copies elements between memories with different strides.
//
// Strides are in elements; they may be 0 or negative. Matrices that are
// transposed are copied in square tiles, so that both sides use whole cache
// lines.
// Tested by tensor_layout_test.cc, memref/strided_test.cc.
#ifndef EYRIE_ABI_NATIVE_STRIDED_COPY_H_
#define EYRIE_ABI_NATIVE_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace eyrie::native {

// Returns the product, which may wrap for shapes without elements.
inline int64_t WrappingProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

// Copies elements of 1, 2, 4, 8 or 16 bytes. `from` and `to` are the addresses
// of the element with index 0. The memories must not overlap. Does nothing if a
// dimension is 0.
void CopyStrided(std::span<const int64_t> dims, size_t bytes,
                 const uint8_t* from, std::span<const int64_t> from_strides,
                 uint8_t* to, std::span<const int64_t> to_strides);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_STRIDED_COPY_H_
