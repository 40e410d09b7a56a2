// The interpreter and the oracle agree on random programs: results bit by bit,
// errors with their location, printed output, globals, lists and buffers.
//
// EYRIE_ORACLE_SEED runs one program and prints it.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/sanitized.h"
#include "gtest/gtest.h"
#include "tests/oracle/engine.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/program.h"
#include "tests/oracle/test_module.h"
#include "tests/support/campaign_size.h"
#include "vm/limits/limits.h"
#include "vm/lower/redirect.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::tests {
namespace {

constexpr uint64_t kShards = 20;
constexpr uint64_t kMaxSteps = 20000;
constexpr uint64_t kFirstSeed = 1;
constexpr char kSeedVariable[] = "EYRIE_ORACLE_SEED";

using Modules = std::vector<std::shared_ptr<const vm::Module>>;

absl::StatusOr<Modules> Load(const Program& program, bool pauses = false) {
  auto verified = vm::LoadModule(ToModule(program).Build(), "random");
  if (!verified.ok()) return verified.status();
  auto module = vm::BytecodeModule::Create(
      vm::InterpreterHandlers(), *std::move(verified), vm::RefTypes(), pauses);
  if (!module.ok()) return module.status();
  Modules modules = ImportedModules();
  modules.push_back(*std::move(module));
  return modules;
}

// Returns the outcome of every call, and the globals after each.
std::vector<Outcome> RunAll(Engine& engine, const Modules& modules,
                            const Program& program) {
  std::vector<std::string> lines;
  auto instance = engine.Load(
      modules, [&](absl::string_view line) { lines.emplace_back(line); });
  std::vector<Outcome> outcomes;
  if (!instance.ok()) return {Observe(instance.status(), "")};
  for (const PlannedCall& call : program.calls) {
    const std::vector<vm::Value> arguments = CreateArguments(call);
    const auto results =
        (*instance)->Call(absl::StrCat("f", call.function), arguments);
    outcomes.push_back(Observe(results, absl::StrJoin(lines, "; ")));
    outcomes.back().suspensions = (*instance)->suspensions();
    lines.clear();
    // The call may have written to its arguments.
    absl::StrAppend(&outcomes.back().values, " of ", Describe(arguments));
    outcomes.push_back(Observe((*instance)->Call("state", {}), ""));
    if (outcomes[outcomes.size() - 2].code == absl::StatusCode::kAborted) break;
  }
  return outcomes;
}

bool TookTooLong(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.code == absl::StatusCode::kAborted) return true;
  }
  return false;
}

std::string Compare(const std::vector<Outcome>& want,
                    const std::vector<Outcome>& got) {
  std::string text;
  for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
    if (want[i] == got[i]) continue;
    absl::StrAppend(&text, "  want: ", want[i].ToString(),
                    "\n  got:  ", got[i].ToString(), "\n");
  }
  if (want.size() != got.size()) text += "  other calls were made\n";
  return text;
}

struct Tally {
  uint64_t run = 0;
  uint64_t too_long = 0;
  uint64_t redirects = 0;  // of branches' moves, see vm/lower/redirect.h
  uint64_t compiled = 0;   // functions
  std::map<absl::StatusCode, uint64_t> codes;
};

uint64_t CountCompiled(const vm::Module& module, const vm::Jit& jit) {
  const vm::BytecodeModule& bytecode = *module.AsBytecode();
  uint64_t count = 0;
  for (uint32_t f = 0; f < bytecode.def().functions.size(); ++f) {
    const void* code = bytecode.function(f).compiled.load();
    count += code != nullptr && code != jit.thunks()->uncompiled;
  }
  return count;
}

uint64_t CountRedirects(const vm::Module& module) {
  uint64_t count = 0;
  const vm::VerifiedModule& verified = module.AsBytecode()->verified();
  for (uint32_t f = 0; f < verified.def().functions.size(); ++f) {
    if (!verified.has_loop(f)) continue;
    const vm::FunctionDef& function = verified.def().functions[f];
    count += vm::FindRedirects(function.bytecode, function.i32_register_count)
                 .size();
  }
  return count;
}

