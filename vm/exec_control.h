// Bodies of control flow: branches, calls, returns, yields and status.
//
// Branch targets are verified block marks; the mark itself is skipped.
#ifndef EYRIE_VM_EXEC_CONTROL_H_
#define EYRIE_VM_EXEC_CONTROL_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "vm/decode.h"

namespace eyrie::vm {

inline constexpr uint32_t kBlockMarkSize = 1;

EYRIE_VM_INLINE const uint8_t* BlockAt(const Cursor& c, uint32_t block) {
  return c.code + block + kBlockMarkSize;
}

// Moves in the order listed: the compiler has ordered them so that none reads
// what another has written.
EYRIE_VM_INLINE void Remap(const Cursor& c, RemapList moves) {
  for (uint32_t i = 0, size = moves.size(); i < size; ++i) {
    const uint16_t from = moves.from(i);
    const uint16_t to = moves.to(i);
    if (IsRefRegister(from)) [[unlikely]] {
      AssignRef(c.refs[RefIndex(to)], {&c.refs[RefIndex(from)], IsMove(from)});
    } else {
      c.i32[to] = c.i32[from];
    }
  }
}

EYRIE_VM_INLINE bool BranchTo(Cursor& c, uint32_t block, RemapList moves) {
  Remap(c, moves);
  c.pc = BlockAt(c, block);
  return true;
}

EYRIE_VM_INLINE void ExecBlock() {}

EYRIE_VM_INLINE bool ExecBranch(Machine&, Cursor& c, uint32_t block,
                                RemapList moves) {
  return BranchTo(c, block, moves);
}

EYRIE_VM_INLINE bool ExecCondBranch(Machine& m, Cursor& c) {
  const auto condition = Read<OperandKind::kI32>(m, c);
  if (condition == 0) {
    c.pc += FixedSize(OperandKind::kBlock);
    TakeList(c, 2);
  }
  const auto block = Read<OperandKind::kBlock>(m, c);
  return BranchTo(c, block, Read<OperandKind::kRemap>(m, c));
}

EYRIE_VM_INLINE bool ExecBranchTable(Machine& m, Cursor& c) {
  const auto index = static_cast<uint32_t>(Read<OperandKind::kI32>(m, c));
  auto block = Read<OperandKind::kBlock>(m, c);
  const uint8_t* moves = TakeList(c, 2);
  const auto count = TakeBytes<uint16_t>(c);
  if (index < count) {
    for (uint32_t i = 0; i <= index; ++i) {
      block = Read<OperandKind::kBlock>(m, c);
      moves = TakeList(c, 2);
    }
  }
  return BranchTo(c, block, RemapList(moves));
}

// Stops for a debugger if there is one; there is none: both go on.
EYRIE_VM_INLINE bool ExecCondBreak(Machine&, Cursor& c, int32_t, uint32_t block,
                                   RemapList moves) {
  return BranchTo(c, block, moves);
}
EYRIE_VM_INLINE bool ExecBreak(Machine&, Cursor& c, uint32_t block,
                               RemapList moves) {
  return BranchTo(c, block, moves);
}

EYRIE_VM_INLINE bool DoCall(Machine& m, Cursor& c, uint32_t function,
                            RegisterList segments, RegisterList args,
                            RegisterList results, const uint8_t* return_pc,
                            bool yieldable) {
  if ((function & kImportBit) != 0) {
    if (!m.CallImport(c.at, function & ~kImportBit, segments, args, results,
                      return_pc, yieldable)) [[unlikely]] {
      return false;
    }
    c = m.Load();
    return true;
  }
  return m.Enter(c, &m.state->module->function(function), m.state, args,
                 results, return_pc);
}

EYRIE_VM_INLINE bool ExecCall(Machine& m, Cursor& c, uint32_t function,
                              RegisterList args, RegisterList results) {
  return DoCall(m, c, function, RegisterList(), args, results, c.pc, false);
}
EYRIE_VM_INLINE bool ExecCallVariadic(Machine& m, Cursor& c, uint32_t function,
                                      RegisterList segments, RegisterList args,
                                      RegisterList results) {
  return DoCall(m, c, function, segments, args, results, c.pc, false);
}
EYRIE_VM_INLINE bool ExecCallYieldable(Machine& m, Cursor& c, uint32_t function,
                                       RegisterList args, uint32_t block,
                                       RegisterList results) {
  return DoCall(m, c, function, RegisterList(), args, results,
                BlockAt(c, block), true);
}
EYRIE_VM_INLINE bool ExecCallVariadicYieldable(
    Machine& m, Cursor& c, uint32_t function, RegisterList segments,
    RegisterList args, uint32_t block, RegisterList results) {
  return DoCall(m, c, function, segments, args, results, BlockAt(c, block),
                true);
}

EYRIE_VM_INLINE bool ExecReturn(Machine& m, Cursor& c, RegisterList values) {
  return m.Leave(c, values);
}

// Branches first, so that resuming needs nothing but the frame.
EYRIE_VM_INLINE bool ExecYield(Machine& m, Cursor& c, uint32_t block,
                               RemapList moves) {
  m.frame->at = c.at;
  BranchTo(c, block, moves);
  m.frame->pc = c.pc;
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

#endif  // EYRIE_VM_EXEC_CONTROL_H_
