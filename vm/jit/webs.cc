// Computes liveness with bit sets. Each write, and each register that is live
// at the beginning of a block, is a node; nodes with a common reader form a
// web.
#include "vm/jit/webs.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

namespace eyrie::vm::jit {
namespace {

// Limit for words of liveness sets: 512 KiB.
constexpr uint64_t kMaxWords = uint64_t{1} << 16;
constexpr uint32_t kMaxNodes = uint32_t{1} << 20;
// Limit for the work of carrying live registers over branches.
constexpr uint64_t kMaxCarried = uint64_t{1} << 23;
constexpr float kLoopFactor = 8;
constexpr int kMaxDepth = 5;

class WebFinder {
 public:
  WebFinder(Program& program, Webs& webs, Looks& looks)
      : p_(program),
        out_(webs),
        looks_(looks),
        words_((program.slots + 63) / 64),
        current_(program.slots) {}

  bool Run() {
    if (uint64_t{words_} * p_.blocks.size() > kMaxWords) return false;
    FindPredecessors();
    if (!FindLiveIn()) return false;
    FindFrequencies();
    FindWaysBack();
    if (!CreateLiveInNodes()) return false;
    for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
      LinkBlock(b);
      if (parents_.size() > kMaxNodes) return false;
    }
    if (looks_.stopped()) return false;
    JoinArguments();
    CreateWebs();
    return !looks_.stopped();
  }

 private:
  uint64_t* Live(uint32_t block) { return &live_[size_t{block} * words_]; }
  static bool Has(const uint64_t* set, uint32_t bit) {
    return ((set[bit / 64] >> (bit % 64)) & 1) != 0;
  }
  template <typename Visit>
  void VisitLive(uint32_t block, Visit visit) {
    const uint64_t* set = Live(block);
    for (uint32_t w = 0; w < words_; ++w) {
      for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1) {
        visit(w * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
      }
    }
  }
  uint32_t NewNode(uint16_t slot) {
    parents_.push_back(static_cast<uint32_t>(parents_.size()));
    slots_.push_back(slot);
    return parents_.back();
  }
  uint32_t Find(uint32_t node) {
    while (parents_[node] != node) {
      parents_[node] = parents_[parents_[node]];
      node = parents_[node];
    }
    return node;
  }
  void Join(uint32_t a, uint32_t b) { parents_[Find(a)] = Find(b); }

  void FindPredecessors();
  std::span<const uint32_t> PredecessorsOf(uint32_t block) const {
    return {predecessors_.begin() + first_predecessor_[block],
            predecessors_.begin() + first_predecessor_[block + 1]};
  }
  // Returns false if it would take too long, like the functions below. All
  // return early if the compiler must stop.
  bool FindLiveIn();
  // Adds the registers that are live at the beginning of `next` and not written
  // in `block`. Returns true if there are new ones.
  bool AddLive(uint32_t block, uint32_t next, const uint64_t* written);
  void FindFrequencies();
  void FindWaysBack();
  bool CreateLiveInNodes();
  void LinkBlock(uint32_t block);
  void JoinArguments();
  void CreateWebs();
  void Count(uint32_t instruction, Access& access, bool late_reads);
  void Extend(uint32_t node, uint32_t position) {
    Web& web = out_.webs[number_[Find(node)]];
    web.begin = std::min(web.begin, position);
    web.end = std::max(web.end, position);
  }
  // Returns the node of a register that is live at the beginning of a block.
  uint32_t LiveInNode(uint32_t block, uint32_t slot) {
    const auto begin = live_in_[block];
    const auto end = live_in_[block + 1];
    return static_cast<uint32_t>(
        std::lower_bound(slots_.begin() + begin, slots_.begin() + end, slot) -
        slots_.begin());
  }

