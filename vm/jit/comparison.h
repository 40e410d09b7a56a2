// A comparison of an instruction: its operands, and when it is true. The code
// that all machines share reads it from the opcode; each machine chooses its
// instructions and flags by it. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_COMPARISON_H_
#define EYRIE_VM_JIT_COMPARISON_H_

#include <cstdint>
#include <optional>

#include "vm/isa/opcode.h"

namespace eyrie::vm::jit {

struct Comparison {
  // Two operands, or one with null or zero.
  enum class Of : uint8_t { kRefs, kRef, kIntegers, kInteger, kFloats };
  // kBelow is unsigned. kUnordered is true if the float operand is NaN.
  enum class Relation : uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kBelow,
    kUnordered,
  };
  Of of;
  Relation relation;
  bool or_unordered = false;  // also true if one of two floats is NaN
};

// Returns null if the opcode does not compare.
std::optional<Comparison> ComparisonOf(Op op);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_COMPARISON_H_
