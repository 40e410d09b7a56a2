#include "vm/jit/constants.h"

namespace eyrie::vm::jit {

asmjit::Label Constants::LabelOf(uint64_t bits, bool wide,
                                 asmjit::BaseAssembler& a) {
  const auto [at, is_new] = index_[wide ? 1 : 0].try_emplace(bits, all_.size());
  if (is_new) all_.push_back({bits, wide, a.newLabel()});
  return all_[at->second].label;
}

void Constants::Emit(asmjit::BaseAssembler& a, Looks& looks) const {
  if (all_.empty()) return;
  for (const bool wide : {true, false}) {
    a.align(asmjit::AlignMode::kData, wide ? 16 : 4);
    for (const Constant& constant : all_) {
      if (looks.Stop()) return;
      if (constant.wide != wide) continue;
      a.bind(constant.label);
      a.embed(&constant.bits, wide ? 8 : 4);
      if (wide) a.embedUInt64(0);
    }
  }
}

}  // namespace eyrie::vm::jit
