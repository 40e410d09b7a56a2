// A second implementation of instructions that compute with numbers only.
//
// Integers are computed in 128 bits and truncated. Comparisons of floats use
// their bits, f32 is computed in f64 and rounded, and conversions round by
// their own code. Sums, products and quotients of f64, and the C library's
// functions, are trusted. The NaN bits of arithmetic depend on the processor.
// Tested by random_programs_test.cc, fixtures_test.cc.
#ifndef EYRIE_TESTS_ORACLE_ARITHMETIC_H_
#define EYRIE_TESTS_ORACLE_ARITHMETIC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "vm/isa/opcode.h"

namespace eyrie::tests {

// Computes the result's bits from the operands' bits; both are in the low part
// of their words. INVALID_ARGUMENT, OUT_OF_RANGE: the instruction fails.
using Compute = absl::StatusOr<uint64_t> (*)(const uint64_t* in);

// Returns nullptr unless the instruction only computes.
Compute FindCompute(vm::Op op);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_ARITHMETIC_H_
