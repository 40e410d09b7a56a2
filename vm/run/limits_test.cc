// Limits of fuel, time, memory and stack; cancellation; the state of a context
// after it exceeded a limit, and that nothing leaks.
#include "vm/limits/limits.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/jit/jit.h"
#include "vm/module/backtrace.h"
#include "vm/native/native_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"
#include "vm/run/invocation.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Modules = std::vector<std::shared_ptr<const Module>>;

// Functions that use many resources.
ModuleBuilder Hungry() {
  ModuleBuilder module;
  module.name = "hungry";
  module.requirements = 0xF;
  module.AddImport("host.sleep", "0i_v");
  module.AddImport("host.cancel", "0v_v");
  module.AddImport("host.again", "0i_i");
  module.AddImport("host.queue", "0i_v");
  module.types.push_back("!vm.opaque");
  // Counts to its argument; each step takes a backward branch.
  module.AddFunction("count", "0i_i",
                     "entry: const.i32.zero i1 const.i32 1 i2 br ^loop [] "
                     "loop: add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i3 "
                     "cond_br i3 ^loop [] ^done [] done: return [i1]");
  // The same; each step takes a call.
  module.AddFunction("calls", "0i_i",
                     "entry: const.i32.zero i1 const.i32 1 i2 br ^loop [] "
                     "loop: call 2 [i1] [i1] cmp.lt.i32.s i1 i0 i3 "
                     "cond_br i3 ^loop [] ^done [] done: return [i1]");
  module.AddFunction("next", "0i_i",
                     "entry: const.i32 1 i1 add.i32 i0 i1 i0 return [i0]");
  module.AddFunction("for_ever", "0v_v", "entry: br ^entry []");
  module.AddFunction("yields", "0v_v", "entry: yield ^entry []").requirements =
      0xF;
  module.AddFunction("deep", "0i_i", "entry: call 5 [i0] [i0] return [i0]");
  module.AddFunction("sleep", "0i_v", "entry: call #0 [i0] [] return []");
  module.AddFunction("cancelled", "0v_v",
                     "entry: call #1 [] [] br ^loop [] loop: br ^loop []");
  // Appends new buffers to a list until memory is exhausted.
  module.AddFunction(
      "hoard", "0I_v",
      "entry: const.i32.zero i2 const.i32 1 i3 list.alloc 2 i2 r0 br ^loop [] "
      "loop: add.i32 i2 i3 i4 list.resize r0 i4 "
      "buffer.alloc i0 i6 r1 list.set.ref r0 i2 r1! "
      "add.i32 i2 i3 i2 br ^loop []");
  module.AddFunction("reserve", "0i_v",
                     "entry: const.i32.zero i1 list.alloc 3 i1 r0 "
                     "list.reserve r0 i0 return []");
  module.AddFunction("again", "0i_i", "entry: call #2 [i0] [i0] return [i0]");
  // Bulk instructions without a branch: a new buffer is hashed, filled, copied,
  // compared and cloned.
  module.AddFunction(
      "bulk", "0I_v",
      "entry: const.i64.zero i2 const.i32.zero i6 buffer.alloc i0 i6 r0 "
      "buffer.hash r0 i2 i0 i4 buffer.fill.i8 r0 i2 i0 i6 "
      "buffer.copy r0 i2 r0 i2 i0 buffer.compare r0 i2 r0 i2 i0 i7 "
      "buffer.clone r0 i2 i0 i6 r1 return []");
  // Lists of numbers, of references and of variants; each grows and shrinks.
  for (const int type : {1, 2, 4}) {
    module.AddFunction(
        absl::StrCat("resize_", type), "0i_v",
        absl::StrCat("entry: const.i32.zero i1 list.alloc ", type,
                     " i1 r0 list.resize r0 i0 list.resize r0 i1 return []"));
  }
  module.AddFunction("capacity", "0i_v", "entry: list.alloc 1 i0 r0 return []");
  module.AddFunction("align", "0i_v",
                     "entry: const.i64.zero i2 buffer.alloc i2 i0 r0 return "
                     "[]");
  module.AddFunction("quiet", "0v_v", "entry: return []");
  module.AddFunction("queue", "0i_v", "entry: call #3 [i0] [] return []");
  return module;
}

