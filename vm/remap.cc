// Groups moves for lowering. Tested by lowering_test.cc.
#include "vm/remap.h"

#include "vm/operand.h"

namespace eyrie::vm {

std::vector<LoweredMove> Merge(const RemapList& moves) {
  std::vector<LoweredMove> merged;
  merged.reserve(moves.size());
  for (uint32_t i = 0; i < moves.size(); ++i) {
    LoweredMove move = {moves.from(i), moves.to(i)};
    if (!IsRefRegister(move.from) && move.from % 2 == 0 && move.to % 2 == 0 &&
        i + 1 < moves.size() && moves.from(i + 1) == move.from + 1 &&
        moves.to(i + 1) == move.to + 1) {
      move.to |= LoweredMove::kWide;
      ++i;
    }
    merged.push_back(move);
  }
  return merged;
}

uint32_t CountOfKind(const std::vector<LoweredMove>& moves, bool wide) {
  for (LoweredMove move : moves) {
    if (IsRefRegister(move.from)) return 0;
    if (((move.to & LoweredMove::kWide) != 0) != wide) return 0;
  }
  return static_cast<uint32_t>(moves.size());
}

}  // namespace eyrie::vm
