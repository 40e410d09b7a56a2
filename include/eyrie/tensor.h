// An array with an element type that is known in C++.
//
//   auto image = eyrie::Tensor<float>::Copy({1, 28, 28}, pixels);
//   for (float pixel : image->elements()) Use(pixel);
// Copies share the elements. Only one thread at a time may use a Tensor.
#ifndef EYRIE_TENSOR_H_
#define EYRIE_TENSOR_H_

#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

namespace internal {

// Reports whether the types are equal, except that integers of the same width
// are equal whether signed or not: most modules do not distinguish them.
constexpr bool IsSameElement(eyrie_dtype_t a, eyrie_dtype_t b) {
  const auto is_integer = [](eyrie_dtype_t dtype) {
    return dtype >> 24 >= 0x10 && dtype >> 24 <= 0x12;
  };
  return a == b || (is_integer(a) && is_integer(b) && (a & 0xFF) == (b & 0xFF));
}

}  // namespace internal

// Tensor<> has elements of any type, which value() describes.
template <typename T = void>
class Tensor {
 public:
  // Not an array; functions do not accept it.
  Tensor() = default;
  // Takes ownership of a value. INVALID_ARGUMENT: it is not a dense array of
  // T (for Tensor<>, not an array).
  static Result<Tensor> From(Value value) {
    if constexpr (std::is_void_v<T>) {
      if (auto array = value.array(); !array) return array.error();
      return Tensor(std::move(value), {});
    } else {
      auto elements = value.elements<T>();
      if (!elements) return elements.error();
      if (!internal::IsSameElement(value.array()->dtype(), DtypeOf<T>())) {
        return Error(EYRIE_INVALID_ARGUMENT,
                     "The array's elements are not of the type asked for.");
      }
      return Tensor(std::move(value), *elements);
    }
  }
  // Creates a tensor with a copy of the elements, in row-major order.
  // INVALID_ARGUMENT: the number of elements does not match the shape.
  template <std::ranges::contiguous_range Range>
  static Result<Tensor> Copy(RowOf<int64_t> shape, const Range& elements) {
    return Made(Value::Array(shape, Typed(elements)));
  }
  static Result<Tensor> Copy(RowOf<int64_t> shape,
                             std::initializer_list<T> elements)
    requires(!std::is_void_v<T>)
  {
    return Copy(shape, std::span<const T>(elements.begin(), elements.size()));
  }
  // Creates a tensor that uses the caller's memory; see Value::Borrow.
  template <std::ranges::contiguous_range Range>
  static Result<Tensor> Borrow(RowOf<int64_t> shape, Range&& elements,
                               std::function<void()> release = nullptr) {
    static_cast<void>(Typed(elements));
    return Made(Value::Borrow(shape, elements, std::move(release)));
  }

  // Returns the dimensions; empty if this is not an array.
  std::span<const int64_t> shape() const {
    auto array = value_.array();
    return array ? array->shape() : std::span<const int64_t>();
  }
  std::span<const T> elements() const
    requires(!std::is_void_v<T>)
  {
    return elements_;
  }
  const Value& value() const { return value_; }
  Value& value() { return value_; }

 private:
  using Elements = std::conditional_t<
      std::is_void_v<T>, std::span<const std::byte>,
      std::span<const std::conditional_t<std::is_void_v<T>, std::byte, T>>>;

  Tensor(Value value, Elements elements)
      : value_(std::move(value)), elements_(elements) {}

  template <typename Range>
  static auto Typed(const Range& elements) {
    using Own = std::ranges::range_value_t<Range>;
    static_assert(std::is_void_v<T> || std::is_same_v<T, Own>,
                  "elements of another type than the tensor's");
    return std::span<const Own>(elements);
  }
  static Result<Tensor> Made(Result<Value> value) {
    if (!value) return value.error();
    return From(std::move(*value));
  }

  Value value_;
  Elements elements_;
};

}  // namespace eyrie

#endif  // EYRIE_TENSOR_H_
