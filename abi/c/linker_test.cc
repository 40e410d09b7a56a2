// Tests host functions: types, errors, state, objects, calls back, fences.
#include "eyrie/linker.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/forwarding_module.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

Device CpuDevice(Jit jit = Jit::kLazy) {
  return *Device::Open("local-sync", {.jit = jit});
}

Value Floats(std::initializer_list<float> numbers) {
  return *Value::Array({static_cast<int64_t>(numbers.size())}, numbers);
}

struct Counter {
  int count = 0;
};

float Half(float x) { return x / 2; }

using Define = std::function<Result<void>(Linker&)>;

template <typename F>
Define As(F function) {
  return
      [function](Linker& linker) { return linker.Define("host.f", function); };
}

// Each row is a function of the host, the convention of its import and what a
// call gives.
const struct {
  Define define;
  std::string convention;
  std::string declaration;
  std::vector<Value> arguments;
  std::string want;
} kTypes[] = {
    {As(Half), "0f_f", "", {3.f}, "1.5f"},
    {As([](int32_t a, int64_t b, double c) { return a + b + int64_t(c); }),
     "0iIF_I",
     "",
     {-3, int64_t{1} << 40, 2.5},
     "1099511627775"},
    {As([](bool a, bool b) { return a != b; }), "0ii_i", "", {3, 2}, "1"},
    {As([](int8_t a, uint8_t b) { return int16_t(a + b); }),
     "0ii_i",
     "",
     {0x1FF, 0x1FE},
     "253"},
    {As([](uint32_t a, uint64_t b) { return b + a; }),
     "0iI_I",
     "",
     {-1, 1},
     "4294967296"},
    {As([] {}), "0v_v", "", {}, ""},
    {As([](double x) { return std::tuple(int32_t(x), float(x)); }),
     "0F_if",
     "",
     {2.5},
     "2 2.5f"},
    {As([](std::string_view a, const std::string& b) {
       return std::string(a) + b;
     }),
     "0rr_r",
     "sync func @f(%a: !util.buffer, %b: !util.buffer) -> !util.buffer",
     {"ab", "cd"},
     "\"abcd\""},
    {As([](TensorView<float> x, float by) {
       float sum = 0;
       for (const float number : x.elements()) sum += number * by;
       return sum;
     }),
     "0rf_f",
     "sync func @f(%a: tensor<?xf32>, %b: f32) -> f32",
     {Floats({1, 2, 3}), 2.f},
     "12f"},
    {As([](HostCall& call,
           TensorView<int32_t> x) -> Result<NewTensor<int64_t>> {
       auto made = call.New<int64_t>({2, x.shape()[0]});
       if (!made) return made;
       for (int64_t& element : made->elements()) element = x.elements()[0];
       return made;
     }),
     "0r_r",
     "sync func @f(%a: tensor<?xi32>) -> tensor<?x?xi64>",
     {*Value::Array({3}, {7, 8, 9})},
     "2x3x10000040=48"},
    {As([](Tensor<float> x) { return x; }),
     "0r_r",
     "sync func @f(%a: tensor<?xf32>) -> tensor<?xf32>",
     {Floats({1, 2})},
     "2x21000020=8"},
    {As([](TensorView<> x) { return int64_t(x.dtype()); }),
     "0r_I",
     "sync func @f(%a: !hal.buffer_view) -> i64",
     {*Value::Array({1}, {int8_t{1}})},
     "285212680"},
    {As([](const std::vector<float>& a) {
       float sum = 0;
       for (const float number : a) sum += number;
       return std::vector<float>{sum, float(a.size())};
     }),
     "0r_r",
     "sync func @f(%a: !util.list<f32>) -> !util.list<f32>",
     {Value::List({1.f, 2.f, 4.f})},
     "[7f, 3f]"},
    {As([](ValueView a, Value b) {
       return int32_t(a.kind()) * 100 + int32_t(b.kind());
     }),
     "0rr_i",
     "",
     {Value(), Value::List({1, 2})},
     "6"},
};

TEST(Linker, ConvertsTypes) {
  for (const auto& row : kTypes) {
    for (const Jit jit : {Jit::kOff, Jit::kEager}) {
      SCOPED_TRACE(absl::StrCat(&row - kTypes, " ", static_cast<int>(jit)));
      Linker linker;
      ASSERT_EQ(Text(row.define(linker)), "OK");
      EXPECT_EQ(Text(CallForwarded(linker, row.convention, row.declaration,
                                   row.arguments, jit)),
                row.want);
    }
  }
}

