// Groups moves for lowering.
#include "vm/lower/remap.h"

#include "vm/isa/operand.h"

namespace eyrie::vm {

void Merge(const RemapList& moves, std::vector<LoweredMove>& merged) {
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
}

namespace {

constexpr uint32_t kMaxJumpMoves = 3;  // that have a row in lowered.def

static_assert(static_cast<uint32_t>(Lowered::kJumpMove64x1) ==
                  static_cast<uint32_t>(Lowered::kJump) + kMaxJumpMoves + 1,
              "lowered.def: JumpRow counts on the order of rows");

// Returns the number of moves if all are numbers of this width; else 0.
uint32_t CountOfKind(const std::vector<LoweredMove>& moves, bool wide) {
  for (LoweredMove move : moves) {
    if (IsRefRegister(move.from)) return 0;
    if (((move.to & LoweredMove::kWide) != 0) != wide) return 0;
  }
  return static_cast<uint32_t>(moves.size());
}

}  // namespace

Lowered JumpRow(const std::vector<LoweredMove>& moves, bool back) {
  const uint32_t numbers = CountOfKind(moves, false);
  const uint32_t wides = CountOfKind(moves, true);
  const Lowered many = back ? Lowered::kJumpBackMoves : Lowered::kJumpMoves;
  if (numbers > kMaxJumpMoves || wides > kMaxJumpMoves) return many;
  if (numbers + wides != moves.size()) return many;
  const uint32_t row = wides == 0 ? numbers : kMaxJumpMoves + wides;
  const Lowered first = back ? Lowered::kJumpBack : Lowered::kJump;
  return static_cast<Lowered>(static_cast<uint32_t>(first) + row);
}

Lowered FallRow(Lowered row) {
  return static_cast<Lowered>(
      static_cast<uint32_t>(row) -
      static_cast<uint32_t>(Lowered::kJumpBackMove32x1) +
      static_cast<uint32_t>(Lowered::kFallBackMove32x1));
}

}  // namespace eyrie::vm
