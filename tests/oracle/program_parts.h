// A random program: valid functions, and the calls to make of them.
//
// A seed gives the same program on any machine. Loops are bounded: a backward
// branch leads through a block that counts down. Functions call only those with
// a higher number.
// Tested by random_programs_test.cc.
#ifndef EYRIE_TESTS_ORACLE_PROGRAM_PARTS_H_
#define EYRIE_TESTS_ORACLE_PROGRAM_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/instruction.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

struct RandomFunction {
  std::string convention;
  std::vector<vm::ValueType> arguments;
  std::vector<vm::ValueType> results;
  bool is_short = false;  // one block that computes a number from numbers
  Blocks blocks;
};

// An argument of a planned call. For a ref, the object to create.
struct PlannedValue {
  enum class Object : uint8_t { kNull, kBuffer, kList };
  vm::ValueType type = vm::ValueType::kI32;
  uint64_t bits = 0;
  Object object = Object::kNull;
};

struct PlannedCall {
  uint32_t function = 0;
  std::vector<PlannedValue> arguments;
};

struct Program {
  uint64_t seed = 0;
  uint16_t major = 17;
  std::vector<RandomFunction> functions;  // named "f0", "f1" …
  std::vector<PlannedCall> calls;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_PROGRAM_PARTS_H_
