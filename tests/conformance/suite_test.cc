// Eyrie's conformance suites pass, and together use every instruction.
#include "tests/conformance/suite.h"

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/asm/instruction.h"
#include "vm/isa/opcode.h"
#include "vm/jit/jit.h"

namespace eyrie::tests {
namespace {

constexpr char kSuites[] = "tests/conformance/vm";
constexpr size_t kLeastCases = 400;

std::vector<Suite> LoadAll() {
  std::vector<Suite> suites;
  const auto files = ListSuites(kSuites);
  EXPECT_TRUE(files.ok()) << files.status();
  if (!files.ok()) return suites;
  for (const std::string& file : *files) {
    auto suite = LoadSuite(file);
    EXPECT_TRUE(suite.ok()) << suite.status();
    if (suite.ok()) suites.push_back(*std::move(suite));
  }
  return suites;
}

void ExpectCompiledCasesPass(const Suite& suite) {
  const auto jit = vm::jit::Create(vm::jit::Mode::kEager);
  ASSERT_TRUE(jit.ok()) << jit.status();
  const auto compiled = RunSuite(suite, *jit);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const CaseResult& result : *compiled) {
    EXPECT_TRUE(result.passed)
        << suite.path << " " << result.name << ", compiled: " << result.outcome;
  }
}

TEST(Conformance, EveryCasePasses) {
  size_t cases = 0;
  size_t failing = 0;
  for (const Suite& suite : LoadAll()) {
    if (vm::jit::HasCompiler()) ExpectCompiledCasesPass(suite);
    const auto results = RunSuite(suite);
    ASSERT_TRUE(results.ok()) << suite.path << ": " << results.status();
    for (const CaseResult& result : *results) {
      EXPECT_TRUE(result.passed)
          << suite.path << " " << result.name << ": " << result.outcome;
      if (absl::StartsWith(result.name, "fail_")) ++failing;
      ++cases;
    }
  }
  EXPECT_GE(cases, kLeastCases);
  EXPECT_GT(failing, 0u);
}

TEST(Conformance, EveryInstructionIsUsed) {
  std::set<vm::Op> used;
  for (const Suite& suite : LoadAll()) {
    for (const vm::FunctionDef& function : suite.module->def().functions) {
      for (uint32_t pc = 0; pc < function.bytecode.size();) {
        used.insert(vm::Decode(function.bytecode, pc).op->op);
      }
    }
  }
  for (const vm::OpInfo& op : vm::kOps) {
    EXPECT_TRUE(used.contains(op.op)) << op.text << " is in no suite.";
  }
}

// A "fail_" case that returns does not pass; nor does another case that fails.
TEST(Conformance, TheRunnerTellsFailuresApart) {
  const std::string path = absl::StrCat(testing::TempDir(), "/made.vmasm");
  std::ofstream(path) << "vm.module @made\n"
                         "vm.export @good\n"
                         "vm.export @fail_good = @good\n"
                         "vm.export @bad\n"
                         "vm.export @fail_bad = @bad\n"
                         "vm.export @with_argument\n"
                         "vm.export @__hidden = @good\n"
                         "vm.func @good() -> (i32) {\n"
                         "  %i0 = vm.const.i32 1\n"
                         "  vm.return %i0\n"
                         "}\n"
                         "vm.func @bad() -> () {\n"
                         "  %i0 = vm.const.i32 9\n"
                         "  vm.fail %i0, \"on purpose\"\n"
                         "}\n"
                         "vm.func @with_argument(%i0: i32) -> () {\n"
                         "  vm.return\n"
                         "}\n";
  const auto suite = LoadSuite(path);
  ASSERT_TRUE(suite.ok()) << suite.status();
  const auto results = RunSuite(*suite);
  ASSERT_TRUE(results.ok()) << results.status();
  std::string passed;
  for (const CaseResult& result : *results) {
    absl::StrAppend(&passed, result.name, result.passed ? "+ " : "- ");
  }
  EXPECT_EQ(suite->skipped(), 1u);
  EXPECT_EQ(passed, "good+ fail_good- bad- fail_bad+ ");
  EXPECT_FALSE(ListSuites("tests/conformance/none").ok());
}

}  // namespace
}  // namespace eyrie::tests
