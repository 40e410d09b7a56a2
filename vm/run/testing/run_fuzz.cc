// A verified module without imports runs to its end under limits, whatever it
// does: every function is called, some twice.
//
// The limits are fuel and memory only, never time, so that runs are
// reproducible. See tests/fuzz/BUILD for how to run it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/require.h"
#include "vm/isa/value.h"
#include "vm/limits/limits.h"
#include "vm/module/verifier.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace {

using eyrie::tests::RequireMessage;
using eyrie::vm::BytecodeModule;
using eyrie::vm::Context;
using eyrie::vm::ContextOptions;
using eyrie::vm::Function;
using eyrie::vm::LoadModule;
using eyrie::vm::Module;
using eyrie::vm::Value;
using eyrie::vm::ValueType;

ContextOptions Options() {
  ContextOptions options;
  options.limits.fuel = 2000;
  options.limits.max_memory = uint64_t{4} << 20;
  options.limits.max_stack = size_t{64} << 10;
  return options;
}

Value Argument(ValueType type) {
  switch (type) {
    case ValueType::kI32:
      return Value(int32_t{3});
    case ValueType::kI64:
      return Value(int64_t{3});
    case ValueType::kF32:
      return Value(1.5f);
    case ValueType::kF64:
      return Value(2.5);
    case ValueType::kRef:
      break;
  }
  return Value(eyrie::Ref<eyrie::RefObject>());
}

void CallAll(Context& context, const Module& module) {
  std::vector<Value> last;
  for (const Function& function : context.ExportsOf(module)) {
    std::vector<Value> arguments;
    for (ValueType type : function.signature().argument_types()) {
      arguments.push_back(Argument(type));
      // Passes the results of one function as arguments to the next.
      for (const Value& value : last) {
        if (value.type() == type) arguments.back() = value;
      }
    }
    auto results = context.Call(function, arguments);
    RequireMessage(results.status());
    if (results.ok()) last = *std::move(results);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto verified = LoadModule(std::span(data, size), "fuzz");
  RequireMessage(verified.status());
  if (!verified.ok() || !(*verified)->def().imports.empty()) return 0;
  auto module = BytecodeModule::Create(eyrie::vm::InterpreterHandlers(),
                                       *std::move(verified));
  RequireMessage(module.status());
  if (!module.ok()) return 0;
  auto context = Context::Create({*module}, Options());
  RequireMessage(context.status());
  if (!context.ok()) return 0;
  CallAll(**context, **module);
  CallAll(**context, **module);
  return 0;
}
