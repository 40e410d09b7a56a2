#include "vm/jit/labels.h"

namespace eyrie::vm::jit {

Labels::Labels(const Program& program, const std::vector<View>& views,
               asmjit::BaseAssembler& a)
    : program_(program), views_(views) {
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    blocks_.push_back(a.newLabel());
  }
  for (const View& view : views) {
    if (!outside_.contains(view.head)) outside_[view.head] = a.newLabel();
  }
}

const asmjit::Label* Labels::Outside(uint32_t block) const {
  const auto found = outside_.find(block);
  return found == outside_.end() ? nullptr : &found->second;
}

const asmjit::Label& Labels::First(uint32_t block) const {
  const asmjit::Label* const outside = Outside(block);
  return outside == nullptr ? Inside(block) : *outside;
}

const asmjit::Label& Labels::Target(uint32_t offset, uint32_t from) const {
  const uint32_t block = program_.BlockAt(offset);
  const asmjit::Label* const outside = Outside(block);
  if (outside == nullptr) return Inside(block);
  uint32_t last = block;
  for (const View& view : views_) {
    if (view.head == block) last = view.last;
  }
  return from >= block && from <= last ? Inside(block) : *outside;
}

}  // namespace eyrie::vm::jit
