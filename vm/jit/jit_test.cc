// Compares compiled code with the interpreter: calls deeper than the thread's
// stack allows, every amount of fuel, functions that are not compiled, yields
// under compiled callers, one module on several threads, and forks.
#include "vm/jit/jit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/limits/limits.h"
#include "vm/object/buffer.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"
#include "vm/run/invocation.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

ModuleBuilder Sample() {
  ModuleBuilder module;
  module.name = "sample";
  module.requirements = 0xF;
  // 0: the sum of the numbers up to its argument, by recursion.
  module.AddFunction("sum", "0i_i",
                     "entry: cmp.nz.i32 i0 i1 cond_br i1 ^more [] ^end [] "
                     "more: const.i32 1 i2 sub.i32 i0 i2 i3 call 0 [i3] [i4] "
                     "add.i32 i0 i4 i5 return [i5] end: return [i0]");
  // 1: the same; each call holds a buffer, and the last one divides by zero.
  module.AddFunction(
      "divide", "0ir_i",
      "entry: cmp.nz.i32 i0 i1 cond_br i1 ^more [] ^end [] "
      "more: const.i32 1 i2 sub.i32 i0 i2 i3 call 1 [i3 r0] [i4] "
      "add.i32 i0 i4 i5 return [i5] end: div.i32.s i0 i0 i1 return [i1]");
  // 2: yields this many times in nested calls.
  module
      .AddFunction("wait", "0ii_i",
                   "entry: cmp.nz.i32 i0 i2 cond_br i2 ^more [] ^end [] "
                   "more: const.i32 1 i3 sub.i32 i0 i3 i4 "
                   "yield ^go [] go: call 2 [i4 i1] [i5] "
                   "add.i32 i5 i1 i6 return [i6] end: return [i0]")
      .requirements = 0xF;
  // 3: has more results than compiled code can return; 4 calls it in a loop.
  module
      .AddFunction("many", absl::StrCat("0i_", std::string(17, 'i')),
                   absl::StrCat("entry: const.i32 5 i3 add.i32 i0 i3 i1 "
                                "return ",
                                tests::Registers(17)))
      .i32_registers = 20;
  module
      .AddFunction(
          "loops", "0i_i",
          absl::StrCat("entry: const.i32 40 i25 const.i32.zero i20 "
                       "const.i32.zero i21 "
                       "br ^loop [] loop: call 3 [i20] ",
                       tests::Registers(17),
                       " add.i32 i21 i1 i21 const.i32 1 i22 "
                       "add.i32 i20 i22 i20 cmp.lt.i32.s i20 i25 i24 "
                       "cond_br i24 ^loop [] ^end [] end: return [i21]"))
      .i32_registers = 32;
  // 5: a loop with a call, with numbers of every type.
  module.AddFunction(
      "mixed", "0i_IfFi",
      "entry: const.i32.zero i1 const.i64 3 i2 const.f32 0.5 i4 "
      "const.f64 1.5 i6 br ^loop [] "
      "loop: call 0 [i1] [i8] ext.i32.i64.s i8 i10 add.i64 i2 i10 i2 "
      "cast.si32.f32 i8 i12 add.f32 i4 i12 i4 ext.f32.f64 i12 i14 "
      "add.f64 i6 i14 i6 const.i32 1 i9 add.i32 i1 i9 i1 "
      "cmp.lt.i32.s i1 i0 i13 cond_br i13 ^loop [] ^end [] "
      "end: return [i2 i4 i6 i8]");
  // 6: a loop that can be entered in the middle.
  module.AddFunction("count", "0i_i",
                     "entry: const.i32.zero i1 const.i32 1 i2 br ^loop [] "
                     "loop: add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i3 "
                     "cond_br i3 ^loop [] ^done [] done: return [i1]");
  // 7: calls another function unless its argument is 0.
  module.AddFunction("maybe", "0i_i",
                     "entry: cond_br i0 ^more [] ^end [] "
                     "more: call 6 [i0] [i0] return [i0] end: return [i0]");
  // 8: has more numbers of each kind than are passed in registers, and reads
  // them after a call. 9 calls it with values from registers, constants and a
  // register of another kind.
  module
      .AddFunction(
          "takes", "0iIfFiIfFfFiI_IF",
          "entry: call 0 [i8] [i24] ext.i32.i64.s i24 i26 add.i64 i26 i2 i26 "
          "mul.i64 i26 i10 i26 add.i64 i26 i22 i26 ext.i32.i64.s i0 i28 "
          "sub.i64 i26 i28 i26 ext.i32.i64.s i20 i28 xor.i64 i26 i28 i26 "
          "ext.f32.f64 i4 i30 add.f64 i30 i6 i30 ext.f32.f64 i12 i32 "
          "mul.f64 i30 i32 i30 add.f64 i30 i14 i30 ext.f32.f64 i16 i32 "
          "sub.f64 i30 i32 i30 div.f64 i30 i18 i30 return [i26 i30]")
      .i32_registers = 34;
  module
      .AddFunction(
          "passes", "0i_IF",
          "entry: const.i32.zero i1 const.i64 3 i2 const.f64 0.5 i6 "
          "const.i32 1 i4 br ^loop [] "
          "loop: cast.si32.f32 i1 i8 add.i32 i1 i4 i9 bitcast.i32.f32 i9 i10 "
          "const.i64 7 i12 const.f32 2.5 i14 "
          "call 8 [i9 i2 i8 i6 i4 i12 i10 i6 i14 i6 i1 i2] [i2 i6] "
          "add.i32 i1 i4 i1 cmp.lt.i32.s i1 i0 i16 "
          "cond_br i16 ^loop [] ^end [] end: return [i2 i6]")
      .i32_registers = 18;
  return module;
}

