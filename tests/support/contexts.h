// Contexts and arrays for tests of the C++ API.
#ifndef EYRIE_TESTS_SUPPORT_CONTEXTS_H_
#define EYRIE_TESTS_SUPPORT_CONTEXTS_H_

#include <string>
#include <utility>
#include <vector>

#include "eyrie/runtime.h"
#include "gtest/gtest.h"

namespace eyrie::tests {

// Returns a context with one module of tests/modules. If it cannot be created,
// fails the test and ends the program.
inline Context OpenContext(const Device& device, const std::string& file,
                           const ContextOptions& options = {}) {
  auto module = Module::Load("tests/modules/" + file);
  EXPECT_TRUE(module) << module.error().message();
  auto context = Context::Create(device, *module, options);
  EXPECT_TRUE(context) << context.error().message();
  return *std::move(context);
}

// Does the same on `local-sync`.
inline Context OpenContext(const std::string& file,
                           const ContextOptions& options = {}) {
  return OpenContext(*Device::Open("local-sync"), file, options);
}

// Returns an array of four f32 that ascend from `a` by 1.
inline Value Four(float a) {
  return *Value::Array({4}, std::vector<float>{a, a + 1, a + 2, a + 3});
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_CONTEXTS_H_
