// Modules that try to exceed limits on time, memory or output.
//
// Each attack is generated from its number alone, so a failure can be repeated.
// An attack with code runs instructions or host functions in an endless loop,
// with the largest operands that fit in the memory limit. An attack with a file
// repeats one string, table or count as often as the format permits.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_
#define EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/random.h"

namespace eyrie::tests {

// The memory limit for attacks, which they try to exhaust.
inline constexpr uint64_t kAttackMemory = uint64_t{64} << 20;

struct Attack {
  std::string name;             // what it does, for messages
  std::vector<uint8_t> module;  // a module file
  // Arguments of `eyrie`; "FILE" is replaced by the module's path.
  std::vector<std::string> arguments;
  bool is_timed = true;  // else only its own arguments limit its time
};

// Creates attack `number`. Consecutive numbers alternate between all kinds.
Attack CreateAttack(uint64_t number);

// Runs instructions of opcodes.def in an endless loop.
Attack InstructionAttack(Random& random);
// Runs functions of the host modules in an endless loop.
Attack ImportAttack(Random& random);
// Has code that is expensive to verify or to compile.
Attack ShapeAttack(Random& random);
// Has a FlatBuffer that names few bytes many times.
Attack FileAttack(Random& random);
// Makes a device map, commit, clear and copy memory.
Attack MemoryAttack(Random& random);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_ATTACKS_H_
