// Steps through the bytecode of verified functions, one instruction at a time,
// and reports which registers an instruction uses and where control continues.
// Relies on the operand kinds of opcodes.def and checks nothing.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_CODE_WALK_H_
#define EYRIE_VM_LOWER_CODE_WALK_H_

#include <cstdint>
#include <cstring>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/lower/remap.h"

namespace eyrie::vm {

// The size of the instruction that marks the beginning of a block.
inline constexpr uint32_t kBlockMarkSize = 1;

template <typename T>
T LoadFrom(const uint8_t* code, uint32_t& pc) {
  T value;
  std::memcpy(&value, code + pc, sizeof(T));
  pc += sizeof(T);
  return value;
}

// Returns the instruction at `pc` and moves `pc` to its operands.
inline const OpInfo& ReadOp(const uint8_t* code, uint32_t& pc) {
  auto byte = LoadFrom<uint8_t>(code, pc);
  OpSet set = OpSet::kCore;
  if (byte == kPrefixF32 || byte == kPrefixF64) {
    set = byte == kPrefixF32 ? OpSet::kF32 : OpSet::kF64;
    byte = LoadFrom<uint8_t>(code, pc);
  }
  return *FindOp(set, byte);
}

// Returns a counted list and moves `pc` past it.
inline const uint8_t* ReadList(const uint8_t* code, uint32_t& pc,
                               uint32_t words_per_item) {
  pc = AlignToList(pc);
  const uint8_t* list = code + pc;
  const auto count = LoadFrom<uint16_t>(code, pc);
  pc += count * words_per_item * 2;
  return list;
}

// The encoded target of a branch.
struct Edge {
  uint32_t block;
  RemapList moves;
};

// Reads an edge at `pc` and moves `pc` past it.
inline Edge ReadEdge(const uint8_t* code, uint32_t& pc) {
  const auto block = LoadFrom<uint32_t>(code, pc);
  return {block, RemapList(ReadList(code, pc, 2))};
}

// Returns an edge without moves.
inline Edge PlainEdge(uint32_t block) {
  static constexpr uint16_t kNoMoves[1] = {0};
  return {block, RemapList(reinterpret_cast<const uint8_t*>(kNoMoves))};
}

// Reports whether the instruction at `pc` is a cond_br on this register.
bool BranchesOn(const uint8_t* code, uint16_t reg, uint32_t pc);
// Reports whether a block consists of a comparison and a branch on its result,
// and is short enough to be copied to each backward branch to it.
bool IsCondition(const uint8_t* code, uint32_t block);

// Reports what the instruction at `pc` uses to the visitor and moves `pc` past
// it. Calls, in this order,
//   Register(kind, reg, written)   for each register operand, of any bank
//   Listed(reg, written)           for each register of a list
//   Goes(edge)                     for each place where control may continue
// Registers that are read come before those that are written.
template <typename Visitor>
const OpInfo& VisitInstruction(const uint8_t* code, uint32_t& pc,
                               Visitor& visitor) {
  const OpInfo& op = ReadOp(code, pc);
  auto visit = [&](const OperandList& kinds, bool written) {
    for (int i = 0; i < kinds.count; ++i) {
      const OperandKind kind = kinds[i];
      if (IsRegister(kind)) {
        visitor.Register(kind, LoadFrom<uint16_t>(code, pc), written);
      } else if (IsRegisterList(kind)) {
        const RegisterList list(ReadList(code, pc, 1));
        for (uint32_t j = 0; j < list.size(); ++j) {
          visitor.Listed(list[j], written);
        }
      } else if (kind == OperandKind::kSegments) {
        ReadList(code, pc, 1);
      } else if (kind == OperandKind::kBlock) {
        const bool moves =
            i + 1 < kinds.count && kinds[i + 1] == OperandKind::kRemap;
        visitor.Goes(moves ? ReadEdge(code, pc)
                           : PlainEdge(LoadFrom<uint32_t>(code, pc)));
        if (moves) ++i;
      } else if (kind == OperandKind::kCases) {
        for (auto count = LoadFrom<uint16_t>(code, pc); count > 0; --count) {
          visitor.Goes(ReadEdge(code, pc));
        }
      } else if (kind == OperandKind::kString) {
        const auto size = LoadFrom<uint16_t>(code, pc);
        pc += size;
      } else {
        pc += FixedSize(kind);
      }
    }
  };
  visit(op.reads, false);
  visit(op.writes, true);
  return op;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_CODE_WALK_H_
