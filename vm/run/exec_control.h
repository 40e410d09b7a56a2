// Bodies of control flow: branches, calls, returns, yields and status.
//
// Bodies read the structs of lowered.h. Those that take the cursor move it.
#ifndef EYRIE_VM_RUN_EXEC_CONTROL_H_
#define EYRIE_VM_RUN_EXEC_CONTROL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "vm/run/decode.h"

namespace eyrie::vm {

inline constexpr LoweredAway ExecBlock, ExecBranch, ExecCondBreak, ExecBreak;
inline constexpr LoweredAway ExecCall, ExecCallVariadic, ExecCallYieldable,
    ExecCallVariadicYieldable, ExecReturn;

template <bool kTraced>
EYRIE_VM_INLINE bool ExecLowerFunction(Machine& m, Cursor& c) {
  const uint8_t* code = m.PrepareFunction(kTraced);
  if (code == nullptr) [[unlikely]]
    return m.NoMemoryForCode();
  c.pc = code;
  return true;
}

// A machine without a JIT runs the lowered code.
EYRIE_VM_INLINE bool ExecEnterCompiled(Machine& m, Cursor& c) {
  if (m.compiles()) [[likely]] {
    m.frame->pc = c.pc;
    m.outcome = Outcome::kEnterCompiled;
    return false;
  }
  c.pc = m.frame->function->Lowered();
  return true;
}

// Charges a backward branch. Returns false if the call must stop, or if it
// continues in compiled code.
EYRIE_VM_INLINE bool ChargeAt(Machine& m, const Cursor& c) {
  if (m.meter.ChargeShortly()) [[likely]]
    return true;
  return m.RenewAt(c.pc, /*turns=*/true);
}
// Charges a call, which always continues in the interpreter.
EYRIE_VM_INLINE bool ChargeCallAt(Machine& m, const Cursor& c) {
  if (m.meter.ChargeShortly()) [[likely]]
    return true;
  return m.RenewAt(c.pc, /*turns=*/false);
}

// Executes moves in the order listed: the compiler orders them so that none
// reads a register that an earlier one has written.
template <typename T, uint32_t kCount>
EYRIE_VM_INLINE void MoveNumbers(const Cursor& c) {
  const LoweredMove* moves = LoweredAt<LoweredJump>(c.pc).moves();
  for (uint32_t i = 0; i < kCount; ++i) {
    WriteNumber(c, moves[i].to, ReadNumber<T>(c, moves[i].from));
  }
}

template <bool kBack, typename T, uint32_t kCount>
EYRIE_VM_INLINE bool ExecJump(Machine& m, Cursor& c) {
  if (kBack && !ChargeAt(m, c)) [[unlikely]]
    return false;
  MoveNumbers<T, kCount>(c);
  c.pc += LoweredAt<LoweredJump>(c.pc).target;
  return true;
}

template <typename T, uint32_t kCount>
EYRIE_VM_INLINE bool ExecFallBack(Machine& m, Cursor& c) {
  if (!ChargeAt(m, c)) [[unlikely]]
    return false;
  MoveNumbers<T, kCount>(c);
  c.pc += LoweredJump::Size(kCount);
  return true;
}

EYRIE_VM_INLINE void Move(const Cursor& c, LoweredMove move) {
  if (IsRefRegister(move.from)) {
    AssignRef(c.refs[RefIndex(move.to)],
              {&c.refs[RefIndex(move.from)], IsMove(move.from)});
  } else if ((move.to & LoweredMove::kWide) != 0) {
    WriteNumber(c, move.to & ~LoweredMove::kWide,
                ReadNumber<int64_t>(c, move.from));
  } else {
    c.i32[move.to] = c.i32[move.from];
  }
}

template <bool kBack>
EYRIE_VM_INLINE bool ExecJumpMoves(Machine& m, Cursor& c) {
  const auto& jump = LoweredAt<LoweredJump>(c.pc);
  if (kBack && !ChargeAt(m, c)) [[unlikely]]
    return false;
  const LoweredMove* moves = jump.moves();
  for (uint32_t i = 0; i < jump.move_count; ++i) Move(c, moves[i]);
  c.pc += jump.target;
  return true;
}

// A comparison that is the condition of a loop and ends with a backward branch.
template <Op kOp, auto kBody>
EYRIE_VM_INLINE bool StepAndTurn(Machine& m, Cursor& c) {
  if constexpr (InfoOf(kOp).has(kCompares)) {
    if (!ChargeAt(m, c)) [[unlikely]]
      return false;
  }
  return StepAndBranch<kOp, kBody>(m, c);
}

EYRIE_VM_INLINE bool ExecCondBranch(Machine&, Cursor& c) {
  const auto& branch = LoweredAt<LoweredCondBranch>(c.pc);
  BranchOn(c, c.i32[branch.condition],
           c.pc + offsetof(LoweredCondBranch, target));
  return true;
}

EYRIE_VM_INLINE bool ExecBranchTable(Machine&, Cursor& c) {
  const auto& table = LoweredAt<LoweredBranchTable>(c.pc);
  const auto index = static_cast<uint32_t>(c.i32[table.index]);
  c.pc += table.targets()[index < table.count ? index : table.count];
  return true;
}

template <bool kTraced>
EYRIE_VM_INLINE bool ExecCallFunction(Machine& m, Cursor& c) {
  const auto& call = LoweredAt<LoweredCallFunction>(c.pc);
  if (!ChargeCallAt(m, c)) [[unlikely]]
    return false;
  m.frame->pc = c.pc;
  Frame* callee = m.Push(call.callee, m.state);
  if (callee == nullptr) [[unlikely]]
    return false;
  const LoweredMove* move = call.moves();
  for (uint32_t i = call.numbers; i > 0; --i, ++move) {
    callee->i32[move->to] = c.i32[move->from];
  }
  for (uint32_t i = call.wides; i > 0; --i, ++move) {
    std::memcpy(&callee->i32[move->to], &c.i32[move->from], 8);
  }
  for (uint32_t i = call.refs; i > 0; --i, ++move) {
    callee->refs[move->to] =
        TakeRef({&c.refs[RefIndex(move->from)], IsMove(move->from)});
  }
  m.frame = callee;
  // The loop keeps the cursor in registers, so functions that are not inlined
  // must not take its address.
  c = {call.callee->Entry(kTraced), callee->i32, callee->refs};
  if constexpr (kTraced) m.TraceEntry();
  return true;
}

// Calls a native function that may suspend the call. Not inlined, so that other
// calls need only a test.
[[gnu::noinline]] inline absl::Status CallYieldable(
    Machine& m, const NativeImport& native, const LoweredCallImport& call) {
  m.meter.suspension.set_yieldable(true);
  absl::Status status =
      native.direct(native.state, m.frame->AddressOf(0), call.places());
  m.meter.suspension.set_yieldable(false);
  return status;
}

// Most imports are native functions, which read and write the frame directly.
EYRIE_VM_INLINE bool ExecCallImport(Machine& m, Cursor& c) {
  if (!ChargeCallAt(m, c)) [[unlikely]]
    return false;
  const auto& call = LoweredAt<LoweredCallImport>(c.pc);
  const NativeImport& native = m.state->imports[call.import].native;
  if (native.direct != nullptr) [[likely]] {
    m.frame->pc = c.pc;  // a suspended call is made again from here
    absl::Status status =
        call.yieldable
            ? CallYieldable(m, native, call)
            : native.direct(native.state, m.frame->AddressOf(0), call.places());
    c.pc += call.call.size;
    if (status.ok()) [[likely]]
      return true;
    return m.NativeFailed(call, std::move(status));
  }
  if (!m.CallImport(c.pc)) [[unlikely]]
    return false;
  c = m.Load();
  return true;
}

EYRIE_VM_INLINE bool ExecCallImportTraced(Machine& m, Cursor& c) {
  if (!ChargeCallAt(m, c) || !m.CallImportTraced(c.pc)) [[unlikely]]
    return false;
  c = m.Load();
  return true;
}

// Continues after the call in the caller. Returns false if the caller is the
// host.
EYRIE_VM_INLINE bool BackToCaller(Machine& m, Cursor& c) {
  Frame* callee = m.frame;
  Frame* caller = callee->caller;
  m.Pop(callee);
  m.frame = caller;
  if (caller == nullptr) [[unlikely]] {
    m.outcome = Outcome::kDone;
    return false;
  }
  m.state = caller->state;
  c = {caller->pc + LoweredAt<LoweredCall>(caller->pc).size, caller->i32,
       caller->refs};
  return true;
}

EYRIE_VM_INLINE bool ExecReturnNothing(Machine& m, Cursor& c) {
  return BackToCaller(m, c);
}

template <typename T>
EYRIE_VM_INLINE bool ExecReturnOne(Machine& m, Cursor& c) {
  const T value = ReadNumber<T>(c, LoweredAt<LoweredReturn>(c.pc).values()[0]);
  Frame* caller = m.frame->caller;
  if (caller != nullptr) [[likely]] {
    const uint16_t to = LoweredAt<LoweredCall>(caller->pc).results()[0];
    std::memcpy(&caller->i32[to], &value, sizeof(T));
  } else {
    std::memcpy(&m.host_results()->i64, &value, sizeof(T));
  }
  return BackToCaller(m, c);
}

EYRIE_VM_INLINE bool ExecReturnMany(Machine& m, Cursor& c) {
  m.PassResults(LoweredAt<LoweredReturn>(c.pc));
  return BackToCaller(m, c);
}

template <auto kReturn>
EYRIE_VM_INLINE bool ExecTracedReturn(Machine& m, Cursor& c) {
  m.TraceExit();
  return kReturn(m, c);
}

EYRIE_VM_INLINE bool ExecPause(Machine& m, Cursor& c) {
  m.frame->pc = c.pc;
  if (!m.Pause(LoweredAt<LoweredPause>(c.pc).offset)) [[unlikely]]
    return false;
  c.pc += sizeof(LoweredPause);
  return true;
}

// The call resumes at the next instruction.
EYRIE_VM_INLINE bool ExecYield(Machine& m, Cursor& c) {
  m.frame->pc = c.pc + sizeof(LoweredYield);
  m.outcome = Outcome::kYielded;
  return false;
}

EYRIE_VM_INLINE bool ExecFail(Machine& m, int32_t code,
                              absl::string_view message) {
  return m.FailWithCode(code, message);
}

EYRIE_VM_INLINE void ExecImportResolved(Machine& m, uint32_t import,
                                        int32_t& result) {
  result = m.state->imports[import & ~kImportBit].resolved();
}

EYRIE_VM_INLINE void ExecTrace(Machine& m, absl::string_view name,
                               RegisterList values) {
  m.Print(name, values, /*trace=*/true);
}
EYRIE_VM_INLINE void ExecPrint(Machine& m, absl::string_view name,
                               RegisterList values) {
  m.Print(name, values, /*trace=*/false);
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_CONTROL_H_
