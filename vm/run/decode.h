// Reads an instruction's operands from lowered code and calls its body.
//
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_DECODE_H_
#define EYRIE_VM_RUN_DECODE_H_

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/lower/lowered.h"
#include "vm/run/machine.h"

// A body is a plain function. Its signature determines how it is called:
//   T Body(values…)                              cannot fail; T is the result
//   void Body(Machine&, values…, results&…)      cannot fail
//   bool Body(Machine&, values…, results&…)      returns false if it failed
//   bool Body(Machine&, Cursor&)                 reads and moves the cursor
//                                                itself; returns false to
//                                                leave the loop
// Values come as int32_t, int64_t, float, double, RefObject* (borrowed),
// RefOperand, RegisterList, string_view or uint32_t; results are int32_t&…
// (written back if the body succeeds), RefObject*& or RefOperand.
//
// Bodies and the reading of operands are all inlined into the loop.
#define EYRIE_VM_INLINE [[gnu::always_inline]] inline

namespace eyrie::vm {

// Marks the body of an instruction that lowering replaces by others.
struct LoweredAway {};
template <auto kBody>
inline constexpr bool kIsLoweredAway =
    std::is_same_v<decltype(kBody), const LoweredAway*>;

// A register that receives a number, and the number to store in it.
template <typename T>
struct NumberResult {
  uint16_t reg;
  T value;
};

template <typename T>
EYRIE_VM_INLINE T ReadBytes(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
EYRIE_VM_INLINE T ReadNumber(const Cursor& c, uint16_t reg) {
  T value;
  std::memcpy(&value, &c.i32[reg], sizeof(T));
  return value;
}

template <typename T>
EYRIE_VM_INLINE void WriteNumber(const Cursor& c, uint16_t reg, T value) {
  std::memcpy(&c.i32[reg], &value, sizeof(T));
}

// Reads the input operand at `at`.
template <OperandKind kKind>
EYRIE_VM_INLINE auto Read(const Cursor& c, const uint8_t* at) {
  using K = OperandKind;
  if constexpr (kKind == K::kI32) {
    return ReadNumber<int32_t>(c, ReadBytes<uint16_t>(at));
  } else if constexpr (kKind == K::kI64) {
    return ReadNumber<int64_t>(c, ReadBytes<uint16_t>(at));
  } else if constexpr (kKind == K::kF32) {
    return ReadNumber<float>(c, ReadBytes<uint16_t>(at));
  } else if constexpr (kKind == K::kF64) {
    return ReadNumber<double>(c, ReadBytes<uint16_t>(at));
  } else if constexpr (kKind == K::kRef) {
    return c.refs[ReadBytes<uint16_t>(at)];
  } else if constexpr (kKind == K::kRefMove) {
    const auto reg = ReadBytes<uint16_t>(at);
    return RefOperand{&c.refs[RefIndex(reg)], IsMove(reg)};
  } else if constexpr (IsAlignedList(kKind)) {
    return RegisterList(ReadBytes<const uint8_t*>(at));
  } else if constexpr (kKind == K::kImmI32) {
    return ReadBytes<int32_t>(at);
  } else if constexpr (kKind == K::kImmI64) {
    return ReadBytes<int64_t>(at);
  } else if constexpr (kKind == K::kImmF32) {
    return ReadBytes<float>(at);
  } else if constexpr (kKind == K::kImmF64) {
    return ReadBytes<double>(at);
  } else if constexpr (kKind == K::kString) {
    const auto* text = ReadBytes<const uint8_t*>(at);
    return absl::string_view(reinterpret_cast<const char*>(text + 2),
                             ReadBytes<uint16_t>(text));
  } else {
    static_assert(LoweredSize(kKind) == 4);
    return ReadBytes<uint32_t>(at);
  }
}

// Reads the output operand at `at`.
template <OperandKind kKind>
EYRIE_VM_INLINE auto Write(const Cursor& c, const uint8_t* at) {
  using K = OperandKind;
  if constexpr (kKind == K::kI32) {
    return NumberResult<int32_t>{ReadBytes<uint16_t>(at), 0};
  } else if constexpr (kKind == K::kI64) {
    return NumberResult<int64_t>{ReadBytes<uint16_t>(at), 0};
  } else if constexpr (kKind == K::kF32) {
    return NumberResult<float>{ReadBytes<uint16_t>(at), 0};
  } else if constexpr (kKind == K::kF64) {
    return NumberResult<double>{ReadBytes<uint16_t>(at), 0};
  } else if constexpr (kKind == K::kRef) {
    return &c.refs[ReadBytes<uint16_t>(at)];
  } else {
    static_assert(kKind == K::kRefMove);
    return Read<kKind>(c, at);
  }
}

// Converts a decoded output operand to the body's parameter.
template <typename T>
EYRIE_VM_INLINE T& Target(NumberResult<T>& result) {
  return result.value;
}
EYRIE_VM_INLINE RefObject*& Target(RefObject** slot) { return *slot; }
EYRIE_VM_INLINE RefOperand Target(RefOperand operand) { return operand; }

template <typename T>
EYRIE_VM_INLINE void Commit(const Cursor& c, const NumberResult<T>& result) {
  WriteNumber(c, result.reg, result.value);
}
template <typename T>
EYRIE_VM_INLINE void Commit(const Cursor&, const T&) {}

template <typename F>
struct BodyTraits;
template <typename R, typename... Ps>
struct BodyTraits<R (*)(Ps...)> {
  using Result = R;
  static constexpr bool kMachine =
      (std::is_same_v<Ps, Machine&> || ... || false);
  static constexpr bool kRaw = (std::is_same_v<Ps, Cursor&> || ... || false);
};

template <auto kBody, typename Reads, typename Writes, size_t... kRead,
          size_t... kWrite>
EYRIE_VM_INLINE bool CallBody(Machine& m, const Cursor& c, Reads& reads,
                              Writes& writes, std::index_sequence<kRead...>,
                              std::index_sequence<kWrite...>) {
  using Traits = BodyTraits<decltype(kBody)>;
  bool ok = true;
  if constexpr (!Traits::kMachine) {
    if constexpr (sizeof...(kWrite) == 0) {
      kBody(std::get<kRead>(reads)...);
    } else {
      std::get<0>(writes).value = kBody(std::get<kRead>(reads)...);
    }
  } else if constexpr (std::is_void_v<typename Traits::Result>) {
    kBody(m, std::get<kRead>(reads)..., Target(std::get<kWrite>(writes))...);
  } else {
    ok = kBody(m, std::get<kRead>(reads)...,
               Target(std::get<kWrite>(writes))...);
    if (!ok) [[unlikely]]
      m.frame->pc = c.pc;
  }
  if (ok) (Commit(c, std::get<kWrite>(writes)), ...);
  return ok;
}

// Runs a body on the operands at the cursor, which does not move.
template <Op kOp, auto kBody>
EYRIE_VM_INLINE bool RunBody(Machine& m, const Cursor& c) {
  static constexpr OpInfo kInfo = InfoOf(kOp);
  static constexpr LoweredLayout kLayout = LayOut(kInfo);
  static constexpr size_t kCount = kInfo.reads.count;
  constexpr auto kReads = std::make_index_sequence<kCount>();
  constexpr auto kWrites = std::make_index_sequence<kInfo.writes.count>();
  auto reads = [&]<size_t... kI>(
                   std::index_sequence<kI...>) __attribute__((always_inline)) {
    return std::tuple<decltype(Read<kInfo.reads[kI]>(c, c.pc))...>{
        Read<kInfo.reads[kI]>(c, c.pc + kLayout.at[kI])...};
  }(kReads);
  auto writes = [&]<size_t... kI>(
                    std::index_sequence<kI...>) __attribute__((always_inline)) {
    return std::tuple<decltype(Write<kInfo.writes[kI]>(c, c.pc))...>{
        Write<kInfo.writes[kI]>(c, c.pc + kLayout.at[kCount + kI])...};
  }(kWrites);
  return CallBody<kBody>(m, c, reads, writes, kReads, kWrites);
}

// Takes the first of two jumps if the condition is not zero. Uses a branch,
// which the processor predicts: with a conditional move, the next instructions
// would wait for the condition.
EYRIE_VM_INLINE void BranchOn(Cursor& c, int32_t condition,
                              const uint8_t* targets) {
  if (condition != 0) {
    c.pc += ReadBytes<int32_t>(targets);
    asm volatile("");
  } else {
    c.pc += ReadBytes<int32_t>(targets + 4);
  }
}

// Runs one instruction. Returns false to leave the loop with m.outcome.
template <Op kOp, auto kBody>
EYRIE_VM_INLINE bool Step(Machine& m, Cursor& c) {
  if constexpr (kIsLoweredAway<kBody>) {
    __builtin_unreachable();
  } else if constexpr (BodyTraits<decltype(kBody)>::kRaw) {
    return kBody(m, c);
  } else {
    if (!RunBody<kOp, kBody>(m, c)) [[unlikely]]
      return false;
    c.pc += LayOut(InfoOf(kOp)).size();
    return true;
  }
}

// Runs a comparison and the branch on its result.
template <Op kOp, auto kBody>
EYRIE_VM_INLINE bool StepAndBranch(Machine&, Cursor& c) {
  static constexpr OpInfo kInfo = InfoOf(kOp);
  if constexpr (kInfo.has(kCompares)) {
    static constexpr LoweredLayout kLayout = LayOut(kInfo);
    const int32_t result =
        [&]<size_t... kI>(std::index_sequence<kI...>)
            __attribute__((always_inline)) {
              return kBody(Read<kInfo.reads[kI]>(c, c.pc + kLayout.at[kI])...);
            }(std::make_index_sequence<kInfo.reads.count>());
    WriteNumber(c, ReadBytes<uint16_t>(c.pc + kLayout.at[kInfo.reads.count]),
                result);
    BranchOn(c, result, c.pc + kLayout.branch_at());
    return true;
  } else {
    __builtin_unreachable();
  }
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_DECODE_H_
