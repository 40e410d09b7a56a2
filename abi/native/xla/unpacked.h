// Converts between tensors, which pack elements of 1, 2 and 4 bits, and the
// buffers of handlers, which have a byte for each of these elements.
// Tested by abi/native/xla/unpacked_test.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_UNPACKED_H_
#define EYRIE_ABI_NATIVE_XLA_UNPACKED_H_

#include <cstdint>
#include <span>

#include "hal/element_type.h"

namespace eyrie::native {

// Reports whether a tensor has several elements in a byte.
constexpr bool IsPacked(hal::ElementType element) {
  return element != hal::ElementType::kNone && hal::StrideBits(element) < 8;
}

// Unpacks `to.size()` elements, the lowest bits of a byte first. Integers are
// sign-extended unless the type is unsigned; the upper bits of floats are zero.
// `from` must have DenseByteLength(element, to.size()) bytes.
void Unpack(hal::ElementType element, const uint8_t* from,
            std::span<uint8_t> to);

// The reverse. The upper bits of elements are ignored, and those of the last
// byte that no element takes become zero.
void Pack(hal::ElementType element, std::span<const uint8_t> from, uint8_t* to);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_UNPACKED_H_
