// Finds results that can be written directly to the register to which a branch
// will move them.
//
// A loop's values are moved to the loop's registers at its end. If a value is
// computed in the same block, is not needed in its own register, and the target
// register is not used in between, then the instruction can write to the target
// and the move is omitted. In a short loop, each move is a store and a load
// that the next iteration waits for.
// Tested by lowering_test.cc, tests/oracle.
#ifndef EYRIE_VM_LOWER_REDIRECT_H_
#define EYRIE_VM_LOWER_REDIRECT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::vm {

// Uses `to` in place of `from`, from the instruction `made` to the branch.
struct Redirect {
  uint32_t made;    // offset in the bytecode
  uint32_t branch;  // a `br`, which need not move it
  uint16_t from;    // registers of numbers: one, or an even pair
  uint16_t to;
  bool wide;
};

// Returns the redirects of a verified function, ascending by branch. Not worth
// calling for functions without loops. Returns none if the function is so large
// that the search would process more than kMaxRedirectWork words of register
// sets, or if there is not enough memory.
std::vector<Redirect> FindRedirects(std::span<const uint8_t> code,
                                    uint32_t i32_registers);
inline constexpr uint64_t kMaxRedirectWork = uint64_t{1} << 18;

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_REDIRECT_H_