struct Host : ModuleState {
  explicit Host(std::unique_ptr<Context>* context) : context(context) {}
  std::unique_ptr<Context>* context;
};
absl::Status Sleep(Host&, int32_t ms) {
  absl::SleepFor(absl::Milliseconds(ms));
  return absl::OkStatus();
}
absl::Status Cancel(Host& host) {
  (*host.context)->Cancel();
  return absl::OkStatus();
}
// Calls `count` of the calling module.
absl::StatusOr<int32_t> Again(Host& host, int32_t number) {
  ASSIGN_OR_RETURN(Function count, (*host.context)->Lookup("hungry.count"));
  Slot slots[2];
  slots[0].i32 = number;
  RETURN_IF_ERROR((*host.context)->Invoke(count, {slots, 1}, {slots + 1, 1}));
  return slots[1].i32;
}
// Simulates a device's work for the call. Its error would fail a fence, which
// has no waiters here.
absl::Status Queue(Host& host, int32_t units) {
  (*host.context)->meter().work()->Pay(units).IgnoreError();
  return absl::OkStatus();
}
constexpr NativeFunction kHostRows[] = {
    Bind<Sleep>("sleep", "0i_v"),
    Bind<Cancel>("cancel", "0v_v"),
    Bind<Again>("again", "0i_i"),
    Bind<Queue>("queue", "0i_v"),
};

std::shared_ptr<const BytecodeModule> Create(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

// Runs in the interpreter or, if the parameter is true, as compiled code.
class LimitsTest : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Context> NewContext(const Limits& limits) {
    ContextOptions options;
    options.limits = limits;
    if (GetParam() != 0) options.jit = *jit::Create(jit::Mode::kEager);
    auto host = *NativeModule::Create(
        "host", 0, kHostRows,
        [this]() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
          return std::make_unique<Host>(&context_);
        });
    return *Context::Create({host, module_}, options);
  }

  // Calls a function in a context with these limits. Returns "OK" or the error
  // message.
  std::string Call(const char* name, int64_t argument) {
    const Function function = *context_->Lookup(name);
    std::vector<Value> args;
    for (ValueType type : function.signature().argument_types()) {
      args.push_back(type == ValueType::kI64
                         ? Value(argument)
                         : Value(static_cast<int32_t>(argument)));
    }
    const auto results = context_->Call(function, args);
    if (results.ok()) return "OK";
    return absl::StrCat(absl::StatusCodeToString(results.status().code()), ": ",
                        WithoutBacktrace(results.status().message()));
  }

  const std::shared_ptr<const BytecodeModule> module_ = Create(Hungry());
  std::unique_ptr<Context> context_;
};

INSTANTIATE_TEST_SUITE_P(Engines, LimitsTest,
                         ::testing::Range(0, jit::HasCompiler() ? 2 : 1));

Limits Fuel(uint64_t fuel) {
  Limits limits;
  limits.fuel = fuel;
  return limits;
}
Limits Timeout(absl::Duration timeout) {
  Limits limits;
  limits.timeout = timeout;
  return limits;
}
Limits Memory(uint64_t bytes) {
  Limits limits;
  limits.max_memory = bytes;
  return limits;
}
Limits StackBytes(size_t bytes) {
  Limits limits;
  limits.max_stack = bytes;
  return limits;
}

