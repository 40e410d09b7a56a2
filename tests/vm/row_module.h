// The module that a row runs in.
// Tested by rows_test.cc.
#ifndef EYRIE_TESTS_VM_ROW_MODULE_H_
#define EYRIE_TESTS_VM_ROW_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/vm/rows.h"
#include "vm/module/module.h"

namespace eyrie::tests {

// A row as a function "f", and the text of its arguments.
struct RowFunction {
  std::string convention;
  std::string code;
  std::vector<std::string> args;
};

RowFunction FunctionOf(const Row& row);

// Returns the first bytecode major that has all instructions of a function.
uint16_t FirstMajorOf(const RowFunction& function);

// Returns the native module that rows import from, and the row's module.
// rows_calls.cc lists the numbers of functions and imports.
absl::StatusOr<std::vector<std::shared_ptr<const vm::Module>>> ModulesOf(
    const RowFunction& function, uint16_t major);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_VM_ROW_MODULE_H_
