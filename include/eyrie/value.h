// Arguments and results: scalars and tensors.
//
// A Value owns what it holds and is moved, not copied. A tensor's elements
// live on its device; on CPU devices they are read in place.
#ifndef EYRIE_VALUE_H_
#define EYRIE_VALUE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include "eyrie/c.h"
#include "eyrie/device.h"
#include "eyrie/result.h"

namespace eyrie {

// The element type of a C++ type; others pass an eyrie_dtype_t.
template <typename T>
constexpr eyrie_dtype_t DtypeOf() {
  if constexpr (std::is_same_v<T, float>) return EYRIE_DTYPE_F32;
  else if constexpr (std::is_same_v<T, double>) return EYRIE_DTYPE_F64;
  else if constexpr (std::is_same_v<T, int8_t>) return EYRIE_DTYPE_I8;
  else if constexpr (std::is_same_v<T, int16_t>) return EYRIE_DTYPE_I16;
  else if constexpr (std::is_same_v<T, int32_t>) return EYRIE_DTYPE_I32;
  else if constexpr (std::is_same_v<T, int64_t>) return EYRIE_DTYPE_I64;
  else if constexpr (std::is_same_v<T, uint8_t>) return EYRIE_DTYPE_UI8;
  else if constexpr (std::is_same_v<T, uint16_t>) return EYRIE_DTYPE_UI16;
  else if constexpr (std::is_same_v<T, uint32_t>) return EYRIE_DTYPE_UI32;
  else if constexpr (std::is_same_v<T, uint64_t>) return EYRIE_DTYPE_UI64;
  else if constexpr (std::is_same_v<T, bool>) return EYRIE_DTYPE_BOOL8;
  else static_assert(sizeof(T) == 0, "no element type for this C++ type");
}

// A tensor's contents, borrowed from its Value.
class TensorView {
 public:
  explicit TensorView(const eyrie_tensor_t& tensor) : tensor_(tensor) {}

  eyrie_dtype_t dtype() const { return tensor_.dtype; }
  std::span<const int64_t> shape() const {
    return {tensor_.shape, tensor_.rank};
  }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(tensor_.data), tensor_.size};
  }
  // The elements as T; empty if T's size does not divide the bytes.
  template <typename T>
  std::span<const T> elements() const {
    if (tensor_.size % sizeof(T) != 0) return {};
    return {static_cast<const T*>(tensor_.data), tensor_.size / sizeof(T)};
  }

 private:
  eyrie_tensor_t tensor_;
};

class Value {
 public:
  explicit Value(eyrie_value_t* handle) : handle_(handle) {}
  Value(int32_t value) : Value(eyrie_value_i32(value)) {}   // NOLINT
  Value(int64_t value) : Value(eyrie_value_i64(value)) {}   // NOLINT
  Value(float value) : Value(eyrie_value_f32(value)) {}     // NOLINT
  Value(double value) : Value(eyrie_value_f64(value)) {}    // NOLINT

  // A dense row-major tensor; the elements are copied. INVALID_ARGUMENT: the
  // number of elements is not the shape's.
  template <typename T>
  static Result<Value> Tensor(const Device& device,
                              std::initializer_list<int64_t> shape,
                              std::span<const T> elements) {
    return Tensor(device, DtypeOf<std::remove_const_t<T>>(),
                  {shape.begin(), shape.size()}, std::as_bytes(elements));
  }
  static Result<Value> Tensor(const Device& device, eyrie_dtype_t dtype,
                              std::span<const int64_t> shape,
                              std::span<const std::byte> bytes) {
    eyrie_value_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_value_tensor(
            device.get(), dtype, shape.size(), shape.data(), bytes.data(),
            bytes.size(), &handle)) {
      return Error(error);
    }
    return Value(handle);
  }

  eyrie_kind_t kind() const { return eyrie_value_kind(get()); }
  int32_t i32() const { return eyrie_value_get_i32(get()); }
  int64_t i64() const { return eyrie_value_get_i64(get()); }
  float f32() const { return eyrie_value_get_f32(get()); }
  double f64() const { return eyrie_value_get_f64(get()); }
  // INVALID_ARGUMENT: not a tensor.
  Result<TensorView> tensor() const {
    eyrie_tensor_t tensor;
    if (eyrie_error_t* error = eyrie_value_get_tensor(get(), &tensor)) {
      return Error(error);
    }
    return TensorView(tensor);
  }

  eyrie_value_t* get() const { return handle_.get(); }

 private:
  internal::Handle<eyrie_value_t, eyrie_value_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_VALUE_H_
