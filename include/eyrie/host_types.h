// The types of arguments and results of host functions (linker.h).
//
//   bool, integers, float, double   numbers
//   std::string_view, std::string   bytes or text
//   TensorView<T>, Tensor<T>        an array of T, in any number of dimensions
//   NewTensor<T>                    only a result: an array that is not copied
//   std::vector<U>                  a list
//   std::shared_ptr<U>              an object of the host
//   Value, ValueView                any reference
// Views are only arguments, valid during the call. A Tensor may be kept.
#ifndef EYRIE_HOST_TYPES_H_
#define EYRIE_HOST_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c_linker.h"
#include "eyrie/fence.h"
#include "eyrie/result.h"
#include "eyrie/tensor.h"
#include "eyrie/typed_function.h"
#include "eyrie/value.h"

namespace eyrie {

// An argument that is an array. TensorView<> has elements of any type.
template <typename T = void>
class TensorView : public ArrayView {
 public:
  TensorView() : ArrayView({}) {}
  explicit TensorView(const eyrie_array_t& array) : ArrayView(array) {}

  std::span<const T> elements() const
    requires(!std::is_void_v<T>)
  {
    return {static_cast<const T*>(data()), bytes().size() / sizeof(T)};
  }
};

// A result that is an array in the device's memory. The function must write all
// elements, which may have any values at first.
template <typename T>
class NewTensor {
 public:
  NewTensor() = default;

  std::span<T> elements() const { return elements_; }
  Value& value() { return value_; }

 private:
  friend class HostCall;

  NewTensor(Value value, std::span<T> elements)
      : value_(std::move(value)), elements_(elements) {}

  Value value_;
  std::span<T> elements_;
};

// A running call of a host function, valid until the function returns.
class HostCall {
 public:
  explicit HostCall(eyrie_host_call_t* handle) : handle_(handle) {}

  // Returns the state of the function's module in this context; see
  // Linker::SetState. T must be the type that it has there.
  template <typename T>
  T& state() const {
    return *static_cast<T*>(info().state);
  }
  // Returns the context; NULL while its initializers run.
  eyrie_context_t* context() const { return info().context; }
  // Finds a function of the context, to call it. FAILED_PRECONDITION: the
  // context's initializers run. NOT_FOUND: no such function.
  Result<Function> Find(const std::string& name) const {
    if (context() == nullptr) {
      return Error(EYRIE_FAILED_PRECONDITION,
                   "The context's initializers have not ended.");
    }
    eyrie_function_t* found = nullptr;
    if (eyrie_error_t* error =
            eyrie_context_find_function(context(), name.c_str(), &found)) {
      return Error(error);
    }
    return Function(found);
  }

  // Creates an array for a result. RESOURCE_EXHAUSTED: no memory. Other errors
  // are those of eyrie_host_call_new_array.
  template <typename T>
  Result<NewTensor<T>> New(RowOf<int64_t> shape) const {
    void* data = nullptr;
    eyrie_value_t* value = nullptr;
    if (eyrie_error_t* error = eyrie_host_call_new_array(
            handle_, DtypeOf<T>(), shape.size(), shape.data(), &data, &value)) {
      return Error(error);
    }
    size_t count = 1;
    for (const int64_t dimension : shape) {
      count *= static_cast<size_t>(dimension);
    }
    return NewTensor<T>(Value::Adopt(value), {static_cast<T*>(data), count});
  }

  // Charges fuel. Long functions must call this now and then, and return its
  // error: the call was cancelled or has exceeded a limit.
  Result<void> Check(uint32_t fuel = 0) const {
    if (eyrie_error_t* error = eyrie_host_call_check(handle_, fuel)) {
      return Error(error);
    }
    return {};
  }

  // The fences of a function of DefineAsync. There may be nothing to wait for.
  std::optional<Fence> wait() const {
    eyrie_fence_t* const fence = info().wait;
    return fence ? std::optional(Share(fence)) : std::nullopt;
  }
  Fence signal() const { return Share(info().signal); }

