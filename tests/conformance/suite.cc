// Loads suites and runs their cases.
#include "tests/conformance/suite.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "vm/asm/assembler.h"
#include "vm/module/module.h"
#include "vm/native/native_binding.h"
#include "vm/native/native_module.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::tests {
namespace {

constexpr absl::string_view kFailPrefix = "fail_";
constexpr absl::Duration kMaxTime = absl::Seconds(10);
constexpr uint64_t kMaxMemory = uint64_t{256} << 20;

// State of a call that yields: the VM repeats the call until no turns are left.
struct YieldState : vm::ModuleState {
  bool waiting = false;
  int32_t turns_left = 0;
};

absl::StatusOr<int32_t> YieldTurns(YieldState& state, int32_t value,
                                   int32_t turns) {
  if (!state.waiting) {
    state.waiting = true;
    state.turns_left = turns;
  }
  if (state.turns_left > 0) {
    --state.turns_left;
    return vm::Pending();
  }
  state.waiting = false;
  // Adds as unsigned numbers, which wrap as in the VM.
  return static_cast<int32_t>(static_cast<uint32_t>(value) +
                              static_cast<uint32_t>(turns));
}

absl::StatusOr<int32_t> YieldSum(YieldState& state, vm::Spread<int32_t> values,
                                 int32_t turns) {
  uint32_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<uint32_t>(values.get(i));
  }
  return YieldTurns(state, static_cast<int32_t>(sum), turns);
}

constexpr vm::NativeFunction kYieldable[] = {
    vm::Bind<YieldTurns>("yield_n", "0ii_i"),
    vm::Bind<YieldSum>("yield_variadic_sum", "0CiDi_i"),
};

absl::StatusOr<CaseResult> RunCase(
    const std::vector<std::shared_ptr<const vm::Module>>& modules,
    const std::string& name, const std::shared_ptr<const vm::Jit>& jit) {
  vm::ContextOptions options;
  options.jit = jit;
  options.limits.timeout = kMaxTime;
  options.limits.max_memory = kMaxMemory;
  ASSIGN_OR_RETURN(auto context, vm::Context::Create(modules, options));
  ASSIGN_OR_RETURN(const vm::Function function, context->Lookup(name));
  CaseResult result;
  result.name = name;
  result.outcome = context->Call(function, {}).status();
  result.passed = result.outcome.ok() != absl::StartsWith(name, kFailPrefix);
  return result;
}

bool IsHidden(const vm::ExportDef& exported) {
  return absl::StartsWith(exported.name, "__");
}

bool TakesArguments(const vm::VerifiedModule& module,
                    const vm::ExportDef& exported) {
  return !module.signature(exported.function).argument_types().empty();
}

}  // namespace

std::vector<std::string> Suite::CaseNames() const {
  std::vector<std::string> names;
  for (const vm::ExportDef& exported : module->def().exports) {
    if (IsHidden(exported) || TakesArguments(*module, exported)) continue;
    names.push_back(std::string(exported.name));
  }
  return names;
}

size_t Suite::skipped() const {
  const std::vector<vm::ExportDef>& exports = module->def().exports;
  return std::count_if(
      exports.begin(), exports.end(), [this](const vm::ExportDef& exported) {
        return !IsHidden(exported) && TakesArguments(*module, exported);
      });
}

absl::StatusOr<std::vector<std::string>> ListSuites(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_regular_file(path, error)) files.push_back(path);
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (entry.path().extension() == ".vmasm") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) return files;
  return absl::NotFoundError(
      absl::StrCat("There are no .vmasm files at ", path, "."));
}

absl::StatusOr<Suite> LoadSuite(const std::string& path) {
  ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  const absl::string_view text(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, vm::Assemble(text, path));
  Suite suite;
  suite.path = path;
  ASSIGN_OR_RETURN(suite.module, vm::LoadModule(bytes, path));
  return suite;
}

absl::StatusOr<std::vector<CaseResult>> RunSuite(
    const Suite& suite, const std::shared_ptr<const vm::Jit>& jit) {
  ASSIGN_OR_RETURN(
      auto yieldable,
      vm::NativeModule::Create(
          "yieldable_test", 0, kYieldable,
          []() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
            return std::make_unique<YieldState>();
          }));
  ASSIGN_OR_RETURN(auto module, vm::BytecodeModule::Create(
                                    vm::InterpreterHandlers(), suite.module));
  const std::vector<std::shared_ptr<const vm::Module>> modules = {yieldable,
                                                                  module};
  std::vector<CaseResult> results;
  for (const std::string& name : suite.CaseNames()) {
    ASSIGN_OR_RETURN(CaseResult result, RunCase(modules, name, jit));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace eyrie::tests
