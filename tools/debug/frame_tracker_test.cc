// Tracks the types of registers in programs in assembly, step by step.
#include "tools/debug/frame_tracker.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/asm/assembler.h"
#include "vm/isa/value.h"
#include "vm/limits/stepper.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::tools {
namespace {

// Records the types before each instruction: "iI^." is an i32, the pair of an
// i64, and a register that was never written.
class Recorder final : public vm::Stepper {
 public:
  absl::Status BeforeInstruction(vm::Frame& frame, uint32_t offset) override {
    tracker_.Before(frame, offset);
    std::string text;
    for (const RegisterKind kind : tracker_.KindsOf(frame)) {
      text.push_back(".iIfF^"[static_cast<int>(kind)]);
    }
    seen.push_back(text);
    return absl::OkStatus();
  }

  std::vector<std::string> seen;

 private:
  FrameTracker tracker_;
};

// Returns the types recorded in one or more calls of @f with zeros.
std::string Seen(const std::string& text, int calls = 1) {
  const auto bytes = vm::Assemble(text, "test.vmasm");
  if (!bytes.ok()) return std::string(bytes.status().message());
  auto verified = vm::LoadModule(*bytes, "test");
  if (!verified.ok()) return std::string(verified.status().message());
  auto module = vm::BytecodeModule::Create(vm::InterpreterHandlers(),
                                           *std::move(verified), vm::RefTypes(),
                                           /*pauses=*/true);
  Recorder recorder;
  vm::ContextOptions options;
  options.stepper = &recorder;
  auto context = vm::Context::Create({*std::move(module)}, options);
  if (!context.ok()) return std::string(context.status().message());
  const auto function = (*context)->Lookup("f");
  if (!function.ok()) return std::string(function.status().message());
  for (int i = 0; i < calls; ++i) {
    std::vector<vm::Value> args;
    for (const vm::ValueType type : function->signature().argument_types()) {
      args.push_back(vm::Value::Adopt(type, vm::Slot()));
    }
    const auto results = (*context)->Call(*function, args);
    if (!results.ok()) return std::string(results.status().message());
  }
  std::string all;
  for (const std::string& each : recorder.seen) {
    absl::StrAppend(&all, all.empty() ? "" : " ", each);
  }
  return all;
}

TEST(FrameTracker, FollowsTypes) {
  const struct {
    const char* code;
    const char* want;
  } kCases[] = {
      {"vm.func @f(%i0: i32, %i1: i32) -> () {\n^bb0:\n  vm.return\n}\n", "ii"},
      {"vm.func @f(%i0: i32, %i2:3: i64, %i4: f32) -> () {\n^bb0:\n"
       "  vm.return\n}\n",
       "i.I^f"},
      {"vm.func @f(%i0: i32) -> () {\n^bb0:\n  %i2:3 = vm.const.i64 1\n"
       "  %i1 = vm.const.f32.zero\n  %i3 = vm.const.i32 1\n  vm.return\n}\n",
       "i... i.I^ ifI^ ifii"},
      // Moves of a branch happen at the same time.
      {"vm.func @f(%i0: i32) -> () {\n^bb0:\n  %i1 = vm.const.f32.zero\n"
       "  vm.br ^bb1(%i0->%i1, %i1->%i0)\n^bb1:\n  vm.return\n}\n",
       "i. if fi"},
      {"vm.func @f() -> () {\n^bb0:\n  %i0:1 = vm.const.i64 1\n"
       "  vm.br ^bb1(%i0->%i2, %i1->%i3)\n^bb1:\n  vm.return\n}\n",
       ".... I^.. I^I^"},
      // Results of a call have their types after it, not during it.
      {"vm.func @f() -> () {\n^bb0:\n  %i0:1 = vm.call @g()\n"
       "  vm.return\n}\nvm.func @g() -> (i64) {\n^bb0:\n"
       "  %i0:1 = vm.const.i64 1\n  vm.return %i0\n}\n",
       ".. .. I^ I^"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Seen(absl::StrCat("vm.module @t\nvm.export @f\n", c.code)),
              c.want)
        << c.code;
  }
}

// A second call uses the same memory for its frame. Its types start unknown.
TEST(FrameTracker, BeginsAnew) {
  EXPECT_EQ(Seen("vm.module @t\nvm.export @f\nvm.func @f() -> () {\n^bb0:\n"
                 "  %i0 = vm.const.i32 1\n  vm.return\n}\n",
                 2),
            ". i . i");
}

}  // namespace
}  // namespace eyrie::tools
