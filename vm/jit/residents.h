// Which webs live in which machine registers, by position.
#ifndef EYRIE_VM_JIT_RESIDENTS_H_
#define EYRIE_VM_JIT_RESIDENTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vm/jit/body.h"

namespace eyrie::vm::jit {

class Residents {
 public:
  // `body` must outlive it.
  explicit Residents(const Body& body);

  // The callee-saved registers that have webs, ascending.
  const std::vector<uint8_t>& kept() const { return kept_; }

  // Calls `visit` with the last web of each register that begins at or before
  // the position. It may have ended before the position.
  template <typename Visitor>
  void VisitAt(uint32_t position, Visitor visit) const {
    for (const std::vector<uint32_t>& list : by_register_) {
      auto after = std::upper_bound(
          list.begin(), list.end(), position,
          [&](uint32_t at, uint32_t web) { return at < webs_[web].begin; });
      if (after != list.begin()) visit(*(after - 1));
    }
  }

 private:
  const std::vector<Web>& webs_;
  // Ascending by beginning; integer registers, then float registers.
  std::vector<uint32_t> by_register_[2 * kMaxRegisters];
  std::vector<uint8_t> kept_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_RESIDENTS_H_
