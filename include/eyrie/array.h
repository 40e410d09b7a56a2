// Arrays in C++: element types, shapes and views of elements.
#ifndef EYRIE_ARRAY_H_
#define EYRIE_ARRAY_H_

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>

#include "eyrie/c.h"
#include "eyrie/language.h"

namespace eyrie {

// Returns the element type of a C++ type: bool, integers, float, double,
// std::complex of the last two, and std::float16_t and std::bfloat16_t if the
// compiler has them. Other element types are passed as an eyrie_dtype_t.
template <typename T>
constexpr eyrie_dtype_t DtypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return EYRIE_DTYPE_F32;
  else if constexpr (std::is_same_v<T, double>)
    return EYRIE_DTYPE_F64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return EYRIE_DTYPE_I8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return EYRIE_DTYPE_I16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return EYRIE_DTYPE_I32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return EYRIE_DTYPE_I64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return EYRIE_DTYPE_UI8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return EYRIE_DTYPE_UI16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return EYRIE_DTYPE_UI32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return EYRIE_DTYPE_UI64;
  else if constexpr (std::is_same_v<T, bool>)
    return EYRIE_DTYPE_BOOL8;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return EYRIE_DTYPE_C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return EYRIE_DTYPE_C128;
#ifdef __STDCPP_FLOAT16_T__
  else if constexpr (std::is_same_v<T, _Float16>)
    return EYRIE_DTYPE_F16;
#endif
#ifdef __STDCPP_BFLOAT16_T__
  else if constexpr (std::is_same_v<T, decltype(0.0bf16)>)
    return EYRIE_DTYPE_BF16;
#endif
  else
    static_assert(sizeof(T) == 0, "no element type for this C++ type");
}

namespace internal {

// Returns an array without elements, of this header's version.
inline eyrie_array_t NewArray() {
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  return array;
}

// Returns the type of T's elements; signed integers are SI8 to SI64 instead of
// I8 to I64, which have no sign.
template <typename T>
constexpr eyrie_dtype_t SignedDtypeOf() {
  constexpr eyrie_dtype_t kDtype = DtypeOf<T>();
  return kDtype >> 24 == 0x10 ? static_cast<eyrie_dtype_t>(kDtype | 0x01000000)
                              : kDtype;
}

// Reports whether `dtype` is an unsigned integer and T is signed, or the
// reverse.
template <typename T>
constexpr bool HasOtherSign(eyrie_dtype_t dtype) {
  return dtype >> 24 == (std::is_signed_v<T> ? 0x12 : 0x11);
}

}  // namespace internal

// A parameter type that accepts a braced list, vector, array or span of Ts. It
// refers to the elements and does not copy them.
template <typename T>
class RowOf : public std::span<const T> {
 public:
  using Span = std::span<const T>;
  RowOf() = default;
  RowOf(std::initializer_list<T> row) : Span(row.begin(), row.size()) {}
  template <std::ranges::contiguous_range Range>
    requires std::convertible_to<const Range&, Span>
  RowOf(const Range& row) : Span(row) {}  // NOLINT
};

// A view of an array's elements. Valid until the array's value is destroyed or
// changed.
class ArrayView {
 public:
  explicit ArrayView(const eyrie_array_t& array) : array_(array) {}

  eyrie_dtype_t dtype() const { return array_.dtype; }
  std::span<const int64_t> shape() const { return {array_.shape, array_.rank}; }
  // Returns the steps in bytes, one per dimension.
  std::span<const int64_t> strides() const {
    return {array_.strides, array_.rank};
  }
  // Returns the address of the element at index 0, 0, …
  const void* data() const { return array_.data; }
  // Reports whether the elements are contiguous, in row-major order.
  bool is_dense() const {
    int64_t step = array_.dtype & 0xFF;
    step /= 8;
    for (size_t i = array_.rank; i-- > 0; step *= array_.shape[i]) {
      if (array_.shape[i] == 0) return true;
      if (array_.shape[i] > 1 && array_.strides[i] != step) return false;
    }
    return true;
  }
  // Returns the elements of a dense array. Empty if the array is not dense.
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(array_.data),
            is_dense() ? array_.size : 0};
  }

 private:
  eyrie_array_t array_;
};

}  // namespace eyrie

#endif  // EYRIE_ARRAY_H_