  eyrie_host_call_t* get() const { return handle_; }

 private:
  const eyrie_host_call_info_t& info() const {
    return *eyrie_host_call_info(handle_);
  }
  static Fence Share(eyrie_fence_t* fence) {
    eyrie_fence_retain(fence);
    return Fence::Adopt(fence);
  }

  eyrie_host_call_t* handle_;
};

namespace internal {

inline eyrie_error_t* NewError(const Error& error) {
  return eyrie_error_create(error.code(), error.message().c_str());
}

template <typename T>
void DeleteHost(void* object) {
  delete static_cast<T*>(object);
}

// Calls `function`, and returns an exception as an error.
template <typename F>
eyrie_error_t* Guarded(const F& function) {
#ifdef __cpp_exceptions
  try {
    return function();
  } catch (const std::exception& thrown) {
    return eyrie_error_create(EYRIE_INTERNAL, thrown.what());
  } catch (...) {
    return eyrie_error_create(EYRIE_INTERNAL,
                              "The host function threw an exception.");
  }
#else
  return function();
#endif
}

// Its address identifies T. It is not const, so that no linker merges two.
template <typename T>
inline char kTypeTag = 0;

// The object of the host that a std::shared_ptr<T> is passed as.
template <typename T>
struct HostedObject {
  const char* tag;  // &kTypeTag<T>; the first member for every T
  std::shared_ptr<T> pointer;
};

// Returns the name of T in signatures. Types in unnamed namespaces, or that
// differ only in punctuation, can share a name; kTypeTag tells them apart.
template <typename T>
std::string ObjectName() {
  std::string name = __PRETTY_FUNCTION__;
  const size_t begin = name.find("T = ") + 4;
  name = name.substr(begin, name.find_first_of(";]", begin) - begin);
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                       (c >= 'a' && c <= 'z') || c == ':';
    if (!plain) c = '_';
  }
  return name;
}

// Converts between slots and a C++ type. Take returns an error or nullptr.
template <typename T>
struct HostType;

template <Number T>
struct HostType<T> {
  using Held = T;
  static std::string Text() {
    if constexpr (std::is_same_v<T, bool>) return "i1";
    return (std::floating_point<T>  ? "f"
            : std::is_unsigned_v<T> ? "ui"
                                    : "i") +
           std::to_string(8 * sizeof(T));
  }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, T& held) {
    if constexpr (std::is_same_v<T, bool>) {
      held = slot.i32 != 0;
    } else if constexpr (std::floating_point<T>) {
      held =
          sizeof(T) == 4 ? static_cast<T>(slot.f32) : static_cast<T>(slot.f64);
    } else {
      held =
          sizeof(T) == 8 ? static_cast<T>(slot.i64) : static_cast<T>(slot.i32);
    }
    return nullptr;
  }
  static void Give(T number, eyrie_slot_t& slot) {
    if constexpr (std::floating_point<T>) {
      if constexpr (sizeof(T) == 4) {
        slot.f32 = number;
      } else {
        slot.f64 = number;
      }
    } else if constexpr (sizeof(T) == 8) {
      slot.i64 = static_cast<int64_t>(number);
    } else {
      slot.i32 = static_cast<int32_t>(number);
    }
  }
};

template <>
struct HostType<std::string_view> {
  using Held = std::string_view;
  static std::string Text() { return "bytes"; }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, Held& held) {
    held = {static_cast<const char*>(slot.bytes.data), slot.bytes.size};
    return nullptr;
  }
};

template <>
struct HostType<std::string> {
  using Held = std::string;
  static std::string Text() { return "bytes"; }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, Held& held) {
    held.assign(static_cast<const char*>(slot.bytes.data), slot.bytes.size);
    return nullptr;
  }
  static void Give(const std::string& text, eyrie_slot_t& slot) {
    slot.value = Value(text).Release();
  }
};

template <typename T>
std::string ArrayText() {
  if constexpr (std::is_void_v<T>) {
    return "array";
  } else {
    return "*x" + HostType<T>::Text();
  }
}

