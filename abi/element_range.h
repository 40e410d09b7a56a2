// Whether integers that pass for those of another type, bit by bit, keep their
// values: 200 of ui8 does not as si8, 100 does.
//
// Only two signs that differ can change a value, and integers that are taken
// for booleans. A signless type takes both signs.
// Tested by element_range_test.cc.
#ifndef EYRIE_ABI_ELEMENT_RANGE_H_
#define EYRIE_ABI_ELEMENT_RANGE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/element_type.h"

namespace eyrie::abi {

// Reports whether elements of `from` must be looked at before they are taken
// for elements of `to`, which have as many bits.
bool MayChangeValue(hal::ElementType from, hal::ElementType to);

// The first element that has no equal.
struct Misfit {
  int64_t element = 0;
  std::vector<int64_t> index;  // one per dimension
  std::string number;          // "200"

  // "[0][3]"
  std::string Place() const;
};

// Looks for it among the dense row-major elements of a shape, in one pass over
// `bytes`. Reads nothing unless MayChangeValue.
std::optional<Misfit> FindMisfit(std::span<const uint8_t> bytes,
                                 hal::ElementType from, hal::ElementType to,
                                 std::span<const int64_t> shape);

// " (-128 to 127)" of an integer of at most 64 bits, else "".
std::string RangeText(hal::ElementType type);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_ELEMENT_RANGE_H_