  Program& p_;
  Webs& out_;
  Looks& looks_;
  const uint32_t words_;
  std::vector<uint32_t> predecessors_;       // concatenated for all blocks
  std::vector<uint32_t> first_predecessor_;  // by block, with the end
  std::vector<uint64_t> live_;               // at the beginning of each block
  std::vector<uint32_t> parents_;
  std::vector<uint16_t> slots_;    // by node
  std::vector<uint32_t> live_in_;  // first node by block
  // Pairs of nodes whose halves a wide read combines.
  std::vector<std::pair<uint32_t, uint32_t>> halves_;
  std::vector<uint32_t> number_;  // number of the web, by root node
  // The node of each live register at the current instruction of a block.
  std::vector<uint32_t> current_;
};

bool WebFinder::FindLiveIn() {
  const size_t blocks = p_.blocks.size();
  std::vector<uint64_t> read(blocks * words_);
  std::vector<uint64_t> written(blocks * words_);
  for (uint32_t b = 0; b < blocks; ++b) {
    uint64_t* reads = &read[size_t{b} * words_];
    uint64_t* writes = &written[size_t{b} * words_];
    for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].end; ++i) {
      const std::span<Access> accesses = p_.AccessesOf(p_.instructions[i]);
      if (looks_.Stop(1 + accesses.size())) return false;
      for (const Access& access : accesses) {
        for (uint32_t s = access.slot; s <= access.slot + uint32_t{access.wide};
             ++s) {
          if (access.written) {
            writes[s / 64] |= uint64_t{1} << (s % 64);
          } else if (!Has(writes, s)) {
            reads[s / 64] |= uint64_t{1} << (s % 64);
          }
        }
      }
    }
  }
  live_ = read;
  // A block is examined again whenever more registers are live after it.
  std::vector<uint32_t> grown(blocks);
  std::iota(grown.begin(), grown.end(), 0);
  std::vector<bool> waits(blocks, true);
  uint64_t carried = 0;
  while (!grown.empty()) {
    const uint32_t next = grown.back();
    grown.pop_back();
    waits[next] = false;
    carried += words_ * uint64_t{PredecessorsOf(next).size()};
    if (carried > kMaxCarried) return false;
    for (const uint32_t b : PredecessorsOf(next)) {
      if (looks_.Stop(1 + words_ / 16)) return false;
      if (AddLive(b, next, &written[size_t{b} * words_]) && !waits[b]) {
        waits[b] = true;
        grown.push_back(b);
      }
    }
  }
  return true;
}

bool WebFinder::AddLive(uint32_t block, uint32_t next,
                        const uint64_t* written) {
  uint64_t* own = Live(block);
  uint64_t added = 0;
  for (uint32_t w = 0; w < words_; ++w) {
    const uint64_t more = Live(next)[w] & ~written[w] & ~own[w];
    own[w] |= more;
    added |= more;
  }
  return added != 0;
}

void WebFinder::FindPredecessors() {
  first_predecessor_.assign(p_.blocks.size() + 1, 0);
  for (const uint32_t next : p_.successors) ++first_predecessor_[next + 1];
  std::partial_sum(first_predecessor_.begin(), first_predecessor_.end(),
                   first_predecessor_.begin());
  predecessors_.resize(p_.successors.size());
  std::vector<uint32_t> end = first_predecessor_;
  for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
    const Block& block = p_.blocks[b];
    if (looks_.Stop(1 + block.successor_count)) return;
    for (uint32_t s = 0; s < block.successor_count; ++s) {
      predecessors_[end[p_.successors[block.first_successor + s]]++] = b;
    }
  }
}

void WebFinder::FindFrequencies() {
  std::vector<int> depth(p_.instructions.size() + 1);
  for (const Block& block : p_.blocks) {
    for (uint32_t s = 0; s < block.successor_count; ++s) {
      const Block& to = p_.blocks[p_.successors[block.first_successor + s]];
      if (to.first > block.first) continue;
      ++depth[to.first];
      --depth[block.end];
    }
  }
  int deep = 0;
  out_.frequency.resize(p_.instructions.size());
  for (size_t i = 0; i < p_.instructions.size(); ++i) {
    if (looks_.Stop()) return;
    deep += depth[i];
    float frequency = 1;
    for (int d = std::min(deep, kMaxDepth); d > 0; --d) {
      frequency *= kLoopFactor;
    }
    out_.frequency[i] = frequency;
  }
}

// For each block in order: finds the predecessors, direct or not, that no
// earlier block has.
void WebFinder::FindWaysBack() {
  std::vector<uint32_t>& back_to = out_.back_to;
  back_to.assign(p_.blocks.size(), Web::kNever);
  std::vector<uint32_t> reached;
  for (uint32_t first = 0; first < p_.blocks.size(); ++first) {
    reached.push_back(first);
    while (!reached.empty()) {
      const uint32_t b = reached.back();
      reached.pop_back();
      if (looks_.Stop(1 + PredecessorsOf(b).size())) return;
      for (const uint32_t from : PredecessorsOf(b)) {
        if (back_to[from] != Web::kNever) continue;
        back_to[from] = first;
        reached.push_back(from);
      }
    }
  }
}

bool WebFinder::CreateLiveInNodes() {
  uint64_t carried = 0;
  for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
    live_in_.push_back(static_cast<uint32_t>(parents_.size()));
    VisitLive(b, [&](uint32_t slot) { NewNode(static_cast<uint16_t>(slot)); });
    const uint64_t nodes = parents_.size() - live_in_.back();
    if (looks_.Stop(1 + words_ / 16 + nodes)) return false;
    carried += nodes * PredecessorsOf(b).size();
    if (parents_.size() > kMaxNodes || carried > kMaxCarried) return false;
  }
  live_in_.push_back(static_cast<uint32_t>(parents_.size()));
  return true;
}

