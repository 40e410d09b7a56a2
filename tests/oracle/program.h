// Creates random programs, their modules and arguments, and smaller programs.
// Tested by random_programs_test.cc.
#ifndef EYRIE_TESTS_ORACLE_PROGRAM_H_
#define EYRIE_TESTS_ORACLE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/oracle/program_parts.h"
#include "tests/support/module_builder.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

// Returns the same program for the same seed.
Program CreateProgram(uint64_t seed);

// Returns the module: its functions, and "state", which returns every global.
ModuleBuilder ToModule(const Program& program);

// Creates new objects for a call.
std::vector<vm::Value> CreateArguments(const PlannedCall& call);

// Returns the whole program as text.
std::string ToText(const Program& program);

// Removes calls and instructions while the predicate still holds.
Program Shrink(Program program,
               const std::function<bool(const Program&)>& fails);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_PROGRAM_H_
