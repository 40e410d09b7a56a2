// The labels of a function's blocks.
//
// If a loop has views, its first block has a second label, at the code that
// reads them. Branches from outside of the loop go there; those from inside go
// to the block itself.
#ifndef EYRIE_VM_JIT_LABELS_H_
#define EYRIE_VM_JIT_LABELS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "asmjit/core.h"
#include "vm/jit/program.h"
#include "vm/jit/views.h"

namespace eyrie::vm::jit {

class Labels {
 public:
  // `program` and `views` must outlive it.
  Labels(const Program& program, const std::vector<View>& views,
         asmjit::BaseAssembler& a);

  // Returns the label of the block itself.
  const asmjit::Label& Inside(uint32_t block) const { return blocks_[block]; }
  // Returns the label of the code that reads the block's views, or null.
  const asmjit::Label* Outside(uint32_t block) const;
  // Returns the label for control that arrives from the block before.
  const asmjit::Label& First(uint32_t block) const;
  // Returns the label for a branch from block `from` to an offset.
  const asmjit::Label& Target(uint32_t offset, uint32_t from) const;

 private:
  const Program& program_;
  const std::vector<View>& views_;
  std::vector<asmjit::Label> blocks_;
  std::map<uint32_t, asmjit::Label> outside_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_LABELS_H_
