// Disassembles and assembles every fixture. The new module has the same text,
// assembles to the same bytes again, and its calls return the same results.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/integration/manifest_cases.h"
#include "vm/asm/assembler.h"
#include "vm/asm/disassembler.h"

namespace eyrie::tests {
namespace {

// A module, its text and its file.
struct Made {
  abi::Program program;
  std::string text;
  std::vector<uint8_t> bytes;
};

absl::StatusOr<Made> AssembleAgain(const abi::Program& program) {
  Made made;
  ASSIGN_OR_RETURN(made.text, vm::Disassemble(program->verified()));
  ASSIGN_OR_RETURN(made.bytes, vm::Assemble(made.text, "again.vmasm"));
  ASSIGN_OR_RETURN(made.program, abi::LoadProgram(made.bytes, "again.vmfb"));
  return made;
}

// Replaces the last program with the module assembled from its text.
void AssembleLastAgain(Programs& programs) {
  const auto once = AssembleAgain(programs.back());
  ASSERT_TRUE(once.ok()) << once.status();
  const auto twice = AssembleAgain(once->program);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_TRUE(twice->text == once->text);
  EXPECT_TRUE(twice->bytes == once->bytes);
  programs.back() = once->program;
}

TEST(Roundtrip, EveryModuleComesBackFromItsText) {
  int modules = 0;
  int cases = 0;
  for (const Json& module : ManifestModules()) {
    SCOPED_TRACE(module["file"].get<std::string>());
    auto programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    AssembleLastAgain(*programs);
    for (const Json& entry : module["cases"]) {
      EXPECT_EQ(RunCase(module, entry, NewSession(programs)), "");
      ++cases;
    }
    ++modules;
  }
  std::printf("%d modules, %d cases\n", modules, cases);
  EXPECT_GT(modules, 0);
}

// The same without calls, because SPIR-V kernels are only bytes here.
TEST(Roundtrip, ModulesForVulkanComeBackFromTheirText) {
  int modules = 0;
  for (const Json& module : VulkanModules()) {
    SCOPED_TRACE(module["file"].get<std::string>());
    auto programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    AssembleLastAgain(*programs);
    ++modules;
  }
  EXPECT_GT(modules, 0);
}

}  // namespace
}  // namespace eyrie::tests
