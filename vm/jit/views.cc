#include "vm/jit/views.h"

#include <algorithm>
#include <cstring>

namespace eyrie::vm::jit {
namespace {

using Kind = ElementType::Kind;

constexpr size_t kMaxViews = 16;
constexpr size_t kMaxElements = 64;  // that are examined in a loop
// How often an instruction is examined, on average. Nested loops are examined
// one by one, the outer ones first.
constexpr uint64_t kMaxLooks = 16;
// Savings of a view for each access, in the same unit as weights of webs.
constexpr float kCountWeight = 4;
constexpr float kDataWeight = 3;

// Consecutive blocks that are entered only through the first.
struct Loop {
  uint32_t head;
  uint32_t last;
};

// The first and the last block with an edge to a range of blocks.
struct Sources {
  uint32_t first = Program::kNone;
  uint32_t last = 0;

  void Add(const Sources& more) {
    first = std::min(first, more.first);
    last = std::max(last, more.last);
  }
};

// Sources of ranges of blocks, as a segment tree: node n covers 2n and 2n + 1.
class SourceTree {
 public:
  explicit SourceTree(const Program& p)
      : leaves_(p.blocks.size()), nodes_(2 * leaves_) {
    for (uint32_t b = 0; b < leaves_; ++b) {
      const Block& block = p.blocks[b];
      for (uint32_t s = 0; s < block.successor_count; ++s) {
        const uint32_t to = p.successors[block.first_successor + s];
        nodes_[leaves_ + to].Add({b, b});
      }
    }
    for (size_t n = leaves_ - 1; n > 0; --n) {
      nodes_[n].Add(nodes_[2 * n]);
      nodes_[n].Add(nodes_[2 * n + 1]);
    }
  }

  // Returns the sources of the blocks in [begin, end).
  Sources Of(size_t begin, size_t end) const {
    Sources sources;
    for (begin += leaves_, end += leaves_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) sources.Add(nodes_[begin++]);
      if (end % 2 == 1) sources.Add(nodes_[--end]);
    }
    return sources;
  }

 private:
  const size_t leaves_;
  std::vector<Sources> nodes_;
};

std::vector<Loop> FindLoops(const Program& p) {
  std::vector<uint32_t> last(p.blocks.size());
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    const Block& block = p.blocks[b];
    for (uint32_t s = 0; s < block.successor_count; ++s) {
      const uint32_t to = p.successors[block.first_successor + s];
      if (to <= b) last[to] = std::max(last[to], b + 1);
    }
  }
  std::vector<Loop> loops;
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    if (last[b] != 0) loops.push_back({b, last[b] - 1});
  }
  if (loops.empty()) return loops;
  const SourceTree tree(p);
  std::erase_if(loops, [&](const Loop& loop) {
    const Sources sources = tree.Of(loop.head + 1, loop.last + 1);
    return sources.first < loop.head || sources.last > loop.last;
  });
  // Outer loops come first.
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Loop& a, const Loop& b) {
                     return a.last - a.head > b.last - b.head;
                   });
  return loops;
}

class ViewFinder {
 public:
  ViewFinder(const Program& program, Webs& webs, Looks& looks)
      : p_(program),
        w_(webs),
        looks_(looks),
        left_(kMaxLooks * program.instructions.size()),
        written_(program.function->ref_count) {}

  std::vector<View> Run() {
    for (const Loop& loop : FindLoops(p_)) {
      if (views_.size() == kMaxViews || looks_.Stop()) break;
      Look(loop);
    }
    return std::move(views_);
  }

 private:
  void Look(const Loop& loop);
  bool Covered(const Element& element, const Loop& loop) const {
    return std::any_of(views_.begin(), views_.end(), [&](const View& view) {
      return view.element.SharesView(element) && view.head <= loop.head &&
             view.last >= loop.last;
    });
  }
  uint32_t AddWeb(const Loop& loop, float weight);

  const Program& p_;
  Webs& w_;
  Looks& looks_;
  std::vector<View> views_;
  uint64_t left_;  // how many instructions may still be examined
  std::vector<uint32_t> written_;  // by reference: the last loop that writes it
  uint32_t loop_ = 0;              // number of the current loop
};

uint32_t ViewFinder::AddWeb(const Loop& loop, float weight) {
  Web web;
  web.wide = true;
  web.read = true;
  web.view = true;
  web.writes = 1;
  web.bank = Bank::kInteger;
  web.begin = PositionOf(p_.blocks[loop.head].first);
  web.end = PositionOf(p_.blocks[loop.last].end) - 1;
  web.weight = weight;
  w_.webs.push_back(web);
  return static_cast<uint32_t>(w_.webs.size() - 1);
}

