// Computes the liveness of number registers per block, then examines each block
// whose branch moves numbers.
#include "vm/lower/redirect.h"

#include <algorithm>

#include "base/allocate.h"
#include "vm/lower/code_walk.h"

namespace eyrie::vm {
namespace {

// A set of number registers, with one bit each.
class RegisterSet {
 public:
  explicit RegisterSet(uint64_t* words) : words_(words) {}

  bool has(uint32_t reg) const {
    return (words_[reg / 64] >> reg % 64 & 1) != 0;
  }
  void add(uint32_t reg) { words_[reg / 64] |= uint64_t{1} << reg % 64; }
  void remove(uint32_t reg) { words_[reg / 64] &= ~(uint64_t{1} << reg % 64); }

 private:
  uint64_t* words_;
};

bool IsNumber(OperandKind kind) {
  return kind == OperandKind::kI32 || kind == OperandKind::kF32 || IsWide(kind);
}

struct Block {
  uint32_t from;    // offset in the code
  uint32_t branch;  // offset of its last instruction
  bool is_plain;    // the last instruction is a `br` with moves
  uint32_t first_edge;
  uint32_t end_edge;
};

// The registers that each block of a function reads and writes, and those that
// are live at its beginning.
class Liveness {
 public:
  Liveness(std::span<const uint8_t> code, uint32_t registers)
      : code_(code), words_((registers + 63) / 64) {}

  // Returns false if there are no numbers, or if it would take too much time or
  // memory.
  bool Find();

  const std::vector<Block>& blocks() const { return blocks_; }
  const Edge& edge(uint32_t i) const { return edges_[i]; }
  bool IsLiveAt(uint32_t block, uint32_t reg) {
    return Live(IndexOf(block)).has(reg);
  }

  // The visitor of instructions.
  void Register(OperandKind kind, uint16_t reg, bool written) {
    if (!IsNumber(kind)) return;
    Touch(reg, written);
    if (IsWide(kind)) Touch(reg + 1u, written);
  }
  void Listed(uint16_t reg, bool written) {
    // May be one or two registers. A call may read a register that it also
    // writes, so its writes are ignored.
    if (IsRefRegister(reg) || written) return;
    Touch(reg, false);
    if (reg % 2 == 0) Touch(reg + 1u, false);
  }
  void Goes(const Edge& edge) {
    if (HasRoom(edges_, 1)) edges_.push_back(edge);
  }

 private:
  // Three sets for each block: read before written, written, live at its
  // beginning.
  uint64_t* Words(size_t block, int set) {
    return sets_.data() + (block * 3 + set) * words_;
  }
  RegisterSet Live(size_t block) { return RegisterSet(Words(block, 2)); }
  uint32_t IndexOf(uint32_t offset) const {
    const auto block = std::lower_bound(
        blocks_.begin(), blocks_.end(), offset,
        [](const Block& b, uint32_t at) { return b.from < at; });
    return static_cast<uint32_t>(block - blocks_.begin());
  }
  void Touch(uint32_t reg, bool written) {
    if (reg / 64 >= words_) return;  // half of a pair that does not exist
    const size_t block = blocks_.size() - 1;
    if (written) {
      RegisterSet(Words(block, 1)).add(reg);
    } else if (!RegisterSet(Words(block, 1)).has(reg)) {
      RegisterSet(Words(block, 0)).add(reg);
    }
  }
  template <typename T>
  bool HasRoom(std::vector<T>& vector, size_t more) {
    failed_ |= !ReserveMore(vector, more, "the liveness of registers").ok();
    return !failed_;
  }
  bool Scan();
  bool UpdateLive(size_t block);

  const std::span<const uint8_t> code_;
  const uint32_t words_;  // words of a set
  std::vector<Block> blocks_;
  std::vector<Edge> edges_;
  std::vector<uint64_t> sets_;
  std::vector<uint64_t> live_;     // at the end of the current block
  std::vector<uint64_t> on_edge_;  // at the beginning of the current edge
  bool failed_ = false;            // there is not enough memory
};

// Computes everything except the live sets. Returns false if the function is
// too large or there is not enough memory.
bool Liveness::Scan() {
  for (uint32_t pc = 0; pc < code_.size();) {
    const uint32_t start = pc;
    const auto edge = static_cast<uint32_t>(edges_.size());
    const OpInfo& op = VisitInstruction(code_.data(), pc, *this);
    if (failed_) return false;
    if (op.op == Op::kBlock) {
      if (!HasRoom(blocks_, 1) || !HasRoom(sets_, size_t{3} * words_)) {
        return false;
      }
      blocks_.push_back({start, start, false, edge, edge});
      sets_.resize(sets_.size() + size_t{3} * words_);
      if (sets_.size() > kMaxRedirectWork) return false;
      continue;
    }
    Block& block = blocks_.back();
    block.branch = start;
    block.end_edge = static_cast<uint32_t>(edges_.size());
    block.is_plain = op.op == Op::kBranch && edges_.back().moves.size() > 0;
  }
  return true;
}

// Updates the registers that are live at the beginning of a block, from those
// of its successors. Returns true if there are more than before.
bool Liveness::UpdateLive(size_t index) {
  live_.assign(words_, 0);
  const Block& block = blocks_[index];
  for (uint32_t e = block.first_edge; e < block.end_edge; ++e) {
    const Edge& edge = edges_[e];
    const uint64_t* target = Words(IndexOf(edge.block), 2);
    on_edge_.assign(target, target + words_);
    RegisterSet set(on_edge_.data());
    for (uint32_t i = edge.moves.size(); i > 0; --i) {
      if (IsRefRegister(edge.moves.from(i - 1))) continue;
      set.remove(edge.moves.to(i - 1));
      set.add(edge.moves.from(i - 1));
    }
    for (uint32_t w = 0; w < words_; ++w) live_[w] |= on_edge_[w];
  }
  bool more = false;
  for (uint32_t w = 0; w < words_; ++w) {
    const uint64_t now = Words(index, 0)[w] | (live_[w] & ~Words(index, 1)[w]);
    more |= now != Words(index, 2)[w];
    Words(index, 2)[w] = now;
  }
  return more;
}

bool Liveness::Find() {
  if (words_ == 0 || !Scan()) return false;
  uint64_t work = 0;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = blocks_.size(); i > 0; --i) {
      more |= UpdateLive(i - 1);
      const Block& block = blocks_[i - 1];
      work += uint64_t{words_} * (1 + block.end_edge - block.first_edge);
      for (uint32_t e = block.first_edge; e < block.end_edge; ++e) {
        work += edges_[e].moves.size() / 4;
      }
    }
    if (more && work > kMaxRedirectWork) return false;
  }
  return true;
}

