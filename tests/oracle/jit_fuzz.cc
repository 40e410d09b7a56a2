// Compiled code must behave as the interpreter does: same results and reachable
// objects, same errors and backtraces, at the same unit of fuel, under limits
// on memory and stack.
//
// The input is a module, whose functions are called, or up to eight bytes: the
// seed of a random program. tests/fuzz/BUILD says how to run it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/oracle/engine.h"
#include "tests/oracle/program.h"
#include "tests/oracle/test_module.h"
#include "vm/isa/value.h"
#include "vm/limits/limits.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::tests {
namespace {

using Modules = std::vector<std::shared_ptr<const vm::Module>>;
using vm::Value;
using vm::ValueType;

vm::ContextOptions Options(std::shared_ptr<const vm::Jit> jit, uint64_t fuel) {
  vm::ContextOptions options;
  options.limits.fuel = fuel;
  options.limits.max_memory = uint64_t{4} << 20;
  options.limits.max_stack = size_t{64} << 10;
  options.jit = std::move(jit);
  return options;
}

Value Argument(ValueType type, int32_t number) {
  switch (type) {
    case ValueType::kI32:
      return Value(number);
    case ValueType::kI64:
      return Value(int64_t{number});
    case ValueType::kF32:
      return Value(static_cast<float>(number) * 0.5f);
    case ValueType::kF64:
      return Value(static_cast<double>(number) * 0.5);
    case ValueType::kRef:
      break;
  }
  return Value(Ref<RefObject>());
}

// The bits of a NaN depend on the processor.
Value WithoutNanBits(const Value& value) {
  if (value.type() == ValueType::kF32) {
    float number;
    std::memcpy(&number, &value.slot(), sizeof(number));
    if (std::isnan(number)) return Value(std::nanf(""));
  } else if (value.type() == ValueType::kF64) {
    double number;
    std::memcpy(&number, &value.slot(), sizeof(number));
    if (std::isnan(number)) return Value(std::nan(""));
  }
  return value;
}

// Calls all functions in turn and returns their outcomes. `fuel` may end them
// early; callers pass several amounts.
std::string RunAll(const Modules& modules,
                   const std::shared_ptr<const vm::Jit>& jit, uint64_t fuel) {
  auto context = vm::Context::Create(modules, Options(jit, fuel));
  if (!context.ok()) return context.status().ToString();
  std::string text;
  std::vector<Value> last;
  for (const int32_t number : {3, 40}) {
    for (const vm::Function& function :
         (*context)->ExportsOf(*modules.back())) {
      std::vector<Value> arguments;
      for (ValueType type : function.signature().argument_types()) {
        arguments.push_back(Argument(type, number));
        for (const Value& value : last) {
          if (value.type() == type) arguments.back() = value;
        }
      }
      auto results = (*context)->Call(function, arguments);
      if (!results.ok()) {
        absl::StrAppend(&text, results.status().ToString(), "\n");
        continue;
      }
      last.clear();
      for (const Value& value : *results) last.push_back(WithoutNanBits(value));
      absl::StrAppend(&text, Describe(last), "\n");
    }
  }
  return text;
}

void Compare(const Modules& modules) {
  const auto jit = EagerJit();
  if (!jit.ok()) {
    std::fprintf(stderr, "%s\n", jit.status().ToString().c_str());
    std::abort();
  }
  for (const uint64_t fuel : {2000, 50, 7}) {
    const std::string want = RunAll(modules, nullptr, fuel);
    const std::string got = RunAll(modules, *jit, fuel);
    if (got == want) continue;
    std::fprintf(stderr, "With %d of fuel, interpreted:\n%s\ncompiled:\n%s\n",
                 static_cast<int>(fuel), want.c_str(), got.c_str());
    std::abort();
  }
}

}  // namespace
}  // namespace eyrie::tests

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> program;
  eyrie::tests::Modules modules = eyrie::tests::ImportedModules();
  std::span<const uint8_t> file(data, size);
  if (size <= sizeof(uint64_t)) {
    uint64_t seed = 0;
    std::memcpy(&seed, data, size);
    program = eyrie::tests::ToModule(eyrie::tests::CreateProgram(seed)).Build();
    file = program;
  }
  auto verified = eyrie::vm::LoadModule(file, "fuzz");
  if (!verified.ok()) return 0;
  auto module = eyrie::vm::BytecodeModule::Create(
      eyrie::vm::InterpreterHandlers(), *std::move(verified));
  if (!module.ok()) return 0;
  modules.push_back(*std::move(module));
  eyrie::tests::Compare(modules);
  return 0;
}
