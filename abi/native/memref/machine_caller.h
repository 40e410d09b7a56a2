// The function type of a call, for a machine with kRegisters integer registers:
// for the common case, one with few integers; otherwise one with all registers
// and a rounded number of stack words.
//
// Tested by machine_call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALLER_H_
#define EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALLER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "abi/native/memref/machine_call.h"
#include "base/foreign_function.h"

namespace eyrie::native {

template <size_t>
using Word = uint64_t;
template <size_t>
using Float = double;

inline double FloatOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename Result>
uint64_t BitsOf(Result result) {
  uint64_t bits;
  std::memcpy(&bits, &result, sizeof(bits));
  return bits;
}

template <typename Result, size_t... kInteger>
EYRIE_CALLS_FOREIGN_CODE uint64_t
CallIntegers(void* function, const MachineWords& words,
             std::index_sequence<kInteger...>) {
  using Function = Result(Word<kInteger>...);
  return BitsOf(
      reinterpret_cast<Function*>(function)(words.integers[kInteger]...));
}

template <typename Result, size_t... kInteger, size_t... kFloat,
          size_t... kStack>
EYRIE_CALLS_FOREIGN_CODE uint64_t CallAll(void* function,
                                          const MachineWords& words,
                                          std::index_sequence<kInteger...>,
                                          std::index_sequence<kFloat...>,
                                          std::index_sequence<kStack...>) {
  using Function = Result(Word<kInteger>..., Float<kFloat>..., Word<kStack>...);
  return BitsOf(reinterpret_cast<Function*>(function)(
      words.integers[kInteger]..., FloatOf(words.floats[kFloat])...,
      words.stack[kStack]...));
}

template <typename Result, size_t kRegisters, size_t kStack>
uint64_t CallWithStack(void* function, const MachineWords& words) {
  return CallAll<Result>(function, words,
                         std::make_index_sequence<kRegisters>(),
                         std::make_index_sequence<kFloatRegisters>(),
                         std::make_index_sequence<kStack>());
}

template <typename Result, size_t kIntegers>
uint64_t CallWithIntegers(void* function, const MachineWords& words) {
  return CallIntegers<Result>(function, words,
                              std::make_index_sequence<kIntegers>());
}

// Selects the caller by the numbers of parameters.
template <typename Result, size_t kRegisters>
MachineCall::Caller CallerFor(size_t integers, size_t floats, size_t stack) {
  if (floats == 0 && stack == 0) {
    return integers <= 2 ? CallWithIntegers<Result, 2>
                         : CallWithIntegers<Result, kRegisters>;
  }
  if (stack == 0) return CallWithStack<Result, kRegisters, 0>;
  return stack <= 8 ? CallWithStack<Result, kRegisters, 8>
                    : CallWithStack<Result, kRegisters, kStackWords>;
}

// Selects the caller as above, and by the type of the result.
template <size_t kRegisters>
MachineCall::Caller CallerFor(MachineCall::Returns returns, size_t integers,
                              size_t floats, size_t stack) {
  static_assert(kRegisters <= kMaxIntegerRegisters);
  return returns == MachineCall::Returns::kFloat
             ? CallerFor<double, kRegisters>(integers, floats, stack)
             : CallerFor<uint64_t, kRegisters>(integers, floats, stack);
}

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALLER_H_
