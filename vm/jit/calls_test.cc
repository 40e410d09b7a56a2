// Calls in compiled code: of functions that are compiled first, of short
// functions that are copied, and of quick native functions.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/jit/jit.h"
#include "vm/limits/limits.h"
#include "vm/native/native_binding.h"
#include "vm/native/native_module.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

std::shared_ptr<const BytecodeModule> Create(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

ContextOptions With(bool compiled) {
  ContextOptions options;
  if (compiled) options.jit = *jit::Create(jit::Mode::kEager);
  return options;
}

std::string CallOne(Context& context, const std::string& name, int32_t number) {
  const std::vector<Value> args = {Value(number)};
  auto results = context.Call(*context.Lookup(name), args);
  if (!results.ok()) return results.status().ToString();
  return absl::StrCat((*results)[0].i32());
}

// A loop that combines the callee's results for all numbers below the argument.
std::string Loop(const std::string& callee) {
  return absl::StrCat(
      "entry: const.i32.zero i1 const.i32 1 i2 const.i32 7 i3 br ^head [] "
      "head: cmp.lt.i32.s i1 i0 i4 cond_br i4 ^body [] ^end [] body: call ",
      callee,
      " [i1] [i5] mul.i32 i3 i0 i3 xor.i32 i3 i5 i3 add.i32 i1 i2 i1 "
      "br ^head [] end: return [i3]");
}

// A chain of functions whose loops call the next; two that call each other; one
// that calls another outside of a loop.
TEST(CompiledCalls, AreOfWhatIsCompiledBefore) {
  constexpr int kDeep = 12;
  ModuleBuilder builder;
  builder.name = "nest";
  for (int i = 0; i < kDeep; ++i) {
    builder.AddFunction(absl::StrCat("f", i), "0i_i",
                        Loop(absl::StrCat(i + 1)));
  }
  builder.AddFunction("last", "0i_i",  // kDeep
                      "entry: const.i32 3 i1 div.i32.s i0 i1 i2 return [i2]");
  builder.AddFunction("even", "0i_i", Loop(absl::StrCat(kDeep + 2)));
  builder.AddFunction("odd", "0i_i", Loop(absl::StrCat(kDeep + 1)));
  builder.AddFunction("once", "0i_i",
                      "entry: cond_br i0 ^more [] ^end [] "
                      "more: call 0 [i0] [i1] return [i1] end: return [i0]");
  const struct {
    const char* called;
    int32_t number;
    // Which functions are compiled afterwards: the first f, last, even, odd.
    int most;
    bool last, even, odd;
  } kCases[] = {
      {"f4", 0, 12, true, false, false},  // no loop has an iteration
      {"f4", 2, 12, true, false, false},
      {"f0", 0, 9, false, false, false},  // the maximum depth
      {"f0", 12, 12, true, false, false},
      {"even", 0, 0, false, true, true},
      {"even", 5, 0, false, true, true},
      {"once", 0, 0, false, false, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.called, " ", c.number));
    const auto module = Create(builder);
    auto interpreted = *Context::Create({module}, With(false));
    auto compiled = *Context::Create({module}, With(true));
    const std::string want = CallOne(*interpreted, c.called, c.number);
    EXPECT_EQ(CallOne(*compiled, c.called, c.number), want);
    auto is_compiled = [&](int function) {
      const auto ordinal = static_cast<uint32_t>(function);
      return module->function(ordinal).compiled_entry.load() != nullptr;
    };
    for (int i = 0; i < kDeep; ++i) {
      const bool below = c.called[0] != 'f' || i < c.called[1] - '0';
      EXPECT_EQ(is_compiled(i), !below && i < c.most) << i;
    }
    EXPECT_EQ(is_compiled(kDeep), c.last);
    EXPECT_EQ(is_compiled(kDeep + 1), c.even);
    EXPECT_EQ(is_compiled(kDeep + 2), c.odd);
  }
}

