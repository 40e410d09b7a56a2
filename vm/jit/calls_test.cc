// What compiled code calls: functions that are compiled before it, and quick
// native functions.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/bytecode_module.h"
#include "vm/context.h"
#include "vm/jit/jit.h"
#include "vm/native_binding.h"
#include "vm/native_module.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

std::shared_ptr<const BytecodeModule> Make(const ModuleBuilder& builder) {
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(*std::move(verified));
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

// What a callee gives for all numbers below the argument, mixed.
std::string Loop(const std::string& callee) {
  return absl::StrCat(
      "entry: const.i32.zero i1 const.i32 1 i2 const.i32 7 i3 br ^head [] "
      "head: cmp.lt.i32.s i1 i0 i4 cond_br i4 ^body [] ^end [] body: call ",
      callee,
      " [i1] [i5] mul.i32 i3 i0 i3 xor.i32 i3 i5 i3 add.i32 i1 i2 i1 "
      "br ^head [] end: return [i3]");
}

// Functions whose loops call the next, down to one that calls nothing; two
// that call each other; one that calls another outside of loops.
TEST(CompiledCalls, AreOfWhatIsCompiledBefore) {
  constexpr int kDeep = 12;
  ModuleBuilder builder;
  builder.name = "nest";
  for (int i = 0; i < kDeep; ++i) {
    builder.AddFunction(absl::StrCat("f", i), "0i_i",
                        Loop(absl::StrCat(i + 1)));
  }
  builder.AddFunction("last", "0i_i", "entry: return [i0]");  // kDeep
  builder.AddFunction("even", "0i_i", Loop(absl::StrCat(kDeep + 2)));
  builder.AddFunction("odd", "0i_i", Loop(absl::StrCat(kDeep + 1)));
  builder.AddFunction("once", "0i_i",
                      "entry: cond_br i0 ^more [] ^end [] "
                      "more: call 0 [i0] [i1] return [i1] end: return [i0]");
  const struct {
    const char* called;
    int32_t number;
    // Which are compiled then: the first of f, last, even, odd.
    int most;
    bool last, even, odd;
  } kCases[] = {
      {"f4", 0, 12, true, false, false},  // no turn of any loop
      {"f4", 2, 12, true, false, false},
      {"f0", 0, 9, false, false, false},  // as deep as it goes
      {"f0", 12, 12, true, false, false},
      {"even", 0, 0, false, true, true},
      {"even", 5, 0, false, true, true},
      {"once", 0, 0, false, false, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.called, " ", c.number));
    const auto module = Make(builder);
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

// Of five long functions that a loop calls which has no turn: as many as fit.
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
  const auto module = Make(builder);
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

struct Host : ModuleState {
  static inline int asked = 0;  // of all
};
// Fails at 13, and counts what the quick one does not answer.
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
    auto context = *Context::Create({native, Make(builder)}, With(c.compiled));
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
