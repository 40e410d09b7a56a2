// Loads modules, creates contexts and calls functions without free memory.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/module_builder.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::FailEach;
using tests::ModuleBuilder;

// A module whose lists each exceed kSmallBytes.
ModuleBuilder ManyOfEach() {
  ModuleBuilder module;
  module.debug_database = false;
  for (int i = 0; i < 5000; ++i) {
    module.types.push_back("!some.type");
    module.attributes.push_back({"key", "value"});
    module.dependencies.push_back({absl::StrCat("other", i), 0, true});
    module.AddImport(absl::StrCat("other.import", i), "0iiii_i", true);
    module.AddRodata({1, 2, 3, 4}, i % 2 == 0);
    module.AddFunction(absl::StrCat("f", i), "0ii_i", "entry: return [i0]");
  }
  module.global_bytes = 1 << 20;
  module.global_refs = 1 << 16;
  return module;
}

// A function of thousands of consecutive loops that end at once.
std::vector<uint8_t> LongFunction() {
  constexpr int kLoops = 2500;
  std::string code = "entry: const.i32 0 i1 br ^head0 [i1>i2] ";
  for (int i = 0; i < kLoops; ++i) {
    absl::StrAppend(&code, "head", i, ": cmp.nz.i32 i2 i3 cond_br i3 ^body", i,
                    " [] ^head", i + 1, " [i1>i4] body", i,
                    ": sub.i32 i2 i1 i5 br ^head", i, " [i5>i2] ");
  }
  absl::StrAppend(&code, "head", kLoops, ": return [i0]");
  ModuleBuilder module;
  module.AddFunction("f", "0i_i", code);
  return module.Build();
}

absl::StatusOr<std::unique_ptr<Context>> NewContext(
    std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(auto verified, LoadModule(file, "m.vmfb"));
  ASSIGN_OR_RETURN(auto module, BytecodeModule::Create(InterpreterHandlers(),
                                                       std::move(verified)));
  return Context::Create({std::move(module)});
}

TEST(NoMemory, Loads) {
  const std::vector<uint8_t> plain = ManyOfEach().Build();
  const std::vector<uint8_t> zip = ManyOfEach().BuildZip();
  FailEach({
      {"many of each", [&] { return NewContext(plain).status(); }, 15},
      {"many of each in a ZIP", [&] { return NewContext(zip).status(); }, 15},
  });
}

// The first call lowers the function.
absl::Status CallFirst(std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Context> context, NewContext(file));
  ASSIGN_OR_RETURN(const Function function, context->Lookup("f"));
  Slot slots[2] = {};
  slots[0].i32 = 7;
  RETURN_IF_ERROR(context->Invoke(function, {slots, 1}, {slots + 1, 1}));
  EXPECT_EQ(slots[1].i32, 7);
  return absl::OkStatus();
}

TEST(NoMemory, FirstCalls) {
  const std::vector<uint8_t> file = LongFunction();
  FailEach({{"a long function", [&] { return CallFirst(file); }, 10}});
}

// The same function of the same context succeeds once there is memory.
TEST(NoMemory, TheContextGoesOn) {
  const std::vector<uint8_t> file = LongFunction();
  const auto context = NewContext(file);
  ASSERT_TRUE(context.ok()) << context.status();
  const auto function = (*context)->Lookup("f");
  Slot slots[2] = {};
  for (const bool has_memory : {false, true}) {
    std::unique_ptr<tests::FailingAllocations> failing;
    if (!has_memory) {
      failing = std::make_unique<tests::FailingAllocations>(kSmallBytes, 1,
                                                            /*onwards=*/true);
    }
    const absl::Status status =
        (*context)->Invoke(*function, {slots, 1}, {slots + 1, 1});
    EXPECT_EQ(status.ok(), has_memory) << status;
    EXPECT_EQ(absl::IsResourceExhausted(status), !has_memory) << status;
  }
}

}  // namespace
}  // namespace eyrie::vm
