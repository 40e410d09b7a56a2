// The modules that random programs import: a native module with arguments of
// every kind, including spans, and functions that fail or return Pending; and a
// bytecode module with its own globals.
#ifndef EYRIE_TESTS_ORACLE_TEST_MODULE_H_
#define EYRIE_TESTS_ORACLE_TEST_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "vm/module/module.h"

namespace eyrie::tests {

// Returns "native" and "library", to link in this order. Every context begins
// with the same state.
std::vector<std::shared_ptr<const vm::Module>> ImportedModules();

struct ImportedFunction {
  std::string full_name;
  std::string signature;
};

// Returns all exports, for imports to name.
const std::vector<ImportedFunction>& ImportedFunctions();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_TEST_MODULE_H_
