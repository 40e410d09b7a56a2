// Selects the function type of a call: for the common case, one with few
// integers; otherwise one with all registers and a rounded number of stack
// words.
#include "abi/native/memref/machine_call.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_function.h"

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

template <typename Result, size_t kStack>
uint64_t CallWithStack(void* function, const MachineWords& words) {
  return CallAll<Result>(function, words,
                         std::make_index_sequence<kIntegerRegisters>(),
                         std::make_index_sequence<kFloatRegisters>(),
                         std::make_index_sequence<kStack>());
}

template <typename Result, size_t kIntegers>
uint64_t CallWithIntegers(void* function, const MachineWords& words) {
  return CallIntegers<Result>(function, words,
                              std::make_index_sequence<kIntegers>());
}

// Selects the caller by the numbers of parameters.
template <typename Result>
auto CallerFor(size_t integers, size_t floats, size_t stack) {
  if (floats == 0 && stack == 0) {
    return integers <= 2 ? CallWithIntegers<Result, 2>
                         : CallWithIntegers<Result, kIntegerRegisters>;
  }
  if (stack == 0) return CallWithStack<Result, 0>;
  return stack <= 8 ? CallWithStack<Result, 8>
                    : CallWithStack<Result, kStackWords>;
}

}  // namespace

absl::StatusOr<size_t> MachineCall::AddInteger() {
  if (integers_ == kIntegerRegisters) return AddStack();
  const size_t place = integers_++;
  caller_ = FindCaller();
  return place;
}

absl::StatusOr<size_t> MachineCall::AddFloat() {
  if (floats_ == kFloatRegisters) return AddStack();
  const size_t place = kFloatPlace + floats_++;
  caller_ = FindCaller();
  return place;
}

absl::StatusOr<size_t> MachineCall::AddStack() {
  if (stack_ == kStackWords) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A native function takes more than ", kStackWords,
                     " words on the stack, which is the limit."));
  }
  const size_t place = kStackPlace + stack_++;
  caller_ = FindCaller();
  return place;
}

MachineCall::Caller MachineCall::FindCaller() const {
  return returns_ == Returns::kFloat
             ? CallerFor<double>(integers_, floats_, stack_)
             : CallerFor<uint64_t>(integers_, floats_, stack_);
}

}  // namespace eyrie::native
