// What instructions compute from numbers alone, written out once more.
//
// Integers are computed in 128 bits and cut, comparisons of floats read their
// bits, f32 is computed in f64 and rounded, conversions round by hand. Taken as
// given: the sums, products and quotients of f64, and the library's functions.
// The bits of a NaN that an arithmetic instruction makes are the processor's.
// Tested by random_programs_test.cc, fixtures_test.cc.
#ifndef EYRIE_TESTS_ORACLE_ARITHMETIC_H_
#define EYRIE_TESTS_ORACLE_ARITHMETIC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "vm/isa/opcode.h"

namespace eyrie::tests {

// From the bits of the operands, in the low part of each, to the result's.
// INVALID_ARGUMENT, OUT_OF_RANGE: as the instruction fails.
using Compute = absl::StatusOr<uint64_t> (*)(const uint64_t* in);

// Of an instruction that only computes; nullptr for any other.
Compute FindCompute(vm::Op op);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_ARITHMETIC_H_