void WebFinder::LinkBlock(uint32_t b) {
  std::vector<uint32_t>& current = current_;
  for (uint32_t node = live_in_[b]; node < live_in_[b + 1]; ++node) {
    current[slots_[node]] = node;
  }
  const Block& block = p_.blocks[b];
  for (uint32_t i = block.first; i < block.end; ++i) {
    const std::span<Access> accesses = p_.AccessesOf(p_.instructions[i]);
    if (looks_.Stop(1 + accesses.size())) return;
    for (Access& access : accesses) {
      if (access.written) {
        access.web = NewNode(access.slot);
        current[access.slot] = access.web;
        if (access.wide) current[access.slot + 1] = access.web;
        continue;
      }
      access.web = current[access.slot];
      if (access.wide && current[access.slot + 1] != access.web) {
        halves_.push_back({access.web, current[access.slot + 1]});
      }
    }
  }
  for (uint32_t s = 0; s < block.successor_count; ++s) {
    const uint32_t next = p_.successors[block.first_successor + s];
    if (looks_.Stop(1 + live_in_[next + 1] - live_in_[next])) return;
    for (uint32_t node = live_in_[next]; node < live_in_[next + 1]; ++node) {
      Join(node, current[slots_[node]]);
    }
  }
}

void WebFinder::JoinArguments() {
  std::vector<bool> argument(p_.slots);
  for (uint32_t i = 0; i < p_.function->argument_count; ++i) {
    const ArgumentPlace place = p_.function->arguments[i];
    if (place.type == ValueType::kRef) continue;
    argument[place.reg] = true;
    if (!IsWide(place.type)) continue;
    argument[place.reg + 1] = true;
    if (Has(Live(0), place.reg) && Has(Live(0), place.reg + 1u)) {
      Join(LiveInNode(0, place.reg), LiveInNode(0, place.reg + 1u));
    }
  }
  VisitLive(0, [&](uint32_t slot) {
    if (!argument[slot]) out_.zeroed.push_back(static_cast<uint16_t>(slot));
  });
}

void WebFinder::Count(uint32_t instruction, Access& access, bool late_reads) {
  access.web = number_[Find(access.web)];
  Web& web = out_.webs[access.web];
  const uint32_t position =
      PositionOf(instruction) + (access.written != late_reads ? 1 : 0);
  web.begin = std::min(web.begin, position);
  web.end = std::max(web.end, position);
  web.weight += out_.frequency[instruction];
  if (web.writes + web.read == 0) {
    web.slot = access.slot;
    web.wide = access.wide;
  }
  if (web.slot != access.slot || web.wide != access.wide) web.in_frame = true;
  if (web.bank == Bank::kAny) web.bank = access.bank;
  web.writes += access.written;
  web.read |= !access.written;
}

void WebFinder::CreateWebs() {
  number_.assign(parents_.size(), Web::kNever);
  for (uint32_t node = 0; node < parents_.size(); ++node) {
    const uint32_t root = Find(node);
    if (looks_.Stop()) return;
    if (number_[root] != Web::kNever) continue;
    number_[root] = static_cast<uint32_t>(out_.webs.size());
    out_.webs.push_back({});
  }
  for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
    const Instruction& instruction = p_.instructions[i];
    const std::span<Access> accesses = p_.AccessesOf(instruction);
    const bool moves = IsJump(instruction) || IsFall(instruction);
    if (looks_.Stop(1 + accesses.size())) return;
    for (Access& access : accesses) {
      Count(i, access, moves && accesses.size() > 2);
    }
    for (size_t a = 0; moves && a + 1 < accesses.size(); a += 2) {
      out_.webs[accesses[a + 1].web].moved_from = accesses[a].web;
      out_.webs[accesses[a].web].moved_from = accesses[a + 1].web;
    }
  }
  for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
    const Block& block = p_.blocks[b];
    for (uint32_t node = live_in_[b]; node < live_in_[b + 1]; ++node) {
      Extend(node, PositionOf(block.first));
      if (b != 0) continue;
      out_.webs[number_[Find(node)]].entry = true;
      out_.entries.push_back({slots_[node], number_[Find(node)]});
    }
    for (uint32_t s = 0; s < block.successor_count; ++s) {
      const uint32_t next = p_.successors[block.first_successor + s];
      if (looks_.Stop(1 + live_in_[next + 1] - live_in_[next])) return;
      for (uint32_t node = live_in_[next]; node < live_in_[next + 1]; ++node) {
        Extend(node, PositionOf(block.end));
      }
    }
  }
  for (const auto& [low, high] : halves_) {
    Web& a = out_.webs[number_[Find(low)]];
    Web& b = out_.webs[number_[Find(high)]];
    if (&a == &b) continue;
    a.in_frame = b.in_frame = true;
  }
}

}  // namespace

bool FindWebs(Program& program, Webs& webs, Looks& looks) {
  return WebFinder(program, webs, looks).Run();
}

}  // namespace eyrie::vm::jit
