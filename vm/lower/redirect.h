// Finds results that may go straight to where a branch will move them.
//
// A loop's values are moved to the loop's registers at its end. Where the
// moved value is made in the same block, is not needed where it is made, and
// the register it goes to is no longer looked at, the instruction that makes
// it can write there, and the move falls away. In a loop of a few instructions
// each move is a store and a load that the next turn waits for.
// Tested by lowering_test.cc, tests/oracle.
#ifndef EYRIE_VM_LOWER_REDIRECT_H_
#define EYRIE_VM_LOWER_REDIRECT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::vm {

// From the instruction `made` on, up to the branch, `from` is `to`.
struct Redirect {
  uint32_t made;    // offsets in the bytecode
  uint32_t branch;  // a `br`, which need not move it
  uint16_t from;    // registers of numbers: one, or an even pair
  uint16_t to;
  bool wide;
};

// The redirects of a verified function, ascending by branch; without a loop
// they spare less than they take to find. None for one so large that finding
// them would take longer than kMaxRedirectWork words of register sets, or for
// which there is no memory.
std::vector<Redirect> FindRedirects(std::span<const uint8_t> code,
                                    uint32_t i32_registers);
inline constexpr uint64_t kMaxRedirectWork = uint64_t{1} << 18;

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_REDIRECT_H_
