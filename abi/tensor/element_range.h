// Finds integers that would change their value if they were reinterpreted as
// another integer type of the same width: 200 of ui8 changes as si8, 100 does
// not.
//
// Values can change only between a signed and an unsigned type, or from an
// integer to a boolean. A signless type accepts both ranges.
// Tested by element_range_test.cc.
#ifndef EYRIE_ABI_TENSOR_ELEMENT_RANGE_H_
#define EYRIE_ABI_TENSOR_ELEMENT_RANGE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/element_type.h"

namespace eyrie::abi {

// Reports whether elements of `from` must be checked before they are used as
// elements of `to`, which has the same width.
bool MayChangeValue(hal::ElementType from, hal::ElementType to);

// An element that would change its value.
struct Misfit {
  int64_t element = 0;
  std::vector<int64_t> index;  // one per dimension
  std::string number;          // "200"

  // "[0][3]"
  std::string Place() const;
};

// Returns the first misfit among the dense row-major elements of a shape;
// nullopt if there is none. Reads `bytes` once, or not at all if MayChangeValue
// returns false.
std::optional<Misfit> FindMisfit(std::span<const uint8_t> bytes,
                                 hal::ElementType from, hal::ElementType to,
                                 std::span<const int64_t> shape);

// Returns "[0][3]" for the row-major index of an element of a nonempty shape.
std::string ElementPlace(std::span<const int64_t> shape, int64_t element);

// Returns " (-128 to 127)" for an integer of at most 64 bits, else "".
std::string RangeText(hal::ElementType type);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_ELEMENT_RANGE_H_
