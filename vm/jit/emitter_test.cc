// Instructions that the emitter does not know. Their function must be refused,
// so that the interpreter runs it; they must not become another instruction.
#include "vm/jit/emitter.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "asmjit/core.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/jit/errors.h"
#include "vm/module/verifier.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm::jit {
namespace {

// Reports whether the emitter accepts the function after `change`.
bool IsAccepted(const std::function<void(Instruction&)>& change) {
  tests::ModuleBuilder builder;
  builder.AddFunction("f", "0ii_i",
                      "entry: add.i32 i0 i1 i2 cmp.lt.i32.s i0 i2 i3 "
                      "cond_br i3 ^a [] ^b [] a: return [i0] b: return [i2]");
  auto verified = LoadModule(builder.Build(), "emitter");
  EXPECT_TRUE(verified.ok()) << verified.status();
  const auto module =
      *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
  module->LowerFunction(0, /*traced=*/false);
  Body body;
  Looks looks([] { return false; });
  body.program = ReadProgram(*module, 0, looks);
  for (Instruction& i : body.program.instructions) change(i);
  EXPECT_TRUE(FindWebs(body.program, body.webs, looks));
  body.homes = FindHomes(body.program, body.webs, looks);
  asmjit::CodeHolder code;
  Errors errors;
  EXPECT_EQ(code.init(asmjit::Environment::host()), asmjit::kErrorOk);
  code.setErrorHandler(&errors);
  Emitter(std::move(body), {}, {}, code, looks).Run();
  return !errors.any();
}

TEST(Emitter, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(IsAccepted([](Instruction&) {}));
  // A branch on an instruction that is not a comparison.
  EXPECT_FALSE(IsAccepted([](Instruction& i) {
    if (i.form == Form::kBranch) {
      i.row = static_cast<uint16_t>(RowOf(InfoOf(Op::kAddI32)));
    }
  }));
  // A row that lowered.def does not have.
  EXPECT_FALSE(IsAccepted([](Instruction& i) {
    if (IsReturn(i)) i.row = 0xFFFF;
  }));
}

}  // namespace
}  // namespace eyrie::vm::jit