std::shared_ptr<const BytecodeModule> Create(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

std::shared_ptr<const Jit> Eager() { return *jit::Create(jit::Mode::kEager); }

std::string Show(const absl::StatusOr<std::vector<Value>>& results) {
  if (!results.ok()) return results.status().ToString();
  std::string text;
  for (const Value& value : *results) {
    int64_t bits = 0;
    std::memcpy(&bits, &value.slot(), IsWide(value.type()) ? 8 : 4);
    absl::StrAppend(&text, bits, " ");
  }
  return text;
}

// Returns the results of a call in a new context.
std::string Call(const std::shared_ptr<const BytecodeModule>& module,
                 const std::shared_ptr<const Jit>& jit, const char* name,
                 std::vector<int32_t> numbers, const Limits& limits = {}) {
  ContextOptions options;
  options.jit = jit;
  options.limits = limits;
  auto context = *Context::Create({module}, options);
  const Function function = *context->Lookup(name);
  std::vector<Value> args;
  size_t next = 0;
  for (ValueType type : function.signature().argument_types()) {
    if (type == ValueType::kRef) {
      args.push_back(Value(Ref<RefObject>(*Buffer::Allocate(8))));
    } else {
      args.push_back(Value(numbers[next++]));
    }
  }
  return Show(context->Call(function, args));
}

TEST(Jit, AgreesWithTheInterpreter) {
  struct Case {
    const char* function;
    std::vector<int32_t> arguments;
    size_t stack = Limits::kDefaultStackBytes;
  };
  const Case kCases[] = {
      {"sum", {0}},
      {"sum", {10}},
      {"sum", {20000}},               // several times kCompiledReach
      {"sum", {1 << 20}, 512 << 10},  // the stack overflows
      {"sum", {200}, 16 << 10},
      {"sum", {100}, 16 << 10},
      {"divide", {0}},
      {"divide", {3}},
      {"divide", {5000}},
      {"divide", {1 << 20}, 512 << 10},
      {"wait", {5, 3}},
      {"wait", {100, 3}},
      {"many", {7}},
      {"loops", {100}},
      {"mixed", {20}},
      {"passes", {1}},
      {"passes", {12}},
  };
  const auto module = Create(Sample());
  for (const Case& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.function, " ", c.arguments[0]));
    Limits limits;
    limits.max_stack = c.stack;
    const std::string want =
        Call(module, nullptr, c.function, c.arguments, limits);
    EXPECT_EQ(Call(module, Eager(), c.function, c.arguments, limits), want);
    // Again with the compiled module, in a context without a compiler.
    EXPECT_EQ(Call(module, nullptr, c.function, c.arguments, limits), want);
  }
}

// Branches over more than 1 MiB of code, which not every machine has; there the
// function stays interpreted.
TEST(Jit, RunsFarBranches) {
  constexpr int kPairs = 57000;
  std::string code = "entry: const.i64 1 i2 br ^loop [] loop: ";
  for (int i = 0; i < kPairs; ++i) {
    absl::StrAppend(&code, "const.i64 ", 0x7123456789ABCDEF - i,
                    " i6 xor.i64 i2 i6 i2 ");
  }
  absl::StrAppend(&code,
                  "const.i32 1 i4 sub.i32 i0 i4 i0 cmp.nz.i32 i0 i5 "
                  "cond_br i5 ^loop [] ^end [] end: return [i2]");
  ModuleBuilder builder;
  builder.name = "sample";
  builder.AddFunction("far", "0i_I", code);
  const auto module = Create(builder);
  EXPECT_EQ(Call(module, Eager(), "far", {3}),
            Call(module, nullptr, "far", {3}));
}

