// Arguments and results: null, numbers, bytes, arrays, lists, tuples, dicts.
//
//   eyrie::Value age = 42, name = "Ada";
//   eyrie::Value weights = *eyrie::Value::Array({2, 3}, floats);
//   auto point = eyrie::Value::Dict({{"x", 1.5}, {"tags", weights}});
// A Value owns its content; a copy is independent, except that it shares the
// elements of arrays. A ValueView reads a value that it does not own. If there
// is no memory for a Value or a copy, its kind() is EYRIE_KIND_NO_MEMORY, and
// calls with it return RESOURCE_EXHAUSTED.
#ifndef EYRIE_VALUE_H_
#define EYRIE_VALUE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/device.h"
#include "eyrie/result.h"

namespace eyrie {

// A type that converts to a number or a bool. char does not.
template <typename T>
concept Number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, char> && sizeof(T) <= 8;

// Reads a value. Valid until the value is destroyed or changed.
class ValueView {
 public:
  ValueView(const eyrie_value_t* value)  // NOLINT: NULL is the null value
      : handle_(const_cast<eyrie_value_t*>(value)) {}

  eyrie_kind_t kind() const { return eyrie_value_kind(handle_); }
  bool is_null() const { return kind() == EYRIE_KIND_NULL; }

  // Returns the value as a bool, an integer, a float or a std::string_view, or
  // nullopt if it has another kind or is an integer out of T's range.
  template <typename T>
  std::optional<T> As() const {
    if constexpr (std::is_same_v<T, bool>) {
      int value = 0;
      if (eyrie_value_get_bool(handle_, &value)) return value != 0;
    } else if constexpr (std::floating_point<T>) {
      double value = 0;
      if (eyrie_value_get_f64(handle_, &value)) return static_cast<T>(value);
    } else if constexpr (std::integral<T>) {
      int64_t value = 0;
      uint64_t natural = 0;
      if (eyrie_value_get_i64(handle_, &value)) {
        if (std::in_range<T>(value)) return static_cast<T>(value);
      } else if (eyrie_value_get_u64(handle_, &natural)) {
        if (std::in_range<T>(natural)) return static_cast<T>(natural);
      }
    } else {
      static_assert(std::is_same_v<T, std::string_view>);
      const void* data = nullptr;
      size_t size = 0;
      if (eyrie_value_get_bytes(handle_, &data, &size)) {
        return T(static_cast<const char*>(data), size);
      }
    }
    return std::nullopt;
  }

  // Returns the array. INVALID_ARGUMENT: the value is not an array.
  Result<ArrayView> array() const {
    eyrie_array_t array = internal::NewArray();
    if (eyrie_error_t* error = eyrie_value_get_array(handle_, &array)) {
      return Error(error);
    }
    return ArrayView(array);
  }
  // Returns the elements of a dense array, in row-major order. T must have
  // their size; a floating-point or complex type must be theirs.
  // INVALID_ARGUMENT: the value is not a dense array, T does not match, or an
  // integer is out of T's range, such as 200 of ui8 if T is int8_t.
  template <typename T>
  Result<std::span<const T>> elements() const {
    auto array = this->array();
    if (!array) return array.error();
    const eyrie_dtype_t dtype = array->dtype();
    // Each floating-point type is its own; integers also read the bits of other
    // types.
    bool matches = dtype != EYRIE_DTYPE_F32 && dtype != EYRIE_DTYPE_F64;
    if constexpr (!std::integral<T> && sizeof(T) > 1) {
      matches = dtype == DtypeOf<T>();
    }
    if ((dtype & 0xFF) != 8 * sizeof(T) || !matches) {
      return Error(EYRIE_INVALID_ARGUMENT,
                   "The array's elements are not of the type asked for.");
    }
    if (!array->is_dense()) {
      return Error(EYRIE_INVALID_ARGUMENT, "The array is not dense.");
    }
    const std::span<const T> elements(static_cast<const T*>(array->data()),
                                      array->bytes().size() / sizeof(T));
    if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
      if (internal::HasOtherSign<T>(dtype)) {
        using Signed = std::make_signed_t<T>;
        for (const T element : elements) {
          if (static_cast<Signed>(element) >= 0) continue;
          return Error(EYRIE_INVALID_ARGUMENT,
                       "The array has an integer that is out of the range of "
                       "the type asked for.");
        }
      }
    }
    return elements;
  }