// A loop without iterations that calls five long functions: compiles as many as
// fit.
TEST(CompiledCalls, DoNotHoldUpTheCaller) {
  std::string sums = "entry:";
  for (int i = 0; i < 2500; ++i) absl::StrAppend(&sums, " add.i32 i0 i0 i0");
  ModuleBuilder builder;
  builder.name = "long";
  std::string calls;
  for (int i = 0; i < 5; ++i) {
    builder.AddFunction(absl::StrCat("f", i), "0i_i", sums + " return [i0]");
    absl::StrAppend(&calls, " call ", i, " [i1] [i1]");
  }
  builder.AddFunction("loops", "0i_i",
                      absl::StrCat("entry: br ^head [] head: cond_br i0 "
                                   "^body [] ^end [] body:",
                                   calls, " br ^head [] end: return [i0]"));
  const auto module = Create(builder);
  auto context = *Context::Create({module}, With(true));
  EXPECT_EQ(CallOne(*context, "loops", 0), "0");
  const uint32_t size = module->function(0).code_size;
  uint32_t compiled = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    compiled += module->function(i).compiled_entry.load() != nullptr ? 1 : 0;
  }
  EXPECT_EQ(compiled, (64 << 10) / size);
  EXPECT_LT(compiled, 5u);
}

// A loop that calls function 0 with its iteration's number and other arguments,
// of which the second is a constant and the fourth equals the third. It
// combines the result with numbers inside and outside of registers.
std::string LoopOf(const std::string& arguments, char result) {
  std::string body, passed;
  for (size_t n = 0; n < arguments.size(); ++n) {
    const bool same = n == 3 && arguments[3] == arguments[2];
    const std::string reg = absl::StrCat("i", 10 + 2 * (same ? 2 : n));
    absl::StrAppend(&passed, n == 0 ? "" : " ", reg);
    if (same) continue;
    absl::StrAppend(&body, " const.i32 ", n, " ", reg);
    if (n != 1) absl::StrAppend(&body, " add.i32 i1 ", reg, " ", reg);
    if (arguments[n] == 'I') absl::StrAppend(&body, " ext.i32.i64.s ");
    if (arguments[n] == 'f') absl::StrAppend(&body, " cast.si32.f32 ");
    if (arguments[n] == 'F') absl::StrAppend(&body, " cast.si32.f64 ");
    if (arguments[n] != 'i') absl::StrAppend(&body, reg, " ", reg);
  }
  absl::StrAppend(&body, " call 0 [", passed, "] [i8]");
  if (result == 'F') absl::StrAppend(&body, " bitcast.f64.i64 i8 i8");
  if (result == 'F' || result == 'I') {
    absl::StrAppend(&body, " const.i64 13 i6 shr.i64.u i8 i6 i6 xor.i64 i6 i8",
                    " i6 trunc.i64.i32 i6 i8");
  }
  if (result == 'f') absl::StrAppend(&body, " bitcast.f32.i32 i8 i8");
  std::string kept;
  for (int reg = 24; reg < 30; ++reg) {
    absl::StrAppend(&kept, " const.i32 ", reg, " i", reg);
    absl::StrAppend(&body, " mul.i32 i", reg, " i1 i", reg, " xor.i32 i8 i",
                    reg, " i8");
  }
  for (int reg = 30; reg < 32; ++reg) {
    absl::StrAppend(&kept, " const.f32 ", reg, ".5 i", reg);
    absl::StrAppend(&body, " add.f32 i", reg, " i", reg, " i", reg,
                    " bitcast.f32.i32 i", reg, " i5 xor.i32 i8 i5 i8");
  }
  return absl::StrCat(
      "entry: const.i32.zero i1 const.i32 1 i2 const.i32 7 i3", kept,
      " br ^head [] "
      "head: cmp.lt.i32.s i1 i0 i4 cond_br i4 ^body [] ^end [] body:",
      body,
      " mul.i32 i3 i0 i3 xor.i32 i3 i8 i3 add.i32 i1 i2 i1 br ^head [] "
      "end: return [i3]");
}

std::string CallWithin(const std::shared_ptr<const BytecodeModule>& module,
                       bool compiled, const std::string& name, int32_t number,
                       const Limits& limits) {
  ContextOptions options = With(compiled);
  options.limits = limits;
  return CallOne(**Context::Create({module}, options), name, number);
}