TEST(Linker, TakesDicts) {
  Linker linker;
  ASSERT_EQ(
      Text(linker.DefineAny(
          "host.f", "({a: i32, b: i64}, f32) -> ({n: i64}, f32)",
          [](HostCall&,
             std::span<const Value> arguments) -> Result<std::vector<Value>> {
            const Value& dict = arguments[0];
            return std::vector<Value>{
                Value::Dict({{"n", *dict.Find("b").As<int64_t>()}}),
                *dict.Find("a").As<int>() * 0.5};
          })),
      "OK");
  tests::ModuleBuilder module;
  AddForwarding(module, "host.f", "0rf_rf");
  constexpr char kAbi[] =
      R"({"v": 1, "a": [["named", "x", ["sdict", ["a", "i32"], ["b", "i64"]]],)"
      R"( "f32"], "r": [["sdict", ["n", "i64"]], "f32"]})";
  module.functions.back().attributes.emplace_back("iree.abi", kAbi);
  auto context =
      Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
  ASSERT_TRUE(context) << Text(context);
  EXPECT_EQ(Text(context->Call("f", {Value::Dict({{"a", 3}, {"b", 4}}), 1.f})),
            "{n: 4} 1.5f");
}

TEST(Linker, KeepsErrors) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", [](int32_t code) -> Result<int32_t> {
    return Error(static_cast<eyrie_code_t>(code), "A 'ü' fails.");
  }));
  EXPECT_EQ(Text(CallForwarded(linker, "0i_i", "", {5})),
            "5: A 'ü' fails.\n  at native host.f\n  from test.f+0x1 "
            "(test.mlir:1:1)");
  // The context remains usable.
  auto context = Context::Create(CpuDevice(), Forwarding("host.f", "0i_i"),
                                 {.linker = &linker});
  for (const int code : {8, 14, 0}) {
    const auto called = context->Call("f", {code});
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().code(), code == 0 ? EYRIE_UNKNOWN : code);
    EXPECT_FALSE(context->failed());
  }
}

TEST(Linker, RefusesDefinitions) {
  const struct {
    const char* name;
    const char* signature;
    const char* want;
  } kRows[] = {
      {"host.f", "() -> ()", "6: The linker already has a function host.f."},
      {"f", "() -> ()",
       "3: The name of a host function is 'f'; expected 'module.function'."},
      {"host.", "() -> ()",
       "3: The name of a host function is 'host.'; expected "
       "'module.function'."},
      {"host.g", "(f31) -> f32",
       "3: The signature '(f31) -> f32' has 'f31) -> f32' at byte 1; expected "
       "a type, such as 'f32', 'tensor<?xf32>', 'bytes', 'list' or "
       "'ref<name>'. (the host function host.g)"},
      {"host.g", "(c64)",
       "3: The signature '(c64)' has 'c64)' at byte 1; expected a type, such "
       "as 'f32', 'tensor<?xf32>', 'bytes', 'list' or 'ref<name>'. (the host "
       "function host.g)"},
  };
  Linker linker;
  int freed = 0;
  ASSERT_TRUE(linker.Define("host.f", [] {}));
  for (const auto& row : kRows) {
    EXPECT_EQ(ErrorText(eyrie_linker_define(
                  linker.get(), row.name, row.signature,
                  [](eyrie_host_call_t*, const eyrie_slot_t*, eyrie_slot_t*,
                     void*) -> eyrie_error_t* { return nullptr; },
                  &freed, [](void* user) { ++*static_cast<int*>(user); })),
              row.want);
  }
  EXPECT_EQ(freed, 5);
  EXPECT_EQ(linker.functions(), std::vector<std::string>{"host.f"});
}