  // The number of items, the items and the keys of lists, tuples and dicts. An
  // item that does not exist is null; a key that does not exist is nullptr.
  size_t size() const { return eyrie_value_count(handle_); }
  ValueView item(size_t index) const {
    return eyrie_value_item(handle_, index);
  }
  const char* key(size_t index) const {
    return eyrie_value_key(handle_, index, nullptr);
  }
  // Returns the size of the key, which may contain NUL bytes.
  size_t key_size(size_t index) const {
    size_t size = 0;
    eyrie_value_key(handle_, index, &size);
    return size;
  }
  // Returns the first item with this key, or null.
  ValueView Find(const std::string& key) const {
    return eyrie_value_find(handle_, key.data(), key.size());
  }

  eyrie_value_t* get() const { return handle_; }

 protected:
  eyrie_value_t* handle_;
};

// A value. Only one thread at a time may use it and its items.
class Value : public ValueView {
 public:
  // An entry of a dict, or an argument by name.
  using Entry = std::pair<std::string, Value>;

  Value() : ValueView(nullptr) {}
  Value(std::nullptr_t) : Value() {}  // NOLINT: values convert
  template <Number T>
  Value(T value) : ValueView(eyrie_value_new_null()) {  // NOLINT
    Set(value);
  }
  // Creates a value of bytes, which may be text.
  template <typename T>
    requires std::convertible_to<const T&, std::string_view>
  Value(const T& text)  // NOLINT
      : Value(Bytes(std::as_bytes(std::span(std::string_view(text))))) {}
  // Copies a value.
  explicit Value(ValueView view)
      : ValueView(view.get() ? eyrie_value_copy(view.get()) : nullptr) {}
  // Takes ownership of a value of the C API.
  static Value Adopt(eyrie_value_t* value) {
    Value adopted;
    adopted.handle_ = value;
    return adopted;
  }

