// Looks at a block's first instructions.
#include "vm/lower/code_walk.h"

#include "vm/lower/lowered.h"

namespace eyrie::vm {
namespace {

// Limit for the moves of a condition that is copied.
constexpr uint32_t kMaxMoves = 16;

}  // namespace

bool BranchesOn(const uint8_t* code, uint16_t reg, uint32_t pc) {
  if (ReadOp(code, pc).op != Op::kCondBranch) return false;
  return LoadFrom<uint16_t>(code, pc) == reg;
}

bool IsCondition(const uint8_t* code, uint32_t block) {
  uint32_t pc = block + kBlockMarkSize;
  const OpInfo& op = ReadOp(code, pc);
  if (!op.has(kCompares)) return false;
  pc += op.reads.count * FixedSize(OperandKind::kI32);
  const auto result = LoadFrom<uint16_t>(code, pc);
  if (!BranchesOn(code, result, pc)) return false;
  pc += 1 + FixedSize(OperandKind::kI32);
  const uint32_t taken = ReadEdge(code, pc).moves.size();
  return taken + ReadEdge(code, pc).moves.size() <= kMaxMoves;
}

}  // namespace eyrie::vm