TEST(Linker, SaysWhatItOffers) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.scale", Half));
  ASSERT_TRUE(linker.Define("host.shift", Half));
  const struct {
    const char* import;
    const char* convention;
    const char* want;
  } kRows[] = {
      {"host.scal", "0f_f",
       "5: The linker defines no function host.scal. Did you mean 'scale'? It "
       "defines in this module: scale, shift. (an import of module test)"},
      {"hots.scale", "0f_f",
       "5: Function hots.scale is imported, but module hots is not loaded "
       "(loaded: host 0). (an import of module test) Another module's file "
       "before it may be that module, or a native library may offer it "
       "(--native_library). Did you mean 'host.scale'?"},
      {"host.scale", "0i_f",
       "12: The host function host.scale is (f32) -> f32, with the calling "
       "convention 0f_f, and is imported with the calling convention 0i_f. (an "
       "import of module test)"},
      {"host.scale?by=2", "0f_f",
       "3: The import host.scale?by=2 has attributes; host functions have "
       "none. (an import of module test)"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Text(Context::Create(CpuDevice(),
                                   Forwarding(row.import, row.convention),
                                   {.linker = &linker})),
              row.want);
  }
}

TEST(Linker, HasStatePerContext) {
  static std::atomic<int> live = 0;
  struct Sum {
    Sum() { ++live; }
    ~Sum() { --live; }
    int32_t sum = 0;
  };
  const Module module = Forwarding("host.f", "0i_i");
  {
    Linker linker;
    ASSERT_TRUE(linker.Define("host.f", [](HostCall& call, int32_t by) {
      return call.state<Sum>().sum += by;
    }));
    ASSERT_TRUE(
        (linker.SetState<Sum>("host", [] { return std::make_unique<Sum>(); })));
    EXPECT_EQ(Text(linker.SetState<Sum>(
                  "host", [] { return std::make_unique<Sum>(); })),
              "6: The module host of the linker already has a state.");
    auto one = Context::Create(CpuDevice(), module, {.linker = &linker});
    auto two = Context::Create(CpuDevice(), module, {.linker = &linker});
    linker = Linker();  // contexts keep what they have
    EXPECT_EQ(live, 2);
    EXPECT_EQ(Text(one->Call("f", {2})), "2");
    EXPECT_EQ(Text(one->Call("f", {3})), "5");
    EXPECT_EQ(Text(two->Call("f", {1})), "1");
  }
  EXPECT_EQ(live, 0);
}

TEST(Linker, FailsIfThereIsNoState) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", Half));
  ASSERT_EQ(ErrorText(eyrie_linker_set_state(
                linker.get(), "host",
                [](void*, void**) {
                  return eyrie_error_create(EYRIE_UNAVAILABLE, "Not today.");
                },
                nullptr, nullptr, nullptr)),
            "OK");
  EXPECT_EQ(Text(CallForwarded(linker, "0f_f", "", {1.f})),
            "14: Not today. (the state of the module host)");
}

TEST(Linker, PassesObjects) {
  Linker linker;
  std::weak_ptr<Counter> made;
  ASSERT_TRUE(linker.Define("host.new", [&] {
    auto counter = std::make_shared<Counter>();
    made = counter;
    return counter;
  }));
  ASSERT_TRUE(linker.Define("host.add", [](std::shared_ptr<Counter> counter) {
    return counter ? ++counter->count : -1;
  }));
  tests::ModuleBuilder module;
  AddForwarding(module, "host.new", "0v_r", "", "new");
  AddForwarding(module, "host.add", "0r_i", "", "add");
  auto context =
      Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
  ASSERT_TRUE(context) << Text(context);
  {
    auto object = context->Call("new", {});
    ASSERT_TRUE(object) << Text(object);
    EXPECT_EQ(Text(object), "<host.object>");
    EXPECT_EQ(Text(context->Call("add", *object)), "1");
    EXPECT_EQ(Text(context->Call("add", *object)), "2");
    EXPECT_EQ(Text(context->Call("add", {Value()})), "-1");
    EXPECT_EQ(made.lock()->count, 2);
  }
  EXPECT_TRUE(made.expired());
}

TEST(Linker, CallsBack) {
  tests::ModuleBuilder module;
  AddForwarding(module, "host.f", "0i_i");
  module.AddFunction("twice", "0i_i", "entry: add.i32 i0 i0 i1 return [i1]");
  Linker linker;
  ASSERT_TRUE(linker.Define(
      "host.f", [](HostCall& call, int32_t depth) -> Result<int32_t> {
        auto next = call.Find(depth == 0 ? "twice" : "f");
        if (!next) return next.error();
        auto results = next->Call({depth == 0 ? 21 : depth - 1});
        if (!results) return results.error();
        return *results->front().As<int32_t>();
      }));
  for (const Jit jit : {Jit::kOff, Jit::kEager}) {
    auto context =
        Context::Create(CpuDevice(jit), Loaded(module), {.linker = &linker});
    EXPECT_EQ(Text(context->Call("f", {0})), "42");
    EXPECT_EQ(Text(context->Call("f", {20})), "42");
    // The number of levels is limited.
    const auto deep = context->Call("f", {1000});
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().code(), EYRIE_RESOURCE_EXHAUSTED);
    EXPECT_EQ(Text(context->Call("f", {3})), "42");
  }
}