TEST_P(LimitsTest, Calls) {
  const absl::Duration kShort = absl::Milliseconds(30);
  const struct {
    const char* what;
    Limits limits;
    const char* function;
    int64_t argument;
    const char* want;
  } kCases[] = {
      {"no limit", Limits(), "count", 100000, "OK"},
      // One for the call, and 99 for backward branches.
      {"enough fuel", Fuel(100), "count", 100, "OK"},
      {"a branch too many", Fuel(99), "count", 100,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (99 backward "
       "branches and calls)."},
      {"calls count too", Fuel(200), "calls", 100, "OK"},
      {"a call too many", Fuel(198), "calls", 100,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (198 backward "
       "branches and calls)."},
      {"no fuel at all", Fuel(0), "quiet", 0,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (0 backward "
       "branches and calls)."},
      // Six times 100 KiB, and the call itself.
      {"bulk instructions", Fuel(601), "bulk", 102400, "OK"},
      {"a byte's worth is free", Fuel(1), "bulk", 1023, "OK"},
      {"bulk instructions count", Fuel(600), "bulk", 102400,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (600 backward "
       "branches and calls)."},
      // 1 MiB of elements that are allocated and cleared.
      {"a list's elements", Fuel(2049), "resize_1", 131072, "OK"},
      {"those of a list count", Fuel(2048), "resize_1", 131072,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (2048 backward "
       "branches and calls)."},
      {"a list's references", Fuel(2049), "resize_2", 131072, "OK"},
      {"those of a list count", Fuel(2048), "resize_2", 131072,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (2048 backward "
       "branches and calls)."},
      {"elements of any type", Fuel(4097), "resize_4", 131072, "OK"},
      {"those of a list count", Fuel(4096), "resize_4", 131072,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (4096 backward "
       "branches and calls)."},
      {"a few elements are free", Fuel(1), "resize_4", 63, "OK"},
      {"the largest list", Fuel(1000), "resize_1", 268435456,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1000 backward "
       "branches and calls)."},
      {"a capacity", Fuel(1025), "capacity", 131072, "OK"},
      {"a capacity counts", Fuel(1024), "capacity", 131072,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1024 backward "
       "branches and calls)."},
      {"a list's reserve", Fuel(1025), "reserve", 131072, "OK"},
      {"a list's reserve counts", Fuel(1024), "reserve", 131072,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1024 backward "
       "branches and calls)."},
      {"an alignment", Fuel(1025), "align", 1 << 20, "OK"},
      {"an alignment counts", Fuel(1024), "align", 1 << 20,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1024 backward "
       "branches and calls)."},
      {"a loop without end", Fuel(1000000), "for_ever", 0,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1000000 backward "
       "branches and calls)."},
      {"yields without end", Fuel(1000), "yields", 0,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (1000 backward "
       "branches and calls)."},
      // The outer call, its import, the inner call and its branches.
      {"nested calls share the fuel", Fuel(102), "again", 100, "OK"},
      {"and its end", Fuel(101), "again", 100,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (101 backward "
       "branches and calls)."},
      {"time enough", Timeout(absl::Hours(1)), "count", 1000, "OK"},
      {"a loop without end", Timeout(kShort), "for_ever", 0,
       "DEADLINE_EXCEEDED: The call exceeds its time limit (30ms)."},
      {"yields without end", Timeout(kShort), "yields", 0,
       "DEADLINE_EXCEEDED: The call exceeds its time limit (30ms)."},
      {"a native function that is too slow", Timeout(kShort), "sleep", 60,
       "DEADLINE_EXCEEDED: The call exceeds its time limit (30ms). (noticed "
       "when it returned)"},
      {"no time at all", Timeout(absl::ZeroDuration()), "quiet", 0,
       "DEADLINE_EXCEEDED: The call exceeds its time limit (0)."},
      {"cancelled", Limits(), "cancelled", 0,
       "CANCELLED: The call is cancelled."},
      {"enough stack", StackBytes(4096), "next", 0, "OK"},
      {"recursion", StackBytes(4096), "deep", 0,
       "RESOURCE_EXHAUSTED: The call exceeds the stack (4096 bytes)."},
      {"an absurd list, unlimited", Limits(), "reserve", -1,
       "RESOURCE_EXHAUSTED: A list of -1 elements exceeds the limit "
       "(268435456) or the available memory."},
      {"an absurd buffer, unlimited", Limits(), "hoard", int64_t{1} << 60,
       "RESOURCE_EXHAUSTED: A buffer of 1152921504606846976 bytes cannot be "
       "allocated."},
      {"a list within the limit", Memory(1 << 20), "reserve", 1000, "OK"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    context_ = NewContext(c.limits);
    EXPECT_EQ(Call(c.function, c.argument), c.want);
    const bool over =
        absl::string_view(c.want) != "OK" &&
        c.limits.max_memory == Limits::kUnlimited &&
        absl::string_view(c.what).find("absurd") == absl::string_view::npos;
    EXPECT_EQ(context_->failure().ok(), !over);
    context_ = nullptr;
  }
}

// Calls that exceed the memory limit, and that all memory is released.
TEST_P(LimitsTest, MemoryComesBack) {
  const struct {
    const char* function;
    int64_t argument;
    const char* want;  // result
  } kCases[] = {
      {"reserve", 1000000,
       " bytes for a list's elements exceed the context's memory limit "
       "(1000000 bytes, of which "},
      {"reserve", -1,
       "A list of -1 elements exceeds the limit (268435456) or the available "
       "memory."},
      {"hoard", 10000, " bytes for a buffer exceed the context's memory limit"},
      {"hoard", 0, " bytes for "},
      {"hoard", int64_t{1} << 37,
       " bytes for a buffer exceed the context's memory limit"},
      {"hoard", int64_t{1} << 62,
       "A buffer of 4611686018427387904 bytes cannot be allocated."},
      {"hoard", -1, "A buffer of -1 bytes cannot be allocated."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.function, " ", c.argument));
    context_ = NewContext(Memory(1000000));
    const auto memory = context_->memory();
    const uint64_t before = memory->in_use();
    const std::string got = Call(c.function, c.argument);
    EXPECT_EQ(got.substr(0, 20), "RESOURCE_EXHAUSTED: ");
    EXPECT_NE(got.find(c.want), std::string::npos) << got;
    EXPECT_EQ(memory->in_use(), before);
    // A refusal, unlike a size that no machine has, fails the context.
    const bool refused = got.find("memory limit") != std::string::npos;
    EXPECT_EQ(Call("quiet", 0).substr(0, 21),
              refused ? "FAILED_PRECONDITION: " : "OK");
    context_ = nullptr;
    EXPECT_EQ(memory->in_use(), 0u);
  }
}

TEST_P(LimitsTest, GlobalsCount) {
  ModuleBuilder builder = Hungry();
  builder.imports.clear();
  builder.functions.clear();
  builder.AddFunction("f", "0v_v", "entry: return []");
  builder.global_bytes = 5000;
  ContextOptions options;
  options.limits.max_memory = 4999;
  EXPECT_EQ(Context::Create({Create(builder)}, options).status().code(),
            absl::StatusCode::kResourceExhausted);
  options.limits.max_memory = 6000;
  EXPECT_TRUE(Context::Create({Create(builder)}, options).ok());
}

TEST_P(LimitsTest, OnlyTheContextFails) {
  context_ = NewContext(Fuel(1000));
  const std::unique_ptr<Context> other = NewContext(Fuel(1000));
  EXPECT_EQ(Call("quiet", 0), "OK");
  const std::string first = Call("for_ever", 0);
  EXPECT_EQ(first.substr(0, 19), "RESOURCE_EXHAUSTED:");
  const std::string want = absl::StrCat(
      "FAILED_PRECONDITION: The context can no longer be called, because a "
      "call failed with ",
      first);
  EXPECT_EQ(Call("quiet", 0), want);
  EXPECT_EQ(Call("for_ever", 0), want);
  EXPECT_EQ(Invocation::Begin(*context_, *context_->Lookup("quiet"), {})
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(other->Call(*other->Lookup("quiet"), {}).ok());
}

TEST_P(LimitsTest, EachCallHasItsOwnFuelAndTime) {
  Limits limits = Fuel(1000);
  limits.timeout = absl::Seconds(20);
  context_ = NewContext(limits);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Call("count", 500), "OK");
}

TEST_P(LimitsTest, OtherFailuresAreTheCallsAlone) {
  context_ = NewContext(Fuel(1000));
  const Function count = *context_->Lookup("count");
  EXPECT_EQ(context_->Call(count, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Call("quiet", 0), "OK");
}

TEST_P(LimitsTest, CancelsFromAnotherThread) {
  context_ = NewContext(Limits());
  std::thread canceller([this] {
    absl::SleepFor(absl::Milliseconds(20));
    context_->Cancel();
  });
  EXPECT_EQ(Call("for_ever", 0), "CANCELLED: The call is cancelled.");
  canceller.join();
  // Before a call: the next call fails.
  context_ = NewContext(Limits());
  context_->Cancel();
  EXPECT_EQ(Call("quiet", 0), "CANCELLED: The call is cancelled.");
}

// Devices may use as much fuel again for a call. If that is exceeded during the
// call, the call fails; if later, the next calls fail.
TEST_P(LimitsTest, HoldForTheWorkOfDevices) {
  constexpr char kSpent[] =
      "RESOURCE_EXHAUSTED: The device's work for the call takes more than 10 "
      "units of fuel, its limit.";
  const std::string failed = absl::StrCat(
      "FAILED_PRECONDITION: The context can no longer be called, because a "
      "call failed with ",
      kSpent);
  context_ = NewContext(Fuel(10));
  EXPECT_EQ(Call("queue", 10), "OK");
  EXPECT_EQ(Call("queue", 10), "OK");
  EXPECT_EQ(Call("queue", 11), kSpent);
  EXPECT_EQ(Call("quiet", 0), failed);

  context_ = NewContext(Fuel(10));
  EXPECT_EQ(Call("quiet", 0), "OK");
  EXPECT_FALSE(context_->meter().work()->Pay(11).ok());
  EXPECT_EQ(Call("quiet", 0), failed);
}

// Fuel is counted over all pieces of a suspended call, separately for each
// call.
TEST_P(LimitsTest, HoldAcrossSuspensions) {
  context_ = NewContext(Fuel(10));
  const Function yields = *context_->Lookup("yields");
  auto one = *Invocation::Begin(*context_, yields, {});
  auto two = *Invocation::Begin(*context_, yields, {});
  int resumed = 0;
  while (one->Resume().ok()) {
    ++resumed;
    ASSERT_LT(resumed, 100);
    if (resumed < 3) {
      EXPECT_TRUE(two->Resume().ok());
    }
  }
  EXPECT_GE(resumed, 4);
  EXPECT_EQ(one->state(), Invocation::State::kFailed);
  EXPECT_EQ(one->Resume().code(), absl::StatusCode::kResourceExhausted);
  // The other call has fuel left, but its context has failed.
  EXPECT_EQ(two->Resume().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(LimitsTest, TimePassesWhileSuspended) {
  context_ = NewContext(Timeout(absl::Milliseconds(20)));
  const Function yields = *context_->Lookup("yields");
  auto call = *Invocation::Begin(*context_, yields, {});
  absl::SleepFor(absl::Milliseconds(30));
  EXPECT_EQ(call->Resume().code(), absl::StatusCode::kDeadlineExceeded);
}

// Contexts that work for another run none either, since its calls may be over.
TEST_P(LimitsTest, FailedContextsRunNoDeinit) {
  std::vector<std::string> log;
  enum class Kind { kEnds, kFails, kServes };
  for (const Kind kind : {Kind::kEnds, Kind::kFails, Kind::kServes}) {
    ModuleBuilder builder;
    builder.name = "ends";
    builder.AddFunction("__deinit", "0v_v",
                        "entry: print \"deinit\" [] return []");
    builder.AddFunction("f", "0v_v", "entry: br ^entry []");
    ContextOptions options;
    options.limits = Fuel(5);
    options.print = [&log](absl::string_view line) {
      log.emplace_back(line.data(), line.size());
    };
    if (kind == Kind::kServes) options.work = std::make_shared<WorkBudget>();
    auto context = *Context::Create({Create(builder)}, options);
    if (kind == Kind::kFails) {
      EXPECT_FALSE(context->Call(*context->Lookup("f"), {}).ok());
    }
  }
  EXPECT_EQ(log, std::vector<std::string>{"deinit()"});
}

}  // namespace
}  // namespace eyrie::vm