TEST(Jit, UsesTheSameFuel) {
  const auto module = Create(Sample());
  const auto jit = Eager();
  for (const char* name : {"mixed", "loops", "sum"}) {
    bool enough = false;
    for (uint64_t fuel = 0; fuel < 200 && !enough; ++fuel) {
      SCOPED_TRACE(absl::StrCat(name, " with ", fuel));
      Limits limits;
      limits.fuel = fuel;
      const std::string want = Call(module, nullptr, name, {9}, limits);
      EXPECT_EQ(Call(module, jit, name, {9}, limits), want);
      enough = want.find("RESOURCE_EXHAUSTED") == std::string::npos;
    }
    EXPECT_TRUE(enough) << name;
  }
  // More than one portion.
  for (uint64_t fuel = 2000; fuel < 2100; ++fuel) {
    Limits limits;
    limits.fuel = fuel;
    const std::string want = Call(module, nullptr, "sum", {2050}, limits);
    EXPECT_EQ(Call(module, jit, "sum", {2050}, limits), want) << fuel;
  }
}

// During one long call, and over many short ones.
TEST(Jit, CompilesWhatIsHot) {
  const auto jit = *jit::Create(jit::Mode::kLazy);
  auto is_compiled = [&](const BytecodeModule& module, uint32_t function) {
    const void* code = module.function(function).compiled.load();
    return code != nullptr && code != jit->thunks()->uncompiled;
  };
  for (const int32_t turns : {10, 20000}) {
    const auto module = Create(Sample());
    const std::string want = Call(module, nullptr, "count", {turns});
    EXPECT_EQ(Call(module, jit, "count", {turns}), want);
    EXPECT_EQ(is_compiled(*module, 6), turns == 20000);
  }
  const auto module = Create(Sample());
  ContextOptions options;
  options.jit = jit;
  auto context = *Context::Create({module}, options);
  const Function sum = *context->Lookup("sum");
  const std::vector<Value> args = {Value(int32_t{9})};
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(Show(context->Call(sum, args)), "45 ");
  }
  EXPECT_TRUE(is_compiled(*module, 0));
  EXPECT_FALSE(is_compiled(*module, 6));
}

// Functions that the host calls: compiles one with a loop, one that calls
// others, and a long one, but not one that is too short to gain.
TEST(Jit, CompilesWhatGains) {
  std::string sums = "entry:";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&sums, " add.i32 i0 i0 i0");
  ModuleBuilder builder;
  builder.name = "gains";
  builder.AddFunction("short", "0i_i",
                      "entry: add.i32 i0 i0 i1 const.i32 1 i2 "
                      "div.i32.s i1 i2 i1 return [i1]");
  builder.AddFunction("long", "0i_i", absl::StrCat(sums, " return [i0]"));
  builder.AddFunction("calls", "0i_i", "entry: call 0 [i0] [i1] return [i1]");
  const auto module = Create(builder);
  const auto jit = *jit::Create(jit::Mode::kLazy);
  EXPECT_FALSE(jit->Pays(*module, 0, [] { return false; }));
  EXPECT_TRUE(jit->Pays(*module, 1, [] { return false; }));
  EXPECT_TRUE(jit->Pays(*module, 2, [] { return false; }));
  ContextOptions options;
  options.jit = jit;
  auto context = *Context::Create({module}, options);
  const std::vector<Value> args = {Value(int32_t{21})};
  for (const char* name : {"short", "calls"}) {
    const Function function = *context->Lookup(name);
    for (int i = 0; i < 10000; ++i) {
      EXPECT_EQ(Show(context->Call(function, args)), "42 ");
    }
    // Compiled callers compile it, too.
    const void* code = module->function(0).compiled_entry.load();
    EXPECT_EQ(code != nullptr, std::string(name) == "calls");
  }
}

// Reports whether `is_so` returns true in a child, which must not hang. The
// child exits without sanitizer reports, which would complain about the
// parent's threads.
bool IsSoInAChild(const std::function<bool()>& is_so) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool so = is_so();
    if (write(ends[1], &so, 1) == 1) kill(getpid(), SIGKILL);
    _exit(1);
  }
  close(ends[1]);
  bool so = false;
  const bool told = read(ends[0], &so, 1) == 1;
  close(ends[0]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return told && so;
}

