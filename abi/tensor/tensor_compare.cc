#include "abi/tensor/tensor_compare.h"

#include <cmath>
#include <cstring>

#include "abi/tensor/tensor_text.h"
#include "base/half.h"

namespace eyrie::abi {

using hal::ElementType;

bool IsNear(double actual, double expected, double absolute, double relative) {
  if (actual == expected) return true;
  if (std::isnan(actual) && std::isnan(expected)) return true;
  if (!std::isfinite(expected)) return false;
  return std::fabs(actual - expected) <=
         absolute + relative * std::fabs(expected);
}

std::optional<double> FloatAt(std::span<const uint8_t> bytes, int64_t index,
                              ElementType type) {
  const size_t size = hal::BitCount(type) / 8;
  const uint8_t* at = bytes.data() + index * size;
  if (type == ElementType::kFloat64) {
    double number;
    std::memcpy(&number, at, size);
    return number;
  }
  if (type == ElementType::kFloat32) {
    float number;
    std::memcpy(&number, at, size);
    return number;
  }
  const FloatFormat* const format = SmallFloatFormat(type);
  if (format == nullptr) return std::nullopt;
  uint16_t bits = 0;
  std::memcpy(&bits, at, size);
  return DecodeFloat(*format, bits);
}

bool HasSameBits(std::span<const uint8_t> a, std::span<const uint8_t> b,
                 int64_t index, uint32_t bits) {
  if (bits >= 8) {
    const size_t size = bits / 8;
    return std::memcmp(a.data() + index * size, b.data() + index * size,
                       size) == 0;
  }
  if (bits == 0) return true;
  const uint64_t bit = static_cast<uint64_t>(index) * bits;
  const uint32_t mask = (1u << bits) - 1;
  return ((a[bit / 8] >> bit % 8) & mask) == ((b[bit / 8] >> bit % 8) & mask);
}

}  // namespace eyrie::abi