struct Callee {
  const char* arguments;
  char result;
  const char* code;
  bool copied;
};
constexpr Callee kCallees[] = {
    {"i", 'i', "return [i0]", true},
    {"ii", 'i', "xor.i32 i0 i1 i0 return [i0]", true},
    {"ii", 'i', "sub.i32 i1 i0 i4 return [i4]", true},
    {"i", 'i', "const.i32 77 i9 return [i9]", true},
    {"", 'i', "const.i32.zero i1 return [i1]", true},
    {"iiii", 'i',
     "add.i32 i0 i1 i0 mul.i32 i2 i3 i2 xor.i32 i0 i2 i0 "
     "return [i0]",
     true},
    {"II", 'I',
     "const.i64 0x123456789ABCD i6 mul.i64 i0 i6 i4 "
     "xor.i64 i4 i2 i4 return [i4]",
     true},
    {"iii", 'i', "select.i32 i0 i1 i2 i3 return [i3]", true},
    {"if", 'i', "add.i32 i0 i1 i2 return [i2]", false},  // the other bank
    {"ff", 'f', "const.f32 2.5 i4 fma.f32 i0 i1 i4 i5 return [i5]", true},
    {"fF", 'F',
     "ext.f32.f64 i0 i4 neg.f64 i2 i2 sqrt.f64 i4 i4 "
     "add.f64 i4 i2 i2 return [i2]",
     true},
    {"fffff", 'f', "add.f32 i0 i4 i0 return [i0]", false},  // in the frame
    {"iiiii", 'i', "add.i32 i0 i4 i0 return [i0]", false},
    {"i", 'i', "add.i32 i0 i5 i0 return [i0]", false},  // of an unset register
    {"ii", 'i', "const.i32 9 i4 rem.i32.u i1 i4 i2 return [i2]", false},
    {"ii", 'i', "div.i32.s i0 i1 i2 return [i2]", false},
    {"i", 'i', "call 1 [i0] [i0] return [i0]", false},
    {"i", 'i', "fail i0 \"no\"", false},
    {"i", 'i', "br ^next [] next: return [i0]", true},
    {"i", 'i', "cond_br i0 ^yes [] ^no [] yes: return [i0] no: return [i0]",
     false},
    {"i", 'i',
     "add.i32 i0 i0 i1 add.i32 i0 i1 i1 add.i32 i0 i1 i1 add.i32 i0 "
     "i1 i1 add.i32 i0 i1 i1 add.i32 i0 i1 i1 add.i32 i0 i1 i1 add.i32 i0 i1 "
     "i1 return [i1]",
     false},  // too long
};

// Short functions are copied to their callers. Results, fuel and stack do not
// change.
TEST(CompiledCalls, CopyShortFunctions) {
  for (const Callee& c : kCallees) {
    SCOPED_TRACE(absl::StrCat(c.arguments, " ", c.code));
    ModuleBuilder builder;
    builder.name = "copies";
    builder
        .AddFunction("short",
                     absl::StrCat("0", *c.arguments == 0 ? "v" : c.arguments,
                                  "_", std::string(1, c.result)),
                     absl::StrCat("entry: ", c.code))
        .i32_registers = 12;
    builder.AddFunction("ten", "0i_i", "entry: const.i32 10 i1 return [i1]");
    builder.AddFunction("loop", "0i_i", LoopOf(c.arguments, c.result))
        .i32_registers = 32;
    for (const int32_t turns : {0, 1, 30}) {
      for (uint64_t fuel = 0; fuel < 65; fuel += turns == 1 ? 1 : 7) {
        SCOPED_TRACE(absl::StrCat(turns, " turns with ", fuel));
        Limits limits;
        limits.fuel = fuel;
        const auto module = Create(builder);
        const auto want = CallWithin(module, false, "loop", turns, limits);
        EXPECT_EQ(CallWithin(module, true, "loop", turns, limits), want);
        const bool compiled = module->function(0).compiled_entry != nullptr;
        EXPECT_EQ(compiled, !c.copied);
      }
    }
  }
}

// The number of copies is limited, so that callers remain small.
TEST(CompiledCalls, CopyAFew) {
  constexpr int kFunctions = 40;
  const struct {
    int calls;   // of each function
    int copied;  // functions, with all their calls
  } kCases[] = {{1, 32}, {2, 32}, {3, 21}, {16, 4}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.calls);
    ModuleBuilder builder;
    builder.name = "few";
    std::string calls;
    for (int i = 0; i < kFunctions; ++i) {
      builder.AddFunction(absl::StrCat("f", i), "0i_i",
                          absl::StrCat("entry: const.i32 ", i,
                                       " i1 xor.i32 i0 i1 i2 "
                                       "return [i2]"));
      for (int k = 0; k < c.calls; ++k) {
        absl::StrAppend(&calls, " call ", i, " [i1] [i1]");
      }
    }
    builder.AddFunction("loops", "0i_i",
                        absl::StrCat("entry: const.i32 77 i1 br ^head [] head: "
                                     "cond_br i0 ^body [] ^end [] body:",
                                     calls,
                                     " const.i32 -1 i2 add.i32 i0 i2 i0 "
                                     "br ^head [] end: return [i1]"));
    const auto module = Create(builder);
    const auto want = CallWithin(module, false, "loops", 3, {});
    EXPECT_EQ(CallWithin(module, true, "loops", 3, {}), want);
    int copied = 0;
    for (uint32_t i = 0; i < kFunctions; ++i) {
      copied += module->function(i).compiled_entry == nullptr ? 1 : 0;
    }
    EXPECT_EQ(copied, c.copied);
  }
}

