// What random programs import: a native module with every kind of argument,
// spans too, and functions that fail or are not ready at once; and a bytecode
// module with globals of its own.
#ifndef EYRIE_TESTS_ORACLE_TEST_MODULE_H_
#define EYRIE_TESTS_ORACLE_TEST_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "vm/module/module.h"

namespace eyrie::tests {

// "native" and "library", to be linked in this order. Every context of them
// begins with the same state.
std::vector<std::shared_ptr<const vm::Module>> ImportedModules();

struct ImportedFunction {
  std::string full_name;
  std::string signature;
};

// All that they export, for imports to name.
const std::vector<ImportedFunction>& ImportedFunctions();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_TEST_MODULE_H_
