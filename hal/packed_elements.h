// Converts between tensors, which pack elements of 1, 2 and 4 bits, and arrays
// with a byte for each of these elements.
// Tested by abi/native/xla/packed_elements_test.cc.
#ifndef EYRIE_HAL_PACKED_ELEMENTS_H_
#define EYRIE_HAL_PACKED_ELEMENTS_H_

#include <cstdint>
#include <span>

#include "hal/element_type.h"

namespace eyrie::hal {

// Reports whether a tensor has several elements in a byte.
constexpr bool IsPacked(ElementType element) {
  return element != ElementType::kNone && StrideBits(element) < 8;
}

// Reports whether an element has fewer than 8 bits. Those of 6 bits take a
// byte.
constexpr bool IsBelowByte(ElementType element) {
  return element != ElementType::kNone && BitCount(element) < 8;
}

// Unpacks `to.size()` elements, the lowest bits of a byte first. Integers are
// sign-extended unless the type is unsigned; the upper bits of floats are zero.
// `from` must have DenseByteLength(element, to.size()) bytes.
void Unpack(ElementType element, const uint8_t* from, std::span<uint8_t> to);

// The reverse. The upper bits of elements are ignored, and those of the last
// byte that no element takes become zero.
void Pack(ElementType element, std::span<const uint8_t> from, uint8_t* to);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PACKED_ELEMENTS_H_
