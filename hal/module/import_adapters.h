// Adapters for rows of the import tables: releases differ in the conventions of
// a name, and an adapter derives the function of one convention from that of
// another.
//
// Parameters are numbered from 0, without the state; a variadic span is one.
// vm::Bind compares the result with the row's convention at compile time.
// Tested by hal_module_test.cc, queue_imports_test.cc.
#ifndef EYRIE_HAL_MODULE_IMPORT_ADAPTERS_H_
#define EYRIE_HAL_MODULE_IMPORT_ADAPTERS_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace eyrie::hal {
namespace adapters_internal {

template <typename F>
struct Parameters;
template <typename R, typename State, typename... Ps>
struct Parameters<R (*)(State&, Ps...)> {
  using Result = R;
  using StateType = State;
  using All = std::tuple<Ps...>;
  static constexpr size_t kCount = sizeof...(Ps);
};

template <typename F, size_t kIndex>
using ParameterAt = std::tuple_element_t<kIndex, typename Parameters<F>::All>;

// Narrows parameter kNarrow.
template <auto kFunction, size_t kNarrow, typename Indices>
struct Narrowing;
template <auto kFunction, size_t kNarrow, size_t... kAll>
struct Narrowing<kFunction, kNarrow, std::index_sequence<kAll...>> {
  using F = decltype(kFunction);
  static_assert(std::is_same_v<ParameterAt<F, kNarrow>, int64_t>,
                "Only an int64_t can be narrowed.");

  static typename Parameters<F>::Result Call(
      typename Parameters<F>::StateType& state,
      std::conditional_t<kAll == kNarrow, int32_t,
                         ParameterAt<F, kAll>>... arguments) {
    return kFunction(state, arguments...);
  }
};

// Returns the number of the parameter that receives argument `given` if those
// in kFixed receive none.
template <size_t... kFixed>
constexpr size_t ReceiverOf(size_t given) {
  size_t parameter = 0;
  while (true) {
    if (((parameter != kFixed) && ...) && given-- == 0) return parameter;
    ++parameter;
  }
}

// Passes kValue as the parameters kFixed, or null if they are pointers.
template <auto kFunction, int kValue, typename Fixed, typename Indices,
          typename Given>
struct Fixing;
template <auto kFunction, int kValue, size_t... kFixed, size_t... kAll,
          size_t... kGiven>
struct Fixing<kFunction, kValue, std::index_sequence<kFixed...>,
              std::index_sequence<kAll...>, std::index_sequence<kGiven...>> {
  using F = decltype(kFunction);

  static typename Parameters<F>::Result Call(
      typename Parameters<F>::StateType& state,
      ParameterAt<F, ReceiverOf<kFixed...>(kGiven)>... arguments) {
    const auto given = std::tie(arguments...);
    return kFunction(state, Argument<kAll>(given)...);
  }

 private:
  template <size_t kIndex, typename Tuple>
  static ParameterAt<F, kIndex> Argument([[maybe_unused]] const Tuple& given) {
    using P = ParameterAt<F, kIndex>;
    if constexpr (((kIndex != kFixed) && ...)) {
      return std::get<kIndex - (size_t{kFixed < kIndex} + ...)>(given);
    } else if constexpr (std::is_pointer_v<P>) {
      return nullptr;
    } else {
      static_assert(std::is_integral_v<P>, "Only integers can be fixed.");
      return kValue;
    }
  }
};

template <auto kFunction, int kValue, size_t... kFixed>
inline constexpr auto kFixing =
    &Fixing<kFunction, kValue, std::index_sequence<kFixed...>,
            std::make_index_sequence<Parameters<decltype(kFunction)>::kCount>,
            std::make_index_sequence<Parameters<decltype(kFunction)>::kCount -
                                     sizeof...(kFixed)>>::Call;

}  // namespace adapters_internal

// The function with parameter kIndex, an int64_t, as an int32_t.
template <auto kFunction, size_t kIndex>
inline constexpr auto Narrow = &adapters_internal::Narrowing<
    kFunction, kIndex,
    std::make_index_sequence<
        adapters_internal::Parameters<decltype(kFunction)>::kCount>>::Call;

// The function without these parameters: they are 0 or null.
template <auto kFunction, size_t... kIndices>
inline constexpr auto Without =
    adapters_internal::kFixing<kFunction, 0, kIndices...>;

// The function without a queue affinity, parameter kIndex: any queue.
template <auto kFunction, size_t kIndex>
inline constexpr auto OnAnyQueue =
    adapters_internal::kFixing<kFunction, -1, kIndex>;

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_IMPORT_ADAPTERS_H_