template <typename T>
struct HostType<TensorView<T>> {
  using Held = TensorView<T>;
  static std::string Text() { return ArrayText<T>(); }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, Held& held) {
    held = Held(*slot.array);
    return nullptr;
  }
};

template <typename T>
struct HostType<NewTensor<T>> {
  static std::string Text() { return ArrayText<T>(); }
  static void Give(NewTensor<T> tensor, eyrie_slot_t& slot) {
    slot.value = tensor.value().Release();
  }
};

// Types that are converted from and to a Value.
template <typename T>
struct HostTypeOfValue {
  using Held = T;
  static eyrie_error_t* Take(eyrie_host_call_t* call, size_t index,
                             const eyrie_slot_t&, T& held) {
    eyrie_value_t* given = nullptr;
    if (eyrie_error_t* error =
            eyrie_host_call_copy_argument(call, index, &given)) {
      return error;
    }
    Value value = Value::Adopt(given);
    return Store(CppType<T>::Take(value), held);
  }
  static eyrie_error_t* Store(Result<T> taken, T& held) {
    if (!taken) return NewError(taken.error());
    held = std::move(*taken);
    return nullptr;
  }
  static void Give(const T& given, eyrie_slot_t& slot) {
    Value value;
    CppType<T>::Put(given, value);
    slot.value = value.Release();
  }
};

template <typename T>
struct HostType<Tensor<T>> : HostTypeOfValue<Tensor<T>> {
  static std::string Text() { return ArrayText<T>(); }
};
template <typename T>
struct HostType<std::vector<T>> : HostTypeOfValue<std::vector<T>> {
  using Held = std::vector<T>;
  static std::string Text() { return "list<" + HostType<T>::Text() + ">"; }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, Held& held) {
    return HostTypeOfValue<Held>::Store(CppType<Held>::Take(slot.value), held);
  }
};
template <>
struct HostType<Value> : HostTypeOfValue<Value> {
  static std::string Text() { return "any"; }
};

template <>
struct HostType<ValueView> {
  struct Held {
    ValueView view = nullptr;
    operator ValueView() const { return view; }
  };
  static std::string Text() { return "any"; }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t,
                             const eyrie_slot_t& slot, Held& held) {
    held.view = slot.value;
    return nullptr;
  }
};

template <typename T>
struct HostType<std::shared_ptr<T>> {
  using Held = std::shared_ptr<T>;
  static std::string Text() { return "ref<" + ObjectName<T>() + ">"; }
  static eyrie_error_t* Take(eyrie_host_call_t*, size_t index,
                             const eyrie_slot_t& slot, Held& held) {
    if (slot.object == nullptr) return nullptr;  // null
    if (*static_cast<const char* const*>(slot.object) != &kTypeTag<T>) {
      return NewError({EYRIE_INVALID_ARGUMENT,
                       "Argument " + std::to_string(index) +
                           " is an object of another C++ type with the name " +
                           ObjectName<T>() + "."});
    }
    held = static_cast<HostedObject<T>*>(slot.object)->pointer;
    return nullptr;
  }
  static void Give(Held object, eyrie_slot_t& slot) {
    if (object == nullptr) return;  // null
    using Hosted = HostedObject<T>;
    slot.value = eyrie_value_new_object(
        ObjectName<T>().c_str(), new Hosted{&kTypeTag<T>, std::move(object)},
        DeleteHost<Hosted>);
  }
};

