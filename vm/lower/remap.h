// A branch's register moves, as encoded and as the loop makes them.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_REMAP_H_
#define EYRIE_VM_LOWER_REMAP_H_

#include <cstdint>
#include <vector>

#include "vm/lower/lowered.h"
#include "vm/lower/register_list.h"

namespace eyrie::vm {

// Register moves on the way to a block: from(i) to to(i), in order.
class RemapList {
 public:
  explicit RemapList(const uint8_t* at) : words_(at) {}

  uint32_t size() const { return words_.size(); }
  uint16_t from(uint32_t i) const { return words_[2 * i]; }
  uint16_t to(uint32_t i) const { return words_[2 * i + 1]; }

 private:
  RegisterList words_;
};

// Appends the moves, the halves of an even pair together. There is room for
// moves.size() of them.
void Merge(const RemapList& moves, std::vector<LoweredMove>& merged);

// The row for a jump that makes these moves; `back`: to a block above.
Lowered JumpRow(const std::vector<LoweredMove>& moves, bool back);

// The row that makes a JumpBack row's moves and goes on behind itself. Not for
// JumpBackMoves, nor for JumpBack, which has none.
Lowered FallRow(Lowered row);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_REMAP_H_