// The stack overflows in the same function as when interpreted, for any size of
// frames.
TEST(CompiledCalls, CopyWhatHasNoRoom) {
  const struct {
    uint16_t registers;  // of the short function
    uint16_t deep;       // and of its caller
    bool copied;
  } kCases[] = {{8, 8, true},     {96, 8, true},     {100, 8, false},
                {3000, 8, false}, {96, 900, true},   {96, 1000, true},
                {8, 3000, true},  {100, 1000, false}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.registers, " ", c.deep));
    ModuleBuilder builder;
    builder.name = "deep";
    builder.AddFunction("short", "0i_i", "entry: return [i0]").i32_registers =
        c.registers;
    builder
        .AddFunction("deep", "0i_i",
                     "entry: call 0 [i0] [i1] const.i32 1 i2 add.i32 i1 i2 "
                     "i1 call 1 [i1] [i3] return [i3]")
        .i32_registers = c.deep;
    const auto module = Create(builder);
    Limits limits;
    for (limits.max_stack = 20000; limits.max_stack < 20400;
         limits.max_stack += 8) {
      const auto want = CallWithin(module, false, "deep", 0, limits);
      EXPECT_EQ(want.find("RESOURCE_EXHAUSTED"), 0u) << want;
      EXPECT_EQ(CallWithin(module, true, "deep", 0, limits), want);
    }
    EXPECT_EQ(module->function(0).compiled_entry == nullptr, c.copied);
  }
}

// Breakpoints need functions to be called.
TEST(CompiledCalls, CopyNothingForDebuggers) {
  ModuleBuilder builder;
  builder.name = "seen";
  builder.AddFunction("short", "0i_i", "entry: return [i0]");
  builder.AddFunction("loop", "0i_i", LoopOf("i", 'i')).i32_registers = 32;
  const auto module = Create(builder);
  ContextOptions options;
  options.jit = *jit::Create(jit::Mode::kEager, {.perf_map = {}, .gdb = true});
  CallOne(**Context::Create({module}, options), "loop", 3);
  EXPECT_NE(module->function(0).compiled_entry, nullptr);
}

struct Host : ModuleState {
  static inline int asked = 0;  // shared by all instances
};
// Fails at 13. Counts the calls that the quick function does not answer.
absl::StatusOr<int32_t> Tenfold(Host&, int32_t a) {
  ++Host::asked;
  if (a == 13) return absl::DataLossError("unlucky");
  return a * 10;
}
std::optional<int32_t> QuickTenfold(int32_t a) {
  if (a % 2 != 0) return std::nullopt;
  return a * 10;
}
constexpr NativeFunction kRows[] = {
    Bind<Tenfold, QuickTenfold>("tenfold", "0i_i")};

TEST(CompiledCalls, AskTheQuickFunctionFirst) {
  ModuleBuilder builder;
  builder.name = "asks";
  builder.AddImport("host.tenfold", "0i_i");
  builder.AddFunction("sum", "0i_i", Loop("#0"));
  const auto native = *NativeModule::Create(
      "host", 1, kRows, []() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
        return std::make_unique<Host>();
      });
  const struct {
    int32_t number;
    bool compiled;
    int asked;
  } kCases[] = {{12, false, 12}, {12, true, 6}, {20, false, 14}, {20, true, 7}};
  std::string want;
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.number, " ", c.compiled));
    auto context =
        *Context::Create({native, Create(builder)}, With(c.compiled));
    Host::asked = 0;
    const std::string result = CallOne(*context, "sum", c.number);
    EXPECT_EQ(Host::asked, c.asked);
    if (c.compiled) {
      EXPECT_EQ(result, want);
    }
    want = result;
  }
  EXPECT_NE(want.find("unlucky"), std::string::npos);
}

}  // namespace
}  // namespace eyrie::vm