// Returns how the engines differ, or "".
std::string Disagreement(const Program& program, OracleEngine& oracle,
                         Tally* tally) {
  const absl::StatusOr<Modules> modules = Load(program);
  if (!modules.ok()) return modules.status().ToString();
  const std::vector<Outcome> want = RunAll(oracle, *modules, program);
  if (TookTooLong(want)) {
    if (tally != nullptr) ++tally->too_long;
    return "";
  }
  if (tally != nullptr) {
    ++tally->run;
    tally->redirects += CountRedirects(*modules->back());
    for (size_t i = 0; i < want.size(); i += 2) ++tally->codes[want[i].code];
  }
  // Limits the fuel, so that a faulty engine cannot run forever.
  vm::Limits limits;
  limits.fuel = kMaxSteps;
  InterpreterEngine interpreter(InterpreterEngine::Resumes::kAtOnce, limits);
  std::string difference =
      Compare(want, RunAll(interpreter, *modules, program));
  if (!difference.empty()) return difference;
  const auto resumes = program.seed % 4 == 0
                           ? InterpreterEngine::Resumes::kByHost
                           : InterpreterEngine::Resumes::kAtOnce;
  if (program.seed % 4 == 0) {
    InterpreterEngine resumed(resumes, limits);
    difference = Compare(want, RunAll(resumed, *modules, program));
    if (!difference.empty()) return difference;
  }
  if (program.seed % 4 == 1) {
    const absl::StatusOr<Modules> pausing = Load(program, /*pauses=*/true);
    if (!pausing.ok()) return pausing.status().ToString();
    difference = Compare(want, RunAll(interpreter, *pausing, program));
    if (!difference.empty()) {
      return absl::StrCat("with pauses:\n", difference);
    }
  }
  const auto jit = EagerJit();
  if (!jit.ok()) return jit.status().ToString();
  if (*jit == nullptr) return "";
  InterpreterEngine compiled(resumes, limits, *jit);
  difference = Compare(want, RunAll(compiled, *modules, program));
  if (tally != nullptr)
    tally->compiled += CountCompiled(*modules->back(), **jit);
  return difference.empty() ? "" : absl::StrCat("compiled:\n", difference);
}

std::string Report(const Program& program, const std::string& difference) {
  OracleEngine oracle;
  oracle.max_steps = kMaxSteps;
  const Program small = Shrink(program, [&](const Program& smaller) {
    return !Disagreement(smaller, oracle, nullptr).empty();
  });
  return absl::StrCat("Program ", program.seed, ":\n", difference,
                      "Shrunk, it is\n", ToText(small),
                      Disagreement(small, oracle, nullptr));
}

class RandomPrograms : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomPrograms, EnginesAgree) {
  if (std::getenv(kSeedVariable) != nullptr) {
    GTEST_SKIP() << kSeedVariable << " chooses one program.";
  }
  OracleEngine oracle;
  oracle.max_steps = kMaxSteps;
  Tally tally;
  const uint64_t count = CampaignSize(20000, 100000, 8000) / kShards;
  for (uint64_t i = 0; i < count; ++i) {
    const Program program = CreateProgram(kFirstSeed + GetParam() * count + i);
    const std::string difference = Disagreement(program, oracle, &tally);
    if (!difference.empty()) FAIL() << Report(program, difference);
  }
  // Most programs end, and most calls succeed.
  EXPECT_LT(tally.too_long, count / 100);
  EXPECT_GT(tally.codes[absl::StatusCode::kOk], count / 2);
  EXPECT_GT(tally.codes.size(), 6u);
  EXPECT_GT(tally.redirects, count / 50);
  if (*EagerJit() != nullptr) {
    EXPECT_GT(tally.compiled, count);
  }
  for (size_t i = 0; i < vm::kOpCount; ++i) {
    EXPECT_GE(oracle.executed[i], kIsSanitized ? 1u : count / 100)
        << vm::kOps[i].text;
  }
  if (GetParam() != 0) return;
  std::printf("%d programs of this shard, %d too long, %d redirects\n",
              static_cast<int>(tally.run), static_cast<int>(tally.too_long),
              static_cast<int>(tally.redirects));
  for (const auto& [code, count] : tally.codes) {
    std::printf("%8d %s\n", static_cast<int>(count),
                absl::StatusCodeToString(code).c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, RandomPrograms,
                         testing::Range(uint64_t{0}, kShards));

// Runs one program, for debugging.
TEST(RandomProgram, OfSeed) {
  const char* text = std::getenv(kSeedVariable);
  uint64_t seed = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &seed)) {
    GTEST_SKIP() << kSeedVariable << " does not choose a program.";
  }
  const Program program = CreateProgram(seed);
  std::printf("%s", ToText(program).c_str());
  OracleEngine oracle;
  oracle.max_steps = kMaxSteps;
  const auto modules = Load(program);
  ASSERT_TRUE(modules.ok()) << modules.status();
  for (const Outcome& outcome : RunAll(oracle, *modules, program)) {
    std::printf("%s\n", outcome.ToString().c_str());
  }
  EXPECT_EQ(Disagreement(program, oracle, nullptr), "");
}

}  // namespace
}  // namespace eyrie::tests