// Finds the instruction in a block that computes the value its branch moves.
class Maker {
 public:
  Maker(uint16_t from, uint16_t to, bool wide)
      : from_(from), to_(to), wide_(wide) {}

  // Sets the offset of the current instruction.
  void set_pc(uint32_t pc) { pc_ = pc; }
  // Returns the offset of the instruction, or 0 if the move is needed. (Offset
  // 0 is the mark of the first block.)
  uint32_t made() const { return made_; }

  void Register(OperandKind kind, uint16_t reg, bool written) {
    if (!IsNumber(kind)) return;
    const uint32_t count = IsWide(kind) ? 2 : 1;
    if (Overlaps(reg, count, to_)) made_ = 0;
    if (!Overlaps(reg, count, from_)) return;
    const bool same = reg == from_ && IsWide(kind) == wide_;
    if (written) {
      made_ = same ? pc_ : 0;
    } else if (!same) {
      made_ = 0;
    }
  }
  void Listed(uint16_t reg, bool) {
    if (IsRefRegister(reg)) return;
    if (Overlaps(reg, 2, from_) || Overlaps(reg, 2, to_)) made_ = 0;
  }
  void Goes(const Edge&) {}

 private:
  bool Overlaps(uint32_t reg, uint32_t count, uint32_t other) const {
    return reg < other + (wide_ ? 2u : 1u) && other < reg + count;
  }

  const uint16_t from_;
  const uint16_t to_;
  const bool wide_;
  uint32_t pc_ = 0;
  uint32_t made_ = 0;
};

bool Touches(LoweredMove move, uint32_t reg, uint32_t count) {
  if (IsRefRegister(move.from)) return false;
  const uint32_t to = move.to & ~uint32_t{LoweredMove::kWide};
  const uint32_t size = (move.to & LoweredMove::kWide) != 0 ? 2 : 1;
  return (move.from < reg + count && reg < move.from + size) ||
         (to < reg + count && reg < to + size);
}

// Adds the redirect for one of a block's moves, if that is possible.
void TryMove(std::span<const uint8_t> code, Liveness& liveness,
             const Block& block, std::span<const LoweredMove> moves, size_t i,
             std::vector<Redirect>& redirects) {
  if (IsRefRegister(moves[i].from)) return;
  const bool wide = (moves[i].to & LoweredMove::kWide) != 0;
  const uint32_t count = wide ? 2 : 1;
  const uint16_t from = moves[i].from;
  const auto to = static_cast<uint16_t>(moves[i].to & ~LoweredMove::kWide);
  if (from < to + count && to < from + count) return;
  for (size_t j = 0; j < moves.size(); ++j) {
    if (j == i) continue;
    if (Touches(moves[j], from, count) || Touches(moves[j], to, count)) return;
  }
  const uint32_t target = liveness.edge(block.first_edge).block;
  for (uint32_t r = 0; r < count; ++r) {
    if (liveness.IsLiveAt(target, from + r)) return;
  }
  Maker maker(from, to, wide);
  for (uint32_t pc = block.from; pc < block.branch;) {
    maker.set_pc(pc);
    VisitInstruction(code.data(), pc, maker);
  }
  if (maker.made() == 0) return;
  redirects.push_back({maker.made(), block.branch, from, to, wide});
}

}  // namespace

std::vector<Redirect> FindRedirects(std::span<const uint8_t> code,
                                    uint32_t i32_registers) {
  std::vector<Redirect> redirects;
  Liveness liveness(code, i32_registers);
  if (!liveness.Find()) return redirects;
  uint64_t work = 0;
  for (const Block& block : liveness.blocks()) {
    if (!block.is_plain) continue;
    const Edge& edge = liveness.edge(block.first_edge);
    std::vector<LoweredMove> moves;
    if (!Reserve(moves, edge.moves.size(), "moves").ok()) return redirects;
    Merge(edge.moves, moves);
    for (size_t i = 0; i < moves.size(); ++i) {
      work += block.branch - block.from + moves.size();
      if (work > kMaxRedirectWork ||
          !ReserveMore(redirects, 1, "redirects").ok()) {
        return redirects;
      }
      TryMove(code, liveness, block, moves, i, redirects);
    }
  }
  return redirects;
}

}  // namespace eyrie::vm
