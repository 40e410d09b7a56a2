// Tests the answer of builds without a compiler.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/elf_machine.h"
#include "gtest/gtest.h"
#include "vm/jit/jit.h"

namespace eyrie::vm::jit {
namespace {

TEST(Jit, IsNotInThisBuild) {
  EXPECT_FALSE(HasCompiler());
  for (const Mode mode : {Mode::kLazy, Mode::kEager}) {
    EXPECT_EQ(Create(mode).status(),
              absl::UnimplementedError(
                  absl::StrCat("This build has no compiler of functions for ",
                               ElfMachineName(ThisElfMachine()), ".")));
  }
}

}  // namespace
}  // namespace eyrie::vm::jit
