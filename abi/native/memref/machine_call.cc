// The function types that calls go through: one for few integers, the common
// case, else one with all registers and a rounded number of stack words.
//
// Tested by machine_call_test.cc.
#include "abi/native/memref/machine_call.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

// The callee's own type is another one, by design.
#if defined(__clang__)
#define EYRIE_ANY_FUNCTION_TYPE __attribute__((no_sanitize("function")))
#else
#define EYRIE_ANY_FUNCTION_TYPE
#endif

namespace eyrie::native {
namespace {

constexpr size_t kFloatPlace = kIntegerRegisters;
constexpr size_t kStackPlace = kFloatPlace + kFloatRegisters;
static_assert(sizeof(MachineWords) ==
              (kStackPlace + kStackWords) * sizeof(uint64_t));

template <size_t>
using Word = uint64_t;
template <size_t>
using Float = double;

double FloatOf(uint64_t bits) {
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
EYRIE_ANY_FUNCTION_TYPE uint64_t
CallIntegers(void* function, const MachineWords& words,
             std::index_sequence<kInteger...>) {
  using Function = Result(Word<kInteger>...);
  return BitsOf(
      reinterpret_cast<Function*>(function)(words.integers[kInteger]...));
}

template <typename Result, size_t... kInteger, size_t... kFloat,
          size_t... kStack>
EYRIE_ANY_FUNCTION_TYPE uint64_t CallAll(void* function,
                                         const MachineWords& words,
                                         std::index_sequence<kInteger...>,
                                         std::index_sequence<kFloat...>,
                                         std::index_sequence<kStack...>) {
  using Function = Result(Word<kInteger>..., Float<kFloat>..., Word<kStack>...);
  return BitsOf(reinterpret_cast<Function*>(function)(
      words.integers[kInteger]..., FloatOf(words.floats[kFloat])...,
      words.stack[kStack]...));
}

template <typename Result, size_t kStack>
uint64_t CallWithStack(void* function, const MachineWords& words) {
  return CallAll<Result>(function, words,
                         std::make_index_sequence<kIntegerRegisters>(),
                         std::make_index_sequence<kFloatRegisters>(),
                         std::make_index_sequence<kStack>());
}

template <typename Result>
uint64_t CallFor(void* function, const MachineWords& words, size_t integers,
                 size_t floats, size_t stack) {
  if (floats == 0 && stack == 0) [[likely]] {
    if (integers <= 2) {
      return CallIntegers<Result>(function, words,
                                  std::make_index_sequence<2>());
    }
    return CallIntegers<Result>(function, words,
                                std::make_index_sequence<kIntegerRegisters>());
  }
  if (stack == 0) return CallWithStack<Result, 0>(function, words);
  if (stack <= 8) return CallWithStack<Result, 8>(function, words);
  return CallWithStack<Result, kStackWords>(function, words);
}

}  // namespace

absl::StatusOr<size_t> MachineCall::AddInteger() {
  if (integers_ == kIntegerRegisters) return AddStack();
  return integers_++;
}

absl::StatusOr<size_t> MachineCall::AddFloat() {
  if (floats_ == kFloatRegisters) return AddStack();
  return kFloatPlace + floats_++;
}

absl::StatusOr<size_t> MachineCall::AddStack() {
  if (stack_ == kStackWords) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A native function takes more than ", kStackWords,
                     " words on the stack, the limit."));
  }
  return kStackPlace + stack_++;
}

uint64_t MachineCall::Call(void* function, const MachineWords& words) const {
  return returns_ == Returns::kFloat
             ? CallFor<double>(function, words, integers_, floats_, stack_)
             : CallFor<uint64_t>(function, words, integers_, floats_, stack_);
}

}  // namespace eyrie::native
