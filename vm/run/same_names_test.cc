// Contexts with several modules of one name.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Modules = std::vector<std::shared_ptr<const Module>>;

std::shared_ptr<const BytecodeModule> CreateFrom(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

// A module with a counter: add(n) adds n and returns the sum; __init sets it to
// `start`.
std::shared_ptr<const BytecodeModule> CounterFrom(int start) {
  ModuleBuilder module;
  module.name = "counter";
  module.AddFunction("__init", "0v_v",
                     absl::StrCat("entry: const.i32 ", start,
                                  " i0 global.store.i32 0 i0 return []"));
  module.AddFunction("add", "0i_i",
                     "entry: global.load.i32 0 i1 add.i32 i0 i1 i2 "
                     "global.store.i32 0 i2 return [i2]");
  return CreateFrom(module);
}

// A module that forwards to counter.add.
std::shared_ptr<const BytecodeModule> Adder(const char* name,
                                            const char* function) {
  ModuleBuilder module;
  module.name = name;
  module.imports = {{"counter.add", "0i_i", false}};
  module.AddFunction(function, "0i_i", "entry: call #0 [i0] [i1] return [i1]");
  return CreateFrom(module);
}

// Returns the result of a call with 1.
std::string CallWithOne(Context& context,
                        const absl::StatusOr<Function>& function) {
  if (!function.ok()) return function.status().ToString();
  const auto results = context.Call(*function, {{Value(int32_t{1})}});
  if (!results.ok()) return results.status().ToString();
  return absl::StrCat((*results)[0].i32());
}

// Each module keeps its own globals, and its imports are those of the last
// module of the name before it.
TEST(SameNames, EachModuleHasItsOwnGlobals) {
  const auto counter = CounterFrom(10);
  const auto hundred = CounterFrom(100);
  const auto first = Adder("first", "one");
  const auto second = Adder("second", "two");
  const auto same = Adder("counter", "beyond");
  const struct {
    const char* what;
    Modules modules;
    std::vector<const char*> calls;  // each adds 1
    std::vector<const char*> want;
  } kCases[] = {
      {"the last is called",
       {counter, hundred},
       {"add", "counter.add"},
       {"101", "102"}},
      {"one object twice", {counter, counter}, {"add", "add"}, {"11", "12"}},
      {"imports of the last before",
       {counter, first, hundred, second},
       {"one", "two", "one", "add"},
       {"11", "101", "12", "102"}},
      {"one object twice, with imports of each",
       {counter, first, counter, second},
       {"one", "two", "one", "add"},
       {"11", "11", "12", "12"}},
      {"imports of a module of the own name",
       {counter, same},
       {"beyond", "counter.beyond", "counter.add"},
       {"11", "12", "13"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    auto context = Context::Create(c.modules);
    ASSERT_EQ(context.status().ToString(), "OK");
    for (size_t i = 0; i < c.calls.size(); ++i) {
      EXPECT_EQ(CallWithOne(**context, (*context)->Lookup(c.calls[i])),
                c.want[i])
          << i;
    }
  }
}

TEST(SameNames, FunctionsOfOneModule) {
  const auto counter = CounterFrom(10);
  const auto same = Adder("counter", "beyond");
  const auto context = *Context::Create({counter, same, counter});
  const auto call = [&](const absl::StatusOr<Function>& function) {
    return CallWithOne(*context, function);
  };
  EXPECT_EQ(call(context->ExportsOf(*counter)[1]), "11");
  EXPECT_EQ(call(context->ExportsOf(*same)[0]), "11") << "of the first";
  const Function add = *context->Lookup("add");
  const Function beyond = *context->Lookup("beyond");
  EXPECT_EQ(call(context->LookupBeside(add, "add")), "12");
  EXPECT_EQ(call(context->LookupBeside(beyond, "beyond")), "12");
  EXPECT_EQ(call(context->LookupBeside(beyond, "add")),
            "NOT_FOUND: Module counter exports no function add.");
}

}  // namespace
}  // namespace eyrie::vm
