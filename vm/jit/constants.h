// The constants of a function that its code reads from memory.
#ifndef EYRIE_VM_JIT_CONSTANTS_H_
#define EYRIE_VM_JIT_CONSTANTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "asmjit/core.h"
#include "base/hash_map.h"
#include "vm/jit/looks.h"

namespace eyrie::vm::jit {

class Constants {
 public:
  // Returns the label of a constant of 8 bytes, if `wide`, or 4. Adds it unless
  // it has been added before.
  asmjit::Label LabelOf(uint64_t bits, bool wide, asmjit::BaseAssembler& a);
  // Emits all constants. Wide ones are aligned to 16 bytes and padded with
  // zeros to 16, so they can be operands of vector instructions.
  void Emit(asmjit::BaseAssembler& a, Looks& looks) const;

 private:
  struct Constant {
    uint64_t bits;
    bool wide;
    asmjit::Label label;
  };

  std::vector<Constant> all_;
  // Indices by bits; [1] is for wide ones.
  HashMap<uint64_t, size_t> index_[2];
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_CONSTANTS_H_
