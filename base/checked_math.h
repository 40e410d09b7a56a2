// Sums and products that report overflow: the only arithmetic allowed on
// values read from a file.
//
// Each returns nullopt on overflow; none has undefined behaviour.
// Tested by base_test.cc.
#ifndef EYRIE_BASE_CHECKED_MATH_H_
#define EYRIE_BASE_CHECKED_MATH_H_

#include <cstdint>
#include <optional>
#include <type_traits>

namespace eyrie {

template <typename T>
std::optional<T> CheckedAdd(T a, std::type_identity_t<T> b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <typename T>
std::optional<T> CheckedMul(T a, std::type_identity_t<T> b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Rounds up to a multiple of `alignment`, a power of two.
template <typename T>
std::optional<T> CheckedAlignUp(T value, std::type_identity_t<T> alignment) {
  std::optional<T> padded = CheckedAdd<T>(value, alignment - 1);
  if (!padded) return std::nullopt;
  return static_cast<T>(*padded & ~(alignment - 1));
}

// Returns the value rounded up to a multiple of `alignment`. The result must
// not overflow.
inline constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// True if [offset, offset + length) lies within [0, size).
inline constexpr bool RangeFits(uint64_t offset, uint64_t length,
                                uint64_t size) {
  return offset <= size && length <= size - offset;
}

}  // namespace eyrie

#endif  // EYRIE_BASE_CHECKED_MATH_H_
