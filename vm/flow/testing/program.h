// Creates modules from assembly, for tests.
#ifndef EYRIE_VM_FLOW_TESTING_PROGRAM_H_
#define EYRIE_VM_FLOW_TESTING_PROGRAM_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "vm/asm/assembler.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

// Assembles and verifies a module (docs/vmasm.md). Returns null after a test
// failure.
inline std::shared_ptr<const VerifiedModule> Program(absl::string_view text) {
  const auto bytes = Assemble(text, "test.vmasm");
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  if (!bytes.ok()) return nullptr;
  auto module = LoadModule(*bytes, "test");
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *module : nullptr;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_FLOW_TESTING_PROGRAM_H_
