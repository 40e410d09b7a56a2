// Steps through the bytecode of verified functions, an instruction at a time,
// for whoever asks which registers an instruction touches and where control
// goes on: by the operand kinds of opcodes.def, with nothing left to check.
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

// The byte that a block begins with, as long as it is encoded.
inline constexpr uint32_t kBlockMarkSize = 1;

template <typename T>
T LoadFrom(const uint8_t* code, uint32_t& pc) {
  T value;
  std::memcpy(&value, code + pc, sizeof(T));
  pc += sizeof(T);
  return value;
}

// The instruction at `pc`, which moves to its operands.
inline const OpInfo& ReadOp(const uint8_t* code, uint32_t& pc) {
  auto byte = LoadFrom<uint8_t>(code, pc);
  OpSet set = OpSet::kCore;
  if (byte == kPrefixF32 || byte == kPrefixF64) {
    set = byte == kPrefixF32 ? OpSet::kF32 : OpSet::kF64;
    byte = LoadFrom<uint8_t>(code, pc);
  }
  return *FindOp(set, byte);
}

// A counted list, behind which `pc` moves.
inline const uint8_t* ReadList(const uint8_t* code, uint32_t& pc,
                               uint32_t words_per_item) {
  pc = AlignToList(pc);
  const uint8_t* list = code + pc;
  const auto count = LoadFrom<uint16_t>(code, pc);
  pc += count * words_per_item * 2;
  return list;
}

// A branch as encoded.
struct Edge {
  uint32_t block;
  RemapList moves;
};

// The edge of a branch, whose target is at `pc`; that moves behind it.
inline Edge ReadEdge(const uint8_t* code, uint32_t& pc) {
  const auto block = LoadFrom<uint32_t>(code, pc);
  return {block, RemapList(ReadList(code, pc, 2))};
}

// A block to go on at without moves.
inline Edge PlainEdge(uint32_t block) {
  static constexpr uint16_t kNoMoves[1] = {0};
  return {block, RemapList(reinterpret_cast<const uint8_t*>(kNoMoves))};
}

// True if a cond_br on this register is at `pc`.
bool BranchesOn(const uint8_t* code, uint16_t reg, uint32_t pc);
// True if a block is a comparison and the branch on its result, and so short
// that each branch back to it may have a copy of its own.
bool IsCondition(const uint8_t* code, uint32_t block);

// Tells the visitor what the instruction at `pc` touches, and moves behind it:
//   Register(kind, reg, written)   one register, of any bank
//   Listed(reg, written)           one of a list
//   Goes(edge)                     where control may go on
// Reads come before writes, edges in their order.
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
