// Linking, calls, state, yields and errors of contexts.
#include "vm/run/context.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/native/native_module.h"
#include "vm/run/interpreter.h"
#include "vm/run/invocation.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Modules = std::vector<std::shared_ptr<const Module>>;

std::shared_ptr<const BytecodeModule> Create(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

// The log of native functions, and the context that they call back into.
struct Host : ModuleState {
  explicit Host(std::vector<std::string>* log) : log(log) {}
  std::vector<std::string>* log;
};

absl::Status Log(Host& host, int32_t number) {
  host.log->push_back(absl::StrCat(number));
  return absl::OkStatus();
}
absl::StatusOr<int32_t> Wait(Host& host, int32_t number) {
  if (host.log->empty()) return Pending();
  return number + static_cast<int32_t>(host.log->size());
}
constexpr NativeFunction kHostRows[] = {
    Bind<Log>("log", "0i_v"),
    Bind<Wait>("wait", "0i_i"),
};

std::shared_ptr<const NativeModule> CreateHost(std::vector<std::string>* log,
                                               uint32_t version = 2) {
  return *NativeModule::Create(
      "host", version, kHostRows,
      [log]() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
        return std::make_unique<Host>(log);
      });
}

std::string Show(const absl::StatusOr<std::vector<Value>>& values) {
  if (!values.ok()) return values.status().ToString();
  return absl::StrJoin(*values, " ", [](std::string* out, const Value& value) {
    absl::StrAppend(out, value.is_ref() ? 0 : value.i32());
  });
}

std::string CallByName(Context& context, const char* name,
                       std::vector<Value> args = {}) {
  absl::StatusOr<Function> function = context.Lookup(name);
  if (!function.ok()) return function.status().ToString();
  return Show(context.Call(*function, args));
}

// A module with a counter: add(n) adds n and returns the sum; __init sets it to
// 10.
ModuleBuilder CounterModule() {
  ModuleBuilder module;
  module.name = "counter";
  module.version = 4;
  module.AddFunction("__init", "0v_v",
                     "entry: const.i32 10 i0 global.store.i32 0 i0 return []");
  module.AddFunction("add", "0i_i",
                     "entry: global.load.i32 0 i1 add.i32 i0 i1 i2 "
                     "global.store.i32 0 i2 return [i2]");
  module.functions.back().attributes = {{"iree.abi.declaration", "add(n)"}};
  return module;
}

TEST(Context, LinkErrors) {
  std::vector<std::string> log;
  auto host = CreateHost(&log);
  auto counter = Create(CounterModule());
  ModuleBuilder user;
  user.name = "user";
  user.AddFunction("f", "0v_v", "entry: return []");
  ModuleBuilder other_host = user;
  other_host.name = "host";

  const struct {
    const char* what;
    std::vector<ModuleBuilder::Dependency> dependencies;
    std::vector<ModuleBuilder::Import> imports;
    Modules before;
    const char* want;
  } kCases[] = {
      {"a dependency is missing",
       {{"hal", 6, false}},
       {},
       {host},
       "NOT_FOUND: Module user requires module hal version 6, which is not "
       "loaded before it (loaded: host 2)."},
      {"nothing is loaded",
       {{"hal", 6, false}},
       {},
       {},
       "NOT_FOUND: Module user requires module hal version 6, which is not "
       "loaded before it (none is loaded)."},
      {"it may be missing", {{"hal", 6, true}}, {}, {}, "OK"},
      {"it is too old",
       {{"host", 3, false}},
       {},
       {host},
       "UNIMPLEMENTED: Module user requires module host version 3; the loaded "
       "one has version 2."},
      {"an import's module is missing",
       {},
       {{"hal.f", "0v_v", false}},
       {host, counter},
       "NOT_FOUND: Function hal.f is imported, but module hal is not loaded "
       "(loaded: host 2, counter 4). (an import of module user)"},
      {"a function is missing",
       {},
       {{"host.f", "0v_v", false}},
       {host},
       "NOT_FOUND: Module host version 2 has no function f. (an import of "
       "module user)"},
      {"both may be missing",
       {},
       {{"host.f", "0v_v", true}, {"hal.f", "0v_v", true}},
       {host},
       "OK"},
      {"an optional one of another signature is an error",
       {},
       {{"host.log", "0I_v", true}},
       {host},
       "UNIMPLEMENTED: Function host.log has no signature 0I_v; the nearest "
       "known is 0i_v. (an import of module user)"},
      {"conventions are compared, not spelled",
       {},
       {{"host.log", "0i_", false}, {"counter.add", "0i_i", false}},
       {host, counter},
       "OK"},
      {"a bytecode module's signature differs",
       {},
       {{"counter.add", "0ii_i", false}},
       {counter},
       "UNIMPLEMENTED: Function counter.add has no signature 0ii_i; the "
       "nearest known is 0i_i. (an import of module user)"},
      {"a bytecode module has no such export",
       {},
       {{"counter.sub", "0i_i", false}},
       {counter},
       "NOT_FOUND: Module counter exports no function sub. (an import of "
       "module user)"},
      {"of two modules of one name, the last provides all imports",
       {},
       {{"host.log", "0i_v", false}},
       {host, Create(other_host)},
       "NOT_FOUND: Module host exports no function log. (an import of module "
       "user)"},
      {"and must have the version",
       {{"host", 1, false}},
       {},
       {host, Create(other_host)},
       "UNIMPLEMENTED: Module user requires module host version 1; the loaded "
       "one has version 0."},
  };
  for (const auto& c : kCases) {
    ModuleBuilder builder = user;
    builder.dependencies = c.dependencies;
    builder.imports = c.imports;
    Modules modules = c.before;
    modules.push_back(Create(builder));
    auto context = Context::Create(modules);
    EXPECT_EQ(context.ok() ? "OK" : context.status().ToString(), c.want)
        << c.what;
  }
}