// Child and parent each compile into their own memory.
TEST(Jit, CompilesOnBothSidesOfAFork) {
  const auto jit = Eager();
  const auto module = Create(Sample());
  const std::string sum = Call(module, jit, "sum", {9});
  const std::string loops = Call(module, nullptr, "loops", {12});
  const std::string mixed = Call(module, nullptr, "mixed", {12});
  EXPECT_TRUE(IsSoInAChild([&] {
    return Call(module, jit, "loops", {12}) == loops &&
           Call(module, jit, "sum", {9}) == sum;
  }));
  EXPECT_EQ(Call(module, jit, "mixed", {12}), mixed);
}

// Children of a process that compiles all the time compile the same module.
TEST(Jit, CompilesInChildrenOfACompilingProcess) {
  constexpr int kFunctions = 400;
  ModuleBuilder builder;
  builder.name = "many";
  for (int i = 0; i < kFunctions; ++i) {
    std::string code = "entry:";
    for (int n = 0; n < 40; ++n) absl::StrAppend(&code, " add.i32 i0 i0 i0");
    builder.AddFunction(absl::StrCat("f", i), "0i_i", code + " return [i0]");
  }
  const auto module = Create(builder);
  const auto jit = Eager();
  std::atomic<bool> started = false;
  std::thread compiling([&] {
    for (int i = 0; i + 1 < kFunctions; ++i) {
      EXPECT_EQ(Call(module, jit, absl::StrCat("f", i).c_str(), {1}), "0 ");
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  const std::string last = absl::StrCat("f", kFunctions - 1);
  for (int i = 0; i < 20; ++i) {
    const bool is_so = IsSoInAChild(
        [&] { return Call(module, jit, last.c_str(), {0}) == "0 "; });
    EXPECT_TRUE(is_so);
    if (!is_so) break;
  }
  compiling.join();
}

// Code runs after its compiler is destroyed: with another compiler, and with
// one that has no memory for code.
TEST(Jit, CodeOutlivesItsCompiler) {
  const auto module = Create(Sample());
  {
    jit::Names names;
    names.gdb = true;  // its code memory is not reused
    const auto compiler = *jit::Create(jit::Mode::kEager, names);
    EXPECT_EQ(Call(module, compiler, "maybe", {0}), "0 ");
  }
  const auto without = *jit::Create(jit::Mode::kLazy);
  rlimit files;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  const rlimit none = {0, files.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(without->thunks(), nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(Call(module, without, "maybe", {3}), "3 ");
  EXPECT_EQ(Call(module, Eager(), "maybe", {4}), "4 ");
}

// Ticks neither cost nor lose fuel.
TEST(Jit, LooksForWhatIsHotWithinTheFuel) {
  const auto module = Create(Sample());
  const auto jit = *jit::Create(jit::Mode::kLazy);
  for (uint64_t fuel = 8180; fuel < 8220; ++fuel) {
    Limits limits;
    limits.fuel = fuel;
    const std::string want = Call(module, nullptr, "count", {8200}, limits);
    EXPECT_EQ(Call(module, jit, "count", {8200}, limits), want) << fuel;
    EXPECT_EQ(Call(Create(Sample()), jit, "count", {8200}, limits), want)
        << fuel;
  }
}

TEST(Jit, YieldsToTheHost) {
  const auto module = Create(Sample());
  ContextOptions options;
  options.jit = Eager();
  auto context = *Context::Create({module}, options);
  const std::vector<Value> args = {Value(int32_t{6}), Value(int32_t{7})};
  auto call = *Invocation::Begin(*context, *context->Lookup("wait"), args);
  int yields = 0;
  for (; call->state() == Invocation::State::kYielded; ++yields) {
    ASSERT_TRUE(call->Resume().ok());
  }
  EXPECT_EQ(yields, 6);
  EXPECT_EQ(call->TakeResults()[0].i32(), 42);
  // A call that is dropped while it waits.
  call = *Invocation::Begin(*context, *context->Lookup("wait"), args);
  call.reset();
}

TEST(Jit, CompilesOnSeveralThreads) {
  const auto module = Create(Sample());
  const auto jit = Eager();
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        results[t] = Call(module, i % 4 == 3 ? nullptr : jit,
                          i % 2 ? "mixed" : "loops", {12});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Jit, EndsAtOnceWhenCancelled) {
  ModuleBuilder module;
  module.name = "endless";
  module.AddFunction("spin", "0v_v", "entry: br ^entry []");
  ContextOptions options;
  options.jit = Eager();
  auto context = *Context::Create({Create(module)}, options);
  std::thread canceller([&] { context->Cancel(); });
  const auto results = context->Call(*context->Lookup("spin"), {});
  canceller.join();
  EXPECT_EQ(results.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace eyrie::vm