// Initializers may call host functions, which then have no context.
TEST(Linker, ServesInitializers) {
  tests::ModuleBuilder module;
  module.AddImport("host.f", "0i_i");
  module.AddFunction("__init", "0v_v",
                     "entry: const.i32 7 i0 call #0 [i0] [i1] return []");
  Linker linker;
  int seen = 0;
  ASSERT_TRUE(linker.Define("host.f", [&](HostCall& call, int32_t x) {
    EXPECT_EQ(call.context(), nullptr);
    EXPECT_EQ(Text(call.Find("f")),
              "9: The context's initializers have not ended.");
    return seen = x;
  }));
  EXPECT_EQ(
      Text(Context::Create(CpuDevice(), Loaded(module), {.linker = &linker})),
      "OK");
  EXPECT_EQ(seen, 7);
}

constexpr char kAsyncHost[] =
    "async func @f(%a: tensor<?xf32>) -> tensor<?xf32>";

// A module with fences calls a function that another thread finishes.
TEST(Linker, SignalsFences) {
  const struct {
    bool fails;
    const char* want;
  } kRows[] = {{false, "2x21000020=8"}, {true, "10: Too late."}};
  for (const auto& row : kRows) {
    std::thread worker;
    Linker linker;
    ASSERT_TRUE(linker.DefineAsync(
        "host.f",
        [&](HostCall& call, Tensor<float> x) -> Result<Tensor<float>> {
          auto wait = call.wait();
          worker = std::thread([&row, wait, signal = call.signal()]() mutable {
            if (wait) {
              EXPECT_EQ(Text(wait->Wait()), "OK");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (row.fails) return signal.Fail({EYRIE_ABORTED, "Too late."});
            EXPECT_EQ(Text(signal.Signal()), "OK");
          });
          return x;
        }));
    tests::ModuleBuilder module;
    AddForwarding(module, "host.f", "0rrr_r", kAsyncHost);
    module.functions.back().attributes.emplace_back("iree.abi.model",
                                                    "coarse-fences");
    auto context =
        Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
    ASSERT_TRUE(context) << Text(context);
    EXPECT_EQ(Text(context->Call("f", {Floats({1, 2})})), row.want);
    worker.join();
  }
}

// A module with fences may call a function that knows of none.
TEST(Linker, WaitsForOthers) {
  for (const bool fails : {false, true}) {
    Linker linker;
    ASSERT_TRUE(linker.Define(
        "host.f", [fails](Tensor<float> x) -> Result<Tensor<float>> {
          if (fails) return Error(EYRIE_DATA_LOSS, "It is lost.");
          return x;
        }));
    tests::ModuleBuilder module;
    AddForwarding(module, "host.f", "0rrr_r", kAsyncHost);
    module.functions.back().attributes.emplace_back("iree.abi.model",
                                                    "coarse-fences");
    auto context =
        Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
    const std::string text = Text(context->Call("f", {Floats({1, 2})}));
    EXPECT_EQ(text.substr(0, 15), fails ? "15: It is lost." : "2x21000020=8");
  }
}

TEST(Linker, ServesThreads) {
  Linker linker;
  std::atomic<int> calls = 0;
  ASSERT_TRUE(linker.Define("host.f", [&](int32_t x) {
    ++calls;
    return x + 1;
  }));
  const Module module = Forwarding("host.f", "0i_i");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto context = Context::Create(CpuDevice(), module, {.linker = &linker});
      for (int call = 0; call < 100; ++call) {
        EXPECT_EQ(Text(context->Call("f", {call})), absl::StrCat(call + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 400);
}

TEST(Linker, LimitsHostFunctions) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", [](HostCall& call) -> Result<void> {
    for (;;) {
      if (auto good = call.Check(10); !good) return good;
    }
  }));
  auto context = Context::Create(CpuDevice(), Forwarding("host.f", "0v_v"),
                                 {.fuel = 1000, .linker = &linker});
  const auto called = context->Call("f", {});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code(), EYRIE_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace eyrie