TEST(Context, GlobalsAreEachContextsOwn) {
  auto module = Create(CounterModule());
  auto one = *Context::Create({module});
  auto two = *Context::Create({module});
  EXPECT_EQ(CallByName(*one, "counter.add", {Value(int32_t{1})}), "11");
  EXPECT_EQ(CallByName(*one, "add", {Value(int32_t{1})}), "12");
  EXPECT_EQ(CallByName(*two, "add", {Value(int32_t{5})}), "15");
  EXPECT_EQ(CallByName(*one, "add", {Value(int32_t{0})}), "12");
}

TEST(Context, ModulesAreSharedByThreads) {
  auto module = Create(CounterModule());
  std::vector<std::thread> threads;
  std::vector<std::string> sums(4);
  for (std::string& sum : sums) {
    threads.emplace_back([&module, &sum] {
      auto context = *Context::Create({module});
      for (int i = 0; i < 1000; ++i) {
        sum = CallByName(*context, "add", {Value(int32_t{1})});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& sum : sums) EXPECT_EQ(sum, "1010");
}

TEST(Context, FunctionsTellWhatTheyAre) {
  auto module = Create(CounterModule());
  auto context = *Context::Create({module});
  std::vector<Function> functions = context->ExportsOf(*module);
  ASSERT_EQ(functions.size(), module->def().exports.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    EXPECT_EQ(functions[i].name(), module->def().exports[i].name);
  }
  EXPECT_EQ(functions[1].full_name(), "counter.add");
  EXPECT_EQ(functions[1].signature().ToString(), "0i_i");
  EXPECT_EQ(functions[1].attribute("iree.abi.declaration"), "add(n)");
  EXPECT_EQ(functions[1].attribute("other"), std::nullopt);
}

TEST(Context, CallErrors) {
  auto module = Create(CounterModule());
  auto context = *Context::Create({module});
  auto other = *Context::Create({module});
  EXPECT_EQ(CallByName(*context, "sub"),
            "NOT_FOUND: No loaded module exports a function sub (loaded: "
            "counter 4).");
  EXPECT_EQ(CallByName(*context, "counter.add"),
            "INVALID_ARGUMENT: Function counter.add (0i_i) has 1 argument; 0 "
            "were given.");
  EXPECT_EQ(CallByName(*context, "add", {Value(1.5f)}),
            "INVALID_ARGUMENT: Argument 0 of function counter.add (0i_i) is "
            "f32; i32 is required.");
  Function add = *context->Lookup("add");
  Slot slots[2];
  EXPECT_EQ(context->Invoke(add, {slots, 1}, {}).ToString(),
            "INVALID_ARGUMENT: Function counter.add (0i_i) has 1 result; 0 "
            "were given.");
  EXPECT_EQ(
      other->Invoke(add, {slots, 1}, {slots + 1, 1}).ToString(),
      "INVALID_ARGUMENT: Function counter.add belongs to another context.");
}

TEST(Context, InitAndDeinitRunInOrder) {
  std::vector<std::string> log;
  auto logger = [](const char* name, int base) {
    ModuleBuilder module;
    module.name = name;
    module.AddImport("host.log", "0i_v");
    module.AddFunction("__init", "0v_v",
                       absl::StrCat("entry: const.i32 ", base,
                                    " i0 call #0 [i0] [] return []"));
    module.AddFunction("__deinit", "0v_v",
                       absl::StrCat("entry: const.i32 ", base + 1,
                                    " i0 call #0 [i0] [] return []"));
    return Create(module);
  };
  {
    auto context =
        *Context::Create({CreateHost(&log), logger("a", 10), logger("b", 20)});
  }
  EXPECT_EQ(absl::StrJoin(log, " "), "10 20 21 11");
}

TEST(Context, AFailingInitFailsTheContext) {
  ModuleBuilder module;
  module.AddFunction("__init", "0v_v",
                     "entry: const.i32 8 i0 fail i0 \"broken.\"");
  EXPECT_EQ(
      Context::Create({Create(module)}).status().ToString(),
      "RESOURCE_EXHAUSTED: broken.\n  at test.__init+0x8 (test.mlir:1:1)");
}

TEST(Context, ErrorsHaveABacktrace) {
  ModuleBuilder module;
  module.AddFunction("outer", "0i_i", "entry: call 1 [i0] [i1] return [i1]");
  module.AddFunction("inner", "0i_i",
                     "entry: const.i32.zero i1 div.i32.s i0 i1 i2 return [i2]");
  auto context = *Context::Create({Create(module)});
  EXPECT_EQ(CallByName(*context, "outer", {Value(int32_t{1})}),
            "INVALID_ARGUMENT: An integer is divided by zero.\n  at "
            "test.inner+0x4 (test.mlir:2:1)\n  from test.outer+0x1 "
            "(test.mlir:1:1)");
  module.debug_database = false;
  module.functions[1].exported = false;
  context = *Context::Create({Create(module)});
  EXPECT_EQ(CallByName(*context, "outer", {Value(int32_t{1})}),
            "INVALID_ARGUMENT: An integer is divided by zero.\n  at "
            "test.@1+0x4\n  from test.outer+0x1");
}

TEST(Context, ModulesCallEachOther) {
  // Calls counter.add twice.
  ModuleBuilder user;
  user.name = "user";
  user.AddImport("counter.add", "0i_i");
  user.AddFunction("twice", "0i_i",
                   "entry: call #0 [i0] [i1] call 1 [i1] [i2] return [i2]");
  user.AddFunction("again", "0i_i", "entry: call #0 [i0] [i0] return [i0]");
  auto context = *Context::Create({Create(CounterModule()), Create(user)});
  EXPECT_EQ(CallByName(*context, "twice", {Value(int32_t{1})}), "22");
  EXPECT_EQ(CallByName(*context, "counter.add", {Value(int32_t{0})}), "22");
}

TEST(Context, DeepRecursionIsAnError) {
  ModuleBuilder module;
  module.AddFunction("down", "0ir_i",
                     "entry: const.i32 1 i1 add.i32 i0 i1 i0 "
                     "call 0 [i0 r0] [i2] return [i2]");
  ContextOptions options;
  options.limits.max_stack = 64 << 10;
  auto context = *Context::Create({Create(module)}, options);
  Ref<Buffer> buffer = *Buffer::CopyText("kept");
  const std::string error = CallByName(
      *context, "down", {Value(int32_t{0}), Value(Ref<RefObject>(buffer))});
  EXPECT_EQ(error.substr(0, 96),
            "RESOURCE_EXHAUSTED: The call exceeds the stack (65536 bytes).\n"
            "  at test.down+0xf (test.mlir:1:1)");
  EXPECT_EQ(error.substr(error.size() - 5), " deep");
  EXPECT_TRUE(buffer->IsUnique());  // every frame has dropped its ref
  // The call exceeds a limit, so the context fails.
  EXPECT_EQ(
      CallByName(*context, "down", {Value(int32_t{0}), Value(Ref<RefObject>())})
          .substr(0, 19),
      "FAILED_PRECONDITION");
}

// Calls back into its context from a native function.
struct Reentrant : ModuleState {
  std::unique_ptr<Context>* context;
};
absl::StatusOr<int32_t> CallBack(Reentrant& state, int32_t depth) {
  ASSIGN_OR_RETURN(Function function, (*state.context)->Lookup("down"));
  Slot slots[2];
  slots[0].i32 = depth - 1;
  RETURN_IF_ERROR(
      (*state.context)->Invoke(function, {slots, 1}, {slots + 1, 1}));
  return slots[1].i32 + 1;
}

TEST(Context, NativeFunctionsMayCallBack) {
  static constexpr NativeFunction kRows[] = {Bind<CallBack>("down", "0i_i")};
  std::unique_ptr<Context> context;
  auto native = *NativeModule::Create(
      "native", 0, kRows,
      [&]() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
        auto state = std::make_unique<Reentrant>();
        state->context = &context;
        return state;
      });
  ModuleBuilder module;
  module.AddImport("native.down", "0i_i");
  module.AddFunction("down", "0i_i",
                     "entry: cond_br i0 ^more [] ^end [] "
                     "more: call #0 [i0] [i1] return [i1] "
                     "end: return [i0]");
  context = *Context::Create({native, Create(module)});
  EXPECT_EQ(CallByName(*context, "down", {Value(int32_t{50})}), "50");
  const std::string error = CallByName(*context, "down", {Value(int32_t{-1})});
  EXPECT_EQ(error.substr(0, 108),
            "RESOURCE_EXHAUSTED: Calls from native functions back into the "
            "context exceed 100 levels.\n  at native native.");
}

TEST(Invocation, YieldsAndResumesInAnyOrder) {
  ModuleBuilder module;
  module.requirements = 0xF;
  module
      .AddFunction("count", "0ir_ir",
                   "entry: const.i32 1 i1 br ^loop [] "
                   "loop: cmp.lt.i32.s i2 i0 i3 "
                   "cond_br i3 ^more [] ^done [] "
                   "more: add.i32 i2 i1 i2 yield ^loop [] "
                   "done: return [i2 r0!]")
      .requirements = 0xF;
  auto context = *Context::Create({Create(module)});
  Function count = *context->Lookup("count");
  Ref<Buffer> buffer = *Buffer::CopyText("held");
  auto begin = [&](int32_t n) {
    const Value args[] = {Value(n), Value(Ref<RefObject>(buffer))};
    return *Invocation::Begin(*context, count, args);
  };
  auto none = begin(0), two = begin(2), three = begin(3), dropped = begin(9);
  EXPECT_EQ(none->state(), Invocation::State::kDone);
  EXPECT_EQ(two->state(), Invocation::State::kYielded);
  ASSERT_TRUE(three->Resume().ok());
  ASSERT_TRUE(two->Resume().ok());
  ASSERT_TRUE(two->Resume().ok());
  EXPECT_EQ(two->state(), Invocation::State::kDone);
  EXPECT_EQ(two->Resume().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Show(two->TakeResults()), "2 0");
  EXPECT_EQ(Show(two->TakeResults()), "");
  EXPECT_EQ(Show(three->Await()), "3 0");
  EXPECT_EQ(
      Show(context->Call(count, std::vector<Value>{Value(int32_t{4}),
                                                   Value(Ref<RefObject>())})),
      "4 0");
  none.reset(), dropped.reset();
  EXPECT_TRUE(buffer->IsUnique());
}

TEST(Invocation, WaitsForANativeFunction) {
  std::vector<std::string> log;
  ModuleBuilder module;
  module.requirements = 0xF;
  module.AddImport("host.wait", "0i_i");
  module
      .AddFunction("f", "0i_i",
                   "entry: call.yieldable #0 [i0] ^next [i1] "
                   "next: return [i1]")
      .requirements = 0xF;
  auto context = *Context::Create({CreateHost(&log), Create(module)});
  Function function = *context->Lookup("f");
  const Value args[] = {Value(int32_t{5})};
  auto call = *Invocation::Begin(*context, function, args);
  ASSERT_TRUE(call->Resume().ok());
  EXPECT_EQ(call->state(), Invocation::State::kYielded);
  log.push_back("ready");
  EXPECT_EQ(Show(call->Await()), "6");
}

TEST(Invocation, FailuresStay) {
  ModuleBuilder module;
  module.requirements = 0xF;
  module
      .AddFunction("f", "0i_v", "entry: yield ^next [] next: fail i0 \"late\"")
      .requirements = 0xF;
  auto context = *Context::Create({Create(module)});
  const Value args[] = {Value(int32_t{10})};
  auto call = *Invocation::Begin(*context, *context->Lookup("f"), args);
  const std::string want = "ABORTED: late\n  at test.f+0x9 (test.mlir:1:1)";
  EXPECT_EQ(call->Resume().ToString(), want);
  EXPECT_EQ(call->state(), Invocation::State::kFailed);
  EXPECT_EQ(Show(call->Await()), want);
  EXPECT_EQ(Invocation::Begin(*context, *context->Lookup("f"), {})
                .status()
                .ToString(),
            "INVALID_ARGUMENT: Function test.f (0i_v) has 1 argument; 0 were "
            "given.");
}

}  // namespace
}  // namespace eyrie::vm
