// A small native module that random programs import, with every kind of
// argument, spans too, and functions that fail or are not ready at once.
#ifndef EYRIE_TESTS_ORACLE_TEST_MODULE_H_
#define EYRIE_TESTS_ORACLE_TEST_MODULE_H_

#include <memory>
#include <span>

#include "vm/native_binding.h"
#include "vm/native_module.h"

namespace eyrie::tests {

// Named "native"; every instance of it begins with the same state.
std::shared_ptr<const vm::NativeModule> MakeTestModule();

// What it exports, for imports to name.
std::span<const vm::NativeFunction> TestModuleFunctions();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_TEST_MODULE_H_
