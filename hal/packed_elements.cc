#include "hal/packed_elements.h"

#include <algorithm>

namespace eyrie::hal {

void Unpack(ElementType element, const uint8_t* from, std::span<uint8_t> to) {
  const uint32_t bits = StrideBits(element);
  const uint32_t mask = (1u << bits) - 1;
  const bool is_signed = IsIntegerKind(element) &&
                         NumericalKind(element) != numerical_kind::kUnsigned;
  const uint32_t sign = is_signed ? 1u << (bits - 1) : 0;
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t at = i * bits;
    const uint32_t value = (from[at / 8] >> (at % 8)) & mask;
    to[i] = static_cast<uint8_t>((value ^ sign) - sign);
  }
}

void Pack(ElementType element, std::span<const uint8_t> from, uint8_t* to) {
  const uint32_t bits = StrideBits(element);
  const uint32_t mask = (1u << bits) - 1;
  std::fill_n(to, (from.size() * bits + 7) / 8, uint8_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t at = i * bits;
    to[at / 8] |= static_cast<uint8_t>((from[i] & mask) << (at % 8));
  }
}

}  // namespace eyrie::hal
