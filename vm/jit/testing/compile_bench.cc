// The cost of compiling, in time and code size per instruction of bytecode, for
// all functions of the given modules.
//
//   bazel run -c opt //vm/jit:compile_bench -- model.vmfb ...
// `tools/bench/compare --only=compile` compares the means with their limits.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "vm/jit/jit.h"
#include "vm/lower/code_walk.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

constexpr int kRounds = 20;

struct Costs {
  uint64_t functions = 0;
  uint64_t instructions = 0;
  uint64_t code_bytes = 0;
  absl::Duration time;  // of all rounds
};

struct Nothing {
  void Register(OperandKind, uint16_t, bool) {}
  void Listed(uint16_t, bool) {}
  void Goes(const Edge&) {}
};

uint64_t CountInstructions(const FunctionCode& function) {
  Nothing visitor;
  uint64_t count = 0;
  for (uint32_t pc = 0; pc < function.code_size; ++count) {
    VisitInstruction(function.code, pc, visitor);
  }
  return count;
}

absl::Status Measure(const Jit& jit, const char* path, Costs& costs) {
  ASSIGN_OR_RETURN(auto verified, LoadModule(path));
  ASSIGN_OR_RETURN(
      const auto module,
      BytecodeModule::Create(InterpreterHandlers(), std::move(verified)));
  const auto count = static_cast<uint32_t>(module->def().functions.size());
  for (uint32_t f = 0; f < count; ++f) {
    module->LowerFunction(f, /*traced=*/false);
  }
  for (int round = 0; round < kRounds; ++round) {
    const auto code = jit.NewModule(*module);
    for (uint32_t f = 0; f < count; ++f) {
      const Deadline begin = Deadline::Now();
      const CompiledFunction compiled = jit.Compile(
          *module, f, *code, /*callee=*/[](uint32_t) {},
          /*stopped=*/[] { return false; });
      costs.time += Deadline::Now() - begin;
      if (round > 0 || compiled.call == nullptr) continue;
      ++costs.functions;
      costs.instructions += CountInstructions(module->function(f));
      costs.code_bytes += compiled.bytes;
    }
  }
  return absl::OkStatus();
}

absl::Status Measure(int count, char** paths) {
  ASSIGN_OR_RETURN(const auto jit, jit::Create(jit::Mode::kEager));
  Costs costs;
  for (int i = 0; i < count; ++i) {
    RETURN_IF_ERROR(Measure(*jit, paths[i], costs));
  }
  if (costs.instructions == 0) {
    return absl::InvalidArgumentError("Nothing is compiled.");
  }
  const auto instructions = static_cast<double>(costs.instructions);
  std::printf(
      "%llu functions of %llu instructions; for each instruction\n"
      "%.1f ns\n%.1f bytes\n",
      static_cast<unsigned long long>(costs.functions),
      static_cast<unsigned long long>(costs.instructions),
      absl::ToDoubleNanoseconds(costs.time) / kRounds / instructions,
      static_cast<double>(costs.code_bytes) / instructions);
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::vm

int main(int argc, char** argv) {
  const absl::Status status = eyrie::vm::Measure(argc - 1, argv + 1);
  if (status.ok()) return 0;
  std::fprintf(stderr, "compile_bench: %s\n", status.ToString().c_str());
  return 1;
}