void ViewFinder::Look(const Loop& loop) {
  const uint32_t first = p_.blocks[loop.head].first;
  const uint32_t end = p_.blocks[loop.last].end;
  if (left_ < end - first) return;
  left_ -= end - first;
  ++loop_;
  for (uint32_t n = first; n < end; ++n) {
    if (looks_.Stop()) return;
    VisitWrittenRefs(p_, p_.instructions[n],
                     [&](uint16_t ref) { written_[ref] = loop_; });
  }
  std::vector<Element> elements;
  std::vector<float> gains;
  for (uint32_t n = first; n < end; ++n) {
    if (looks_.Stop(1 + elements.size() / 8)) return;
    const Element element = ElementOf(p_.instructions[n]);
    if (element.of == Element::Of::kNone || written_[element.ref] == loop_) {
      continue;
    }
    auto same = std::find_if(
        elements.begin(), elements.end(),
        [&](const Element& other) { return other.SharesView(element); });
    const auto at = static_cast<size_t>(same - elements.begin());
    if (same == elements.end()) {
      if (elements.size() == kMaxElements) continue;
      elements.push_back(element);
      gains.push_back(0);
    }
    elements[at].stores |= element.stores;
    gains[at] += w_.frequency[n];
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    if (views_.size() == kMaxViews) return;
    if (Covered(elements[i], loop)) continue;
    const uint32_t count = AddWeb(loop, gains[i] * kCountWeight);
    const uint32_t data = AddWeb(loop, gains[i] * kDataWeight);
    views_.push_back({elements[i], loop.head, loop.last, count, data});
  }
}

Element Of(Element::Of of, uint8_t shift, bool stores,
           Kind kind = Kind::kVariant) {
  Element element;
  element.of = of;
  element.shift = shift;
  element.stores = stores;
  element.kind = kind;
  return element;
}

Element WithoutRef(Op op) {
  constexpr auto kBuffer = Element::Of::kBuffer;
  constexpr auto kList = Element::Of::kList;
  switch (op) {
    case Op::kBufferLoadI8U:
    case Op::kBufferLoadI8S:
      return Of(kBuffer, 0, false);
    case Op::kBufferLoadI16U:
    case Op::kBufferLoadI16S:
      return Of(kBuffer, 1, false);
    case Op::kBufferLoadI32:
    case Op::kBufferLoadF32:
      return Of(kBuffer, 2, false);
    case Op::kBufferLoadI64:
    case Op::kBufferLoadF64:
      return Of(kBuffer, 3, false);
    case Op::kBufferStoreI8:
      return Of(kBuffer, 0, true);
    case Op::kBufferStoreI16:
      return Of(kBuffer, 1, true);
    case Op::kBufferStoreI32:
    case Op::kBufferStoreF32:
      return Of(kBuffer, 2, true);
    case Op::kBufferStoreI64:
    case Op::kBufferStoreF64:
      return Of(kBuffer, 3, true);
    case Op::kListGetI32:
    case Op::kListSetI32:
      return Of(kList, 2, op == Op::kListSetI32, Kind::kI32);
    case Op::kListGetI64:
    case Op::kListSetI64:
      return Of(kList, 3, op == Op::kListSetI64, Kind::kI64);
    case Op::kListGetF32:
    case Op::kListSetF32:
      return Of(kList, 2, op == Op::kListSetF32, Kind::kF32);
    case Op::kListGetF64:
    case Op::kListSetF64:
      return Of(kList, 3, op == Op::kListSetF64, Kind::kF64);
    default:
      return {};
  }
}

}  // namespace

Element ElementOf(const Instruction& i) {
  if (i.form != Form::kOp) return {};
  Element element = WithoutRef(i.op().op);
  if (element.of == Element::Of::kNone) return element;
  uint16_t reg;
  std::memcpy(&reg, i.at + LayOut(i.op()).at[0], sizeof(reg));
  element.ref = RefIndex(reg);
  return element;
}

const View* ViewOf(const std::vector<View>& views, const Element& element,
                   uint32_t block) {
  for (const View& view : views) {
    if (view.element.SharesView(element) && block >= view.head &&
        block <= view.last) {
      return &view;
    }
  }
  return nullptr;
}

std::vector<View> FindViews(const Program& program, Webs& webs, Looks& looks) {
  return ViewFinder(program, webs, looks).Run();
}

}  // namespace eyrie::vm::jit