  Value(const Value& other) : Value(static_cast<const ValueView&>(other)) {}
  Value(Value&& other) noexcept : ValueView(other.Release()) {}
  Value& operator=(Value other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Value() { eyrie_value_free(handle_); }

  // Replaces this value by a number. Allocates only if this is Value().
  template <Number T>
  void Set(T value) {
    if (handle_ == nullptr) handle_ = eyrie_value_new_null();
    if constexpr (std::is_same_v<T, bool>) {
      eyrie_value_set_bool(handle_, value);
    } else if constexpr (std::is_same_v<T, float>) {
      eyrie_value_set_f32(handle_, value);
    } else if constexpr (std::floating_point<T>) {
      eyrie_value_set_f64(handle_, value);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      eyrie_value_set_u64(handle_, value);
    } else if constexpr (std::is_unsigned_v<T> || sizeof(T) == 8) {
      eyrie_value_set_i64(handle_, value);
    } else {
      eyrie_value_set_i32(handle_, value);
    }
  }

  static Value Bytes(std::span<const std::byte> bytes) {
    return Adopt(eyrie_value_new_bytes(bytes.data(), bytes.size()));
  }
  static Value List(RowOf<Value> items) {
    const auto handles = Copies(items);
    return Adopt(eyrie_value_new_list(handles.data(), handles.size()));
  }
  static Value Tuple(RowOf<Value> items) {
    const auto handles = Copies(items);
    return Adopt(eyrie_value_new_tuple(handles.data(), handles.size()));
  }
  static Value Dict(RowOf<Entry> entries) {
    std::vector<const char*> keys;
    std::vector<size_t> sizes;
    std::vector<eyrie_value_t*> items;
    for (const auto& [key, item] : entries) {
      keys.push_back(key.data());
      sizes.push_back(key.size());
      items.push_back(Value(item).Release());
    }
    return Adopt(eyrie_value_new_dict(keys.data(), sizes.data(), items.data(),
                                      items.size()));
  }

  // Creates an array with a copy of the elements, which are in row-major order.
  // INVALID_ARGUMENT: their number does not match the shape.
  // RESOURCE_EXHAUSTED: no memory.
  template <std::ranges::contiguous_range Range>
  static Result<Value> Array(RowOf<int64_t> shape, const Range& elements) {
    using T = std::ranges::range_value_t<Range>;
    return Array(internal::SignedDtypeOf<T>(), shape,
                 std::as_bytes(std::span<const T>(elements)));
  }
  template <typename T>
  static Result<Value> Array(RowOf<int64_t> shape,
                             std::initializer_list<T> elements) {
    return Array(shape, std::span<const T>(elements.begin(), elements.size()));
  }
  static Result<Value> Array(eyrie_dtype_t dtype, RowOf<int64_t> shape,
                             std::span<const std::byte> bytes) {
    eyrie_value_t* value = nullptr;
    if (eyrie_error_t* error =
            eyrie_value_new_array(dtype, shape.size(), shape.data(),
                                  bytes.data(), bytes.size(), &value)) {
      return Error(error);
    }
    return Adopt(value);
  }

  // Creates an array that uses the caller's memory. The memory must be valid,
  // and must not change during calls, until `release` is called: on any thread,
  // after the Value and its copies are destroyed. Const elements are read-only;
  // see SetReadOnly. Returns the errors of Array, and calls `release` then,
  // too.
  template <std::ranges::contiguous_range Range>
  static Result<Value> Borrow(RowOf<int64_t> shape, Range&& elements,
                              std::function<void()> release = nullptr) {
    using T = std::ranges::range_value_t<Range>;
    const std::span<const T> span(elements);
    auto value = Borrow(
        {sizeof(eyrie_array_t), internal::SignedDtypeOf<T>(), shape.size(),
         shape.data(), nullptr, span.data(), span.size_bytes()},
        std::move(release));
    using Reference = std::ranges::range_reference_t<Range>;
    if constexpr (std::is_const_v<std::remove_reference_t<Reference>>) {
      if (value) value->SetReadOnly();
    }
    return value;
  }
  // Creates an array with any strides that uses the caller's memory. If it is
  // lent, calls may change its elements, unless SetReadOnly is called.
  static Result<Value> Borrow(const eyrie_array_t& array,
                              std::function<void()> release = nullptr) {
    const internal::Release kept(std::move(release));
    eyrie_value_t* value = nullptr;
    if (eyrie_error_t* error = eyrie_value_new_borrowed(&array, kept.function,
                                                        kept.user, &value)) {
      return Error(error);
    }
    return Adopt(value);
  }

  // Allows calls to use all arrays in this value in place and to change their
  // elements; see EYRIE_ACCESS_LEND.
  void Lend() { eyrie_value_add_access(handle_, EYRIE_ACCESS_LEND); }

  // Allows calls to use all arrays in this value in place, but not to change
  // their elements. Native kernels and shaders are trusted with that; see
  // EYRIE_ACCESS_LEND_CONST.
  void LendConst() { eyrie_value_add_access(handle_, EYRIE_ACCESS_LEND_CONST); }

  // Gives the value away to a call, which uses its memory in place and may
  // change it. A function that updates its argument returns the same memory;
  // otherwise it is released after the call.
  //   state = std::move(step->Call({std::move(state).Donate(), x})->front());
  Value Donate() && {
    Lend();
    return std::move(*this);
  }

  // Returns whether this value alone refers to the memory of an array on a
  // device, and calls may write to it; see eyrie_value_is_sole_owner.
  bool IsSoleOwner() const { return eyrie_value_is_sole_owner(handle_) != 0; }

  // Forbids all writes to the arrays in this value: calls copy them even if
  // they are lent; see EYRIE_ACCESS_READ_ONLY.
  void SetReadOnly() {
    eyrie_value_add_access(handle_, EYRIE_ACCESS_READ_ONLY);
  }
  // Allows calls to convert the numbers of all arrays in this value even if
  // that rounds them.
  void AllowLoss() { eyrie_value_add_access(handle_, EYRIE_ACCESS_ALLOW_LOSS); }
  // Returns a copy of the array in the device's memory. INVALID_ARGUMENT: the
  // value is not an array. RESOURCE_EXHAUSTED: no memory.
  Result<Value> Upload(const Device& device) const {
    eyrie_value_t* value = nullptr;
    if (eyrie_error_t* error =
            eyrie_value_new_uploaded(handle_, device.get(), &value)) {
      return Error(error);
    }
    return Adopt(value);
  }

  // Returns the value of the C API, which the caller must free. This becomes
  // the null value.
  eyrie_value_t* Release() { return std::exchange(handle_, nullptr); }

 private:
  static std::vector<eyrie_value_t*> Copies(RowOf<Value> items) {
    std::vector<eyrie_value_t*> handles;
    for (const Value& item : items) handles.push_back(Value(item).Release());
    return handles;
  }
};

}  // namespace eyrie

#endif  // EYRIE_VALUE_H_
