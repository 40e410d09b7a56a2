// Decodes an instruction by its row in opcodes.def and calls its body.
//
// Tested by interpreter_test.cc.
#ifndef EYRIE_VM_DECODE_H_
#define EYRIE_VM_DECODE_H_

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "vm/machine.h"
#include "vm/opcode.h"
#include "vm/operand.h"

// A body is a plain function. What it takes decides how it is called:
//   T Body(values…)                              cannot fail; T is the result
//   void Body(Machine&, values…, results&…)      cannot fail
//   bool Body(Machine&, values…, results&…)      false: failed
//   bool Body(Machine&, Cursor&, values…, …)     moves the cursor; false: leave
//   bool Body(Machine&, Cursor&)                 decodes for itself as well
// Values come as int32_t, int64_t, float, double, RefObject* (borrowed),
// RefOperand, RegisterList, RemapList, string_view or uint32_t; results are
// int32_t&… (written back if the body succeeds), RefObject*& or RefOperand.
//
// Bodies and decoding are all inlined into the one loop.
#define EYRIE_VM_INLINE [[gnu::always_inline]] inline

namespace eyrie::vm {

// A result register of a number, and what is written to it.
template <typename T>
struct NumberResult {
  uint16_t reg;
  T value;
};

template <typename T>
EYRIE_VM_INLINE T TakeBytes(Cursor& c) {
  T value;
  std::memcpy(&value, c.pc, sizeof(T));
  c.pc += sizeof(T);
  return value;
}

EYRIE_VM_INLINE const uint8_t* TakeList(Cursor& c, uint32_t words_per_item) {
  const auto address = reinterpret_cast<uintptr_t>(c.pc);
  const uint8_t* list = c.pc + (address & 1);  // code begins at even addresses
  uint16_t count;
  std::memcpy(&count, list, 2);
  c.pc = list + 2 + size_t{count} * words_per_item * 2;
  return list;
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

// Decodes an operand that is read.
template <OperandKind kKind>
EYRIE_VM_INLINE auto Read(const Machine& m, Cursor& c) {
  using K = OperandKind;
  if constexpr (kKind == K::kI32) {
    return ReadNumber<int32_t>(c, TakeBytes<uint16_t>(c));
  } else if constexpr (kKind == K::kI64) {
    return ReadNumber<int64_t>(c, TakeBytes<uint16_t>(c));
  } else if constexpr (kKind == K::kF32) {
    return ReadNumber<float>(c, TakeBytes<uint16_t>(c));
  } else if constexpr (kKind == K::kF64) {
    return ReadNumber<double>(c, TakeBytes<uint16_t>(c));
  } else if constexpr (kKind == K::kRef) {
    return c.refs[RefIndex(TakeBytes<uint16_t>(c))];
  } else if constexpr (kKind == K::kRefMove) {
    const auto reg = TakeBytes<uint16_t>(c);
    return RefOperand{&c.refs[RefIndex(reg)],
                      (reg & m.state->operand_move_bit) != 0};
  } else if constexpr (IsRegisterList(kKind) || kKind == K::kSegments) {
    return RegisterList(TakeList(c, 1));
  } else if constexpr (kKind == K::kRemap) {
    return RemapList(TakeList(c, 2));
  } else if constexpr (kKind == K::kImmI32) {
    return TakeBytes<int32_t>(c);
  } else if constexpr (kKind == K::kImmI64) {
    return TakeBytes<int64_t>(c);
  } else if constexpr (kKind == K::kImmF32) {
    return TakeBytes<float>(c);
  } else if constexpr (kKind == K::kImmF64) {
    return TakeBytes<double>(c);
  } else if constexpr (kKind == K::kString) {
    const auto size = TakeBytes<uint16_t>(c);
    const absl::string_view text(reinterpret_cast<const char*>(c.pc), size);
    c.pc += size;
    return text;
  } else {
    static_assert(FixedSize(kKind) == 4, "kCases is decoded by its body");
    return TakeBytes<uint32_t>(c);
  }
}

// Decodes an operand that is written.
template <OperandKind kKind>
EYRIE_VM_INLINE auto Write(const Machine& m, Cursor& c) {
  using K = OperandKind;
  if constexpr (kKind == K::kI32) {
    return NumberResult<int32_t>{TakeBytes<uint16_t>(c), 0};
  } else if constexpr (kKind == K::kI64) {
    return NumberResult<int64_t>{TakeBytes<uint16_t>(c), 0};
  } else if constexpr (kKind == K::kF32) {
    return NumberResult<float>{TakeBytes<uint16_t>(c), 0};
  } else if constexpr (kKind == K::kF64) {
    return NumberResult<double>{TakeBytes<uint16_t>(c), 0};
  } else if constexpr (kKind == K::kRef) {
    return &c.refs[RefIndex(TakeBytes<uint16_t>(c))];
  } else {
    static_assert(kKind == K::kRefMove || kKind == K::kRegList);
    return Read<kKind>(m, c);
  }
}

// What a body is given of a decoded result.
template <typename T>
EYRIE_VM_INLINE T& Target(NumberResult<T>& result) {
  return result.value;
}
EYRIE_VM_INLINE RefObject*& Target(RefObject** slot) { return *slot; }
EYRIE_VM_INLINE RefOperand Target(RefOperand operand) { return operand; }
EYRIE_VM_INLINE RegisterList Target(RegisterList list) { return list; }

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
  static constexpr bool kCursor = (std::is_same_v<Ps, Cursor&> || ... || false);
  static constexpr bool kRaw = kCursor && sizeof...(Ps) == 2;
};

template <auto kBody, typename Reads, typename Writes, size_t... kRead,
          size_t... kWrite>
EYRIE_VM_INLINE bool CallBody(Machine& m, Cursor& c, Reads& reads,
                              Writes& writes, std::index_sequence<kRead...>,
                              std::index_sequence<kWrite...>) {
  using Traits = BodyTraits<decltype(kBody)>;
  bool ok = true;
  if constexpr (Traits::kCursor) {
    // Registers may belong to another frame afterwards: nothing is committed.
    return kBody(m, c, std::get<kRead>(reads)...,
                 Target(std::get<kWrite>(writes))...);
  } else if constexpr (!Traits::kMachine) {
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
      m.frame->at = c.at;
  }
  if (ok) (Commit(c, std::get<kWrite>(writes)), ...);
  return ok;
}

// Runs one instruction. False: leave the loop with m.outcome.
template <Op kOp, auto kBody>
EYRIE_VM_INLINE bool Step(Machine& m, Cursor& c) {
  static constexpr OpInfo kInfo = InfoOf(kOp);
  c.at = c.pc;
  c.pc += kInfo.set == OpSet::kCore ? 1 : 2;
  if constexpr (BodyTraits<decltype(kBody)>::kRaw) {
    return kBody(m, c);
  } else {
    constexpr auto kReads = std::make_index_sequence<kInfo.reads.count>();
    constexpr auto kWrites = std::make_index_sequence<kInfo.writes.count>();
    // Braces keep the order of evaluation, which is the encoding's.
    auto reads =
        [&]<size_t... kI>(std::index_sequence<kI...>)
            __attribute__((always_inline)) {
              return std::tuple<decltype(Read<kInfo.reads[kI]>(m, c))...>{
                  Read<kInfo.reads[kI]>(m, c)...};
            }(kReads);
    auto writes =
        [&]<size_t... kI>(std::index_sequence<kI...>)
            __attribute__((always_inline)) {
              return std::tuple<decltype(Write<kInfo.writes[kI]>(m, c))...>{
                  Write<kInfo.writes[kI]>(m, c)...};
            }(kWrites);
    return CallBody<kBody>(m, c, reads, writes, kReads, kWrites);
  }
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_DECODE_H_
