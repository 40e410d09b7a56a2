// A function with C++ types, which are checked when the function is found.
//
//   auto scale = context->Find<Tensor<float>(Tensor<float>, float)>("scale");
//   Result<Tensor<float>> half = (*scale)(numbers, 0.5f);
// Arguments may be bool, integers, float, double, std::string (bytes),
// Tensor<T>, Tensor<> (any element type), std::vector<U> (a list) and Value
// (anything). The result is one of these, void, or a std::tuple of several.
// Valid as long as its context, and used on the same thread.
#ifndef EYRIE_TYPED_FUNCTION_H_
#define EYRIE_TYPED_FUNCTION_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/tensor.h"
#include "eyrie/value.h"

namespace eyrie {
namespace internal {

// Converts between values and a C++ type, and checks parameters: an argument
// may be wider than the C++ type, and a result may be narrower.
template <typename T>
struct CppType;

inline bool FitsWidth(const eyrie_argument_info_t& parameter, size_t size,
                      bool is_argument) {
  if (parameter.dtype == EYRIE_DTYPE_NONE) return true;
  const size_t bits = parameter.dtype & 0xFF;
  return is_argument ? bits >= 8 * size : bits <= 8 * size;
}

inline Error Unexpected(ValueView value, const std::string& name) {
  if (value.kind() == EYRIE_KIND_NO_MEMORY) {
    return Error(EYRIE_RESOURCE_EXHAUSTED,
                 "There is no memory for the result.");
  }
  return Error(EYRIE_INVALID_ARGUMENT, "The result is not " + name + ".");
}

// Numbers.
template <Number T>
struct CppType<T> {
  static std::string Name() {
    if constexpr (std::is_same_v<T, bool>) return "a bool";
    return (std::floating_point<T> ? "a float of " : "an integer of ") +
           std::to_string(8 * sizeof(T)) + " bits";
  }
  static bool Fits(const eyrie_argument_info_t& parameter, bool is_argument) {
    if constexpr (std::is_same_v<T, bool>) {
      return parameter.kind == EYRIE_KIND_BOOL;
    } else {
      return parameter.kind ==
                 (std::floating_point<T> ? EYRIE_KIND_FLOAT : EYRIE_KIND_INT) &&
             FitsWidth(parameter, sizeof(T), is_argument);
    }
  }
  static void Put(T number, Value& to) { to.Set(number); }
  static Result<T> Take(Value& value) {
    if (auto number = value.As<T>()) return *number;
    return Unexpected(value, Name());
  }
};

template <>
struct CppType<std::string> {
  static std::string Name() { return "bytes"; }
  static bool Fits(const eyrie_argument_info_t& parameter, bool) {
    return parameter.kind == EYRIE_KIND_BYTES;
  }
  static void Put(const std::string& text, Value& to) { to = Value(text); }
  static Result<std::string> Take(Value& value) {
    if (auto text = value.As<std::string_view>()) return std::string(*text);
    return Unexpected(value, Name());
  }
};

template <typename T>
struct CppType<Tensor<T>> {
  static std::string Name() {
    return std::is_void_v<T> ? "an array" : "an array of another element type";
  }
  static bool Fits(const eyrie_argument_info_t& parameter, bool) {
    if (parameter.kind != EYRIE_KIND_ARRAY) return false;
    if constexpr (std::is_void_v<T>) {
      return true;
    } else {
      return parameter.dtype == EYRIE_DTYPE_NONE ||
             IsSameElement(parameter.dtype, DtypeOf<T>());
    }
  }
  static void Put(const Tensor<T>& tensor, Value& to) { to = tensor.value(); }
  static Result<Tensor<T>> Take(Value& value) {
    return Tensor<T>::From(std::move(value));
  }
};

template <typename T>
struct CppType<std::vector<T>> {
  static std::string Name() { return "a list"; }
  static bool Fits(const eyrie_argument_info_t& parameter, bool) {
    return parameter.kind == EYRIE_KIND_LIST;
  }
  static void Put(const std::vector<T>& items, Value& to) {
    std::vector<Value> values(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      CppType<T>::Put(items[i], values[i]);
    }
    to = Value::List(values);
  }
  static Result<std::vector<T>> Take(ValueView value) {
    if (value.kind() != EYRIE_KIND_LIST) return Unexpected(value, Name());
    std::vector<T> items;
    for (size_t i = 0; i < value.size(); ++i) {
      Value copy(value.item(i));
      auto item = CppType<T>::Take(copy);
      if (!item) return item.error();
      items.push_back(std::move(*item));
    }
    return items;
  }
};

template <>
struct CppType<Value> {
  static std::string Name() { return "a value"; }
  static bool Fits(const eyrie_argument_info_t&, bool) { return true; }
  static void Put(const Value& value, Value& to) { to = value; }
  static Result<Value> Take(Value& value) { return std::move(value); }
};

// INVALID_ARGUMENT: the parameter does not fit T; the message says why.
template <typename T>
Result<void> CheckParameter(const Function& function,
                            const eyrie_argument_info_t& parameter,
                            const std::string& place, bool is_argument) {
  if (parameter.kind == EYRIE_KIND_ANY ||
      CppType<T>::Fits(parameter, is_argument)) {
    return {};
  }
  return Error(EYRIE_INVALID_ARGUMENT,
               std::string("Function ") + function.signature().text + ": " +
                   place + " is " + parameter.type + "; C++ has " +
                   CppType<T>::Name() + ".");
}

inline Result<void> CheckCount(const Function& function, const char* what,
                               size_t is, size_t has) {
  if (is == has) return {};
  return Error(EYRIE_INVALID_ARGUMENT,
               std::string("Function ") + function.signature().text + " has " +
                   std::to_string(is) + " " + what + (is == 1 ? "" : "s") +
                   "; C++ has " + std::to_string(has) + ".");
}

template <typename... Ts>
Result<void> CheckAll(const Function& function, bool is_argument) {
  const auto signature = function.signature();
  if (auto same = CheckCount(
          function, is_argument ? "argument" : "result",
          is_argument ? signature.argument_count : signature.result_count,
          sizeof...(Ts));
      !same) {
    return same;
  }
  Result<void> good;
  size_t index = 0;
  [[maybe_unused]] const auto check = [&]<typename T>() {
    const size_t at = index++;
    if (!good) return;
    good = CheckParameter<T>(
        function,
        is_argument ? *signature.arguments[at] : *signature.results[at],
        (is_argument ? "argument " : "result ") + std::to_string(at),
        is_argument);
  };
  (check.template operator()<Ts>(), ...);
  return good;
}

// Converts the results of a call to one C++ type.
template <typename R>
struct CppResults {
  static Result<void> Check(const Function& function) {
    return CheckAll<R>(function, false);
  }
  static Result<R> Take(std::vector<Value>& values) {
    return CppType<R>::Take(values[0]);
  }
};

template <>
struct CppResults<void> {
  static Result<void> Check(const Function& function) {
    return CheckAll<>(function, false);
  }
  static Result<void> Take(std::vector<Value>&) { return {}; }
};

template <typename... Rs>
struct CppResults<std::tuple<Rs...>> {
  static Result<void> Check(const Function& function) {
    return CheckAll<Rs...>(function, false);
  }
  static Result<std::tuple<Rs...>> Take(std::vector<Value>& values) {
    return Take(values, std::index_sequence_for<Rs...>());
  }
  template <size_t... kAt>
  static Result<std::tuple<Rs...>> Take(std::vector<Value>& values,
                                        std::index_sequence<kAt...>) {
    auto each = std::make_tuple(CppType<Rs>::Take(values[kAt])...);
    Result<void> good;
    const auto see = [&good](auto& result) {
      if (good && !result) good = result.error();
    };
    (see(std::get<kAt>(each)), ...);
    if (!good) return good.error();
    return std::tuple<Rs...>(std::move(*std::get<kAt>(each))...);
  }
};

}  // namespace internal

template <typename Signature>
class TypedFunction;

template <typename R, typename... Args>
class TypedFunction<R(Args...)> {
 public:
  // Checks the types of a function. INVALID_ARGUMENT: it has other arguments or
  // results; the message contains its signature.
  static Result<TypedFunction> Bind(Function function) {
    if (auto good = internal::CheckAll<Args...>(function, true); !good) {
      return good.error();
    }
    if (auto good = internal::CppResults<R>::Check(function); !good) {
      return good.error();
    }
    return TypedFunction(function);
  }

  // Calls the function and waits for its results. Returns the errors of
  // Function::Call, and INVALID_ARGUMENT if a result has another type or does
  // not fit. If all arguments and results are numbers, only the first call
  // allocates memory.
  Result<R> operator()(const Args&... arguments) {
    size_t index = 0;
    (internal::CppType<Args>::Put(arguments, arguments_[index++]), ...);
    const auto done = function_.CallInto(results_, arguments_);
    // Release arrays, lists and strings, which may be large.
    index = 0;
    [[maybe_unused]] const auto drop = [](Value& value, bool number) {
      if (!number) value = Value();
    };
    (drop(arguments_[index++], Number<Args>), ...);
    if (!done) return done.error();
    return internal::CppResults<R>::Take(results_);
  }

  const Function& function() const { return function_; }

 private:
  explicit TypedFunction(Function function) : function_(function) {}

  Function function_;
  std::array<Value, sizeof...(Args)> arguments_;
  std::vector<Value> results_;
};

}  // namespace eyrie

#endif  // EYRIE_TYPED_FUNCTION_H_
