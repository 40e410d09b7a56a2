// Modules that try to use more time, memory or text than they may.
//
// Each attack is made from a number alone, so a failure is repeated by its
// number. An attack of code runs instructions or host functions in an endless
// loop, with the largest operands that fit into the memory limit. An attack of
// the file repeats one string, table or count as often as the format permits.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_
#define EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/random.h"

namespace eyrie::tests {

// The memory limit that attacks run under, and are made to exhaust.
inline constexpr uint64_t kAttackMemory = uint64_t{64} << 20;

struct Attack {
  std::string name;             // what it does, for messages
  std::vector<uint8_t> module;  // a module file
  // The arguments of `eyrie`; "FILE" stands for the module's path.
  std::vector<std::string> arguments;
};

// Attack `number`. Consecutive numbers alternate between all kinds.
Attack CreateAttack(uint64_t number);

// Instructions of opcodes.def in an endless loop.
Attack InstructionAttack(Random& random);
// Functions of the host modules in an endless loop.
Attack ImportAttack(Random& random);
// Code whose shape is expensive to verify or to compile.
Attack ShapeAttack(Random& random);
// A FlatBuffer that names few bytes often.
Attack FileAttack(Random& random);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_