// Writes the results of a function.
template <typename R>
struct HostResult {
  static std::string Text() { return HostType<R>::Text(); }
  static eyrie_error_t* Give(R result, eyrie_slot_t* slots) {
    HostType<R>::Give(std::move(result), slots[0]);
    return nullptr;
  }
};
template <>
struct HostResult<void> {
  static std::string Text() { return ""; }
};
template <typename... Rs>
struct HostResult<std::tuple<Rs...>> {
  static std::string Text() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + HostType<Rs>::Text()), ...);
    return text;
  }
  static eyrie_error_t* Give(std::tuple<Rs...> results, eyrie_slot_t* slots) {
    std::apply(
        [slots](auto&... result) {
          [[maybe_unused]] eyrie_slot_t* next = slots;
          (HostType<Rs>::Give(std::move(result), *next++), ...);
        },
        results);
    return nullptr;
  }
};
template <typename R>
struct HostResult<Result<R>> {
  static std::string Text() { return HostResult<R>::Text(); }
  static eyrie_error_t* Give(Result<R> result, eyrie_slot_t* slots) {
    if (!result) return NewError(result.error());
    if constexpr (std::is_void_v<R>) {
      return nullptr;
    } else {
      return HostResult<R>::Give(std::move(*result), slots);
    }
  }
};

// A function of the type R(Args...), stored as an F.
template <typename F, bool kTakesCall, typename R, typename... Args>
struct HostFunctionAs {
  static std::string Signature() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + HostType<Args>::Text()), ...);
    return "(" + text + ") -> (" + HostResult<R>::Text() + ")";
  }
  static eyrie_error_t* Call(eyrie_host_call_t* call,
                             const eyrie_slot_t* arguments,
                             eyrie_slot_t* results, void* user) {
    return Guarded([&] {
      return CallWith(*static_cast<F*>(user), call, arguments, results,
                      std::index_sequence_for<Args...>());
    });
  }

 private:
  template <size_t... kAt>
  static eyrie_error_t* CallWith(F& function, eyrie_host_call_t* call,
                                 [[maybe_unused]] const eyrie_slot_t* slots,
                                 eyrie_slot_t* results,
                                 std::index_sequence<kAt...>) {
    std::tuple<typename HostType<Args>::Held...> held;
    eyrie_error_t* error = nullptr;
    static_cast<void>(
        (((error = HostType<Args>::Take(call, kAt, slots[kAt],
                                        std::get<kAt>(held))) == nullptr) &&
         ...));
    if (error != nullptr) return error;
    const auto run = [&]() -> R {
      if constexpr (kTakesCall) {
        HostCall host(call);
        return function(host, std::move(std::get<kAt>(held))...);
      } else {
        return function(std::move(std::get<kAt>(held))...);
      }
    };
    if constexpr (std::is_void_v<R>) {
      run();
      return nullptr;
    } else {
      return HostResult<R>::Give(run(), results);
    }
  }
};

template <typename F, typename Function>
struct HostFunctionFor;
template <typename F, typename R, typename... Args>
struct HostFunctionFor<F, std::function<R(Args...)>>
    : HostFunctionAs<F, false, R, std::remove_cvref_t<Args>...> {};
template <typename F, typename R, typename... Args>
struct HostFunctionFor<F, std::function<R(HostCall&, Args...)>>
    : HostFunctionAs<F, true, R, std::remove_cvref_t<Args>...> {};

template <typename F>
using HostFunctionOf =
    HostFunctionFor<F, decltype(std::function(std::declval<F>()))>;

// Calls an F of Linker::DefineAny.
template <typename F>
eyrie_error_t* CallAnyHost(eyrie_host_call_t* call, const eyrie_slot_t*,
                           eyrie_slot_t* results, void* user) {
  return Guarded([&]() -> eyrie_error_t* {
    std::vector<Value> arguments(eyrie_host_call_info(call)->argument_count);
    for (size_t i = 0; i < arguments.size(); ++i) {
      eyrie_value_t* value = nullptr;
      if (eyrie_error_t* error =
              eyrie_host_call_copy_argument(call, i, &value)) {
        return error;
      }
      arguments[i] = Value::Adopt(value);
    }
    HostCall host(call);
    auto returned = (*static_cast<F*>(user))(host, arguments);
    if (!returned) return NewError(returned.error());
    std::vector<eyrie_value_t*> values;
    values.reserve(returned->size());
    for (Value& value : *returned) values.push_back(value.Release());
    return eyrie_host_call_set_results(call, values.data(), values.size(),
                                       results);
  });
}

}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_HOST_TYPES_H_
