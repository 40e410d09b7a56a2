// Tests loading executables when memory runs out.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/vmvx/testing/executable_fixture.h"
#include "tests/support/failing_allocations.h"
#include "vm/asm/assembler.h"

namespace eyrie::hal::vmvx {
namespace {

TEST(VmvxNoMemory, Loads) {
  // So many entry points that even a list of numbers exceeds kSmallBytes.
  constexpr int kKernels = 20000;
  std::string text = kHead;
  for (int i = 0; i < kKernels; ++i) {
    absl::StrAppend(&text, "vm.export @run", i, "\nvm.func @run", i, kEntry,
                    "^bb0:\n  vm.return\n}\n");
  }
  const auto bytes = vm::Assemble(text, "kernels.vmasm");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  ExecutableParams params;
  params.format = kFormat;
  params.data = *bytes;
  const auto loader = CreateLoader();
  tests::FailEach({
      {"load", [&] { return loader->Load(params).status(); }, 11},
      {"describe", [&] { return loader->Describe(params.data).status(); }, 10},
  });
}

}  // namespace
}  // namespace eyrie::hal::vmvx
