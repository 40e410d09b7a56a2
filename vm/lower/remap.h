// A branch's register moves, as encoded and as the interpreter executes them.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_REMAP_H_
#define EYRIE_VM_LOWER_REMAP_H_

#include <cstdint>
#include <vector>

#include "vm/lower/lowered.h"
#include "vm/lower/register_list.h"

namespace eyrie::vm {

// The moves of a branch: from(i) to to(i), in order.
class RemapList {
 public:
  explicit RemapList(const uint8_t* at) : words_(at) {}

  uint32_t size() const { return words_.size(); }
  uint16_t from(uint32_t i) const { return words_[2 * i]; }
  uint16_t to(uint32_t i) const { return words_[2 * i + 1]; }

 private:
  RegisterList words_;
};

// Appends the moves to `merged`; combines the two halves of a pair. `merged`
// must have capacity for moves.size() more.
void Merge(const RemapList& moves, std::vector<LoweredMove>& merged);

// Returns the row for a jump with these moves. If `back`, the jump is backward.
Lowered JumpRow(const std::vector<LoweredMove>& moves, bool back);

// Returns the row that executes the moves of a JumpBack row and continues with
// the next instruction. `row` must not be JumpBackMoves or JumpBack.
Lowered FallRow(Lowered row);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_REMAP_H_
