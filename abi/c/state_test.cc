// Tests globals by name, snapshots, and contexts that begin with a snapshot.
#include <span>
#include <string>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/lavapipe.h"
#include "vm/asm/assembler.h"

namespace eyrie {
namespace {

// Calls a function and returns its results or its error as text.
std::string Said(Context& context, const std::string& function,
                 const std::vector<Value>& arguments = {}) {
  const auto results = context.Call(function, arguments);
  if (!results) return Text(results);
  std::string text;
  for (const Value& result : *results) {
    const auto numbers = result.elements<float>();
    if (!numbers) {
      absl::StrAppend(&text, ValueText(result.get()), " ");
      continue;
    }
    for (const float number : *numbers) absl::StrAppend(&text, number, " ");
  }
  return text;
}

std::string Got(const Result<Value>& value) {
  return value ? ValueText(value->get()) : Text(value);
}

Value Two(float a, float b) {
  return *Value::Array({2}, std::vector<float>{a, b});
}

Module Assembled(const char* text) {
  const auto bytes = vm::Assemble(text, "test.vmasm");
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  auto module = Module::Load(std::as_bytes(std::span(*bytes)));
  EXPECT_TRUE(module) << Text(module);
  return *std::move(module);
}

// The global @x has a name; @list and @same are the same list, which contains a
// buffer and itself. The initializer counts in a global that no one resets.
constexpr char kState[] = R"(
vm.module @state version 0
vm.type !vm.buffer
vm.type !vm.list<?>
vm.global.i32 private mutable @x
vm.global.ref private mutable @list : !vm.list<?>
vm.global.ref private mutable @same : !vm.list<?>
vm.export @__init
vm.func @__init() -> () {
^bb0:
  %i0 = vm.const.i32 7
  vm.global.store.i32 %i0, @x
  %i1 = vm.const.i32 2
  %i2 = vm.const.i32.zero
  %i3 = vm.const.i32 1
  %i4:5 = vm.const.i64 4
  %i6:7 = vm.const.i64.zero
  %r0 = vm.list.alloc %i1 : !vm.list<?>
  vm.list.resize %r0, %i1
  %r1 = vm.buffer.alloc %i4:5, %i2
  vm.buffer.store.i32 %i0, %r1, %i6:7
  vm.list.set.ref %r0, %i2, %r1
  vm.list.set.ref %r0, %i3, %r0
  vm.global.store.ref %r0, @list : !vm.list<?>
  vm.global.store.ref %r0, @same : !vm.list<?>
  vm.return
}
vm.export @global$x$get
vm.func @global$x$get() -> (i32) {
^bb0:
  %i0 = vm.global.load.i32 @x
  vm.return %i0
}
vm.export @global$x$set
vm.func @global$x$set(%i0: i32) -> () {
^bb0:
  vm.global.store.i32 %i0, @x
  vm.return
}
vm.export @global$k.c$get
vm.func @global$k.c$get() -> (i32) {
^bb0:
  %i0 = vm.const.i32 5
  vm.return %i0
}
vm.export @inner
vm.func @inner() -> (i32, i32) {
^bb0:
  %i0 = vm.const.i32.zero
  %i1 = vm.const.i32 1
  %i2:3 = vm.const.i64.zero
  %r0 = vm.global.load.ref @list : !vm.list<?>
  %r1 = vm.global.load.ref @same : !vm.list<?>
  %r2 = vm.list.get.ref %r0, %i1 : !vm.list<?>
  %i4 = vm.cmp.eq.ref %r1, %r2
  %r3 = vm.list.get.ref %r2, %i0 : !vm.buffer
  %i5 = vm.buffer.load.i32 %r3, %i2:3
  vm.return %i4, %i5
}
vm.export @put
vm.func @put(%i0: i32) -> () {
^bb0:
  %i1 = vm.const.i32.zero
  %i2:3 = vm.const.i64.zero
  %r0 = vm.global.load.ref @list : !vm.list<?>
  %r1 = vm.list.get.ref %r0, %i1 : !vm.buffer
  vm.buffer.store.i32 %i0, %r1, %i2:3
  vm.return
}
)";

struct StateTest : testing::Test {
  StateTest()
      : device(*Device::Open("local-sync")),
        module(Assembled(kState)),
        context(*Context::Create(device, module)) {}

  Device device;
  Module module;
  Context context;
};

TEST_F(StateTest, GlobalsHaveNames) {
  std::string text;
  for (const eyrie_global_info_t& global : module.globals()) {
    absl::StrAppend(&text, global.name, " ", global.is_mutable, "|");
  }
  EXPECT_EQ(text, "x 1|k.c 0|");
  EXPECT_EQ(eyrie_module_global(module.get(), 2), nullptr);

  EXPECT_EQ(Got(context.GetGlobal("x")), "7");
  EXPECT_EQ(Text(context.SetGlobal("state.x", 8)), "OK");
  EXPECT_EQ(Got(context.GetGlobal("state.x")), "8");
  EXPECT_EQ(Got(context.GetGlobal("k.c")), "5");
  EXPECT_EQ(Got(context.GetGlobal("state.k.c")), "5");
}

TEST_F(StateTest, ErrorsOfGlobalsAreSentences) {
  EXPECT_EQ(Text(context.SetGlobal("k.c", 8)),
            "5: The global 'k.c' is a constant.");
  EXPECT_EQ(Got(context.GetGlobal("y")),
            "5: No module exports a global 'y'. The globals are 'x', 'k.c'.");
  EXPECT_EQ(Text(context.SetGlobal("x", "text")).substr(0, 2), "3:");
  auto none =
      Context::Create(device, *Module::Load("tests/modules/3.13/add.vmfb"));
  EXPECT_EQ(
      Got(none->GetGlobal("y")),
      "5: No module exports a global 'y'. The modules export no globals.");
}

// A constant of the last module hides a global of an earlier one.
TEST_F(StateTest, ConstantsHideGlobalsOfEarlierModules) {
  for (const char* const name : {"state", "other"}) {
    const Module last =
        Assembled(absl::StrCat("vm.module @", name, R"( version 0
vm.export @global$x$get
vm.func @global$x$get() -> (i32) {
^bb0:
  %i0 = vm.const.i32 5
  vm.return %i0
}
)")
                      .c_str());
    auto both = Context::Create({&device}, {&module, &last});
    ASSERT_TRUE(both) << Text(both);
    EXPECT_EQ(Got(both->GetGlobal("x")), "5");
    EXPECT_EQ(Text(both->SetGlobal("x", 8)),
              "5: The global 'x' is a constant.");
    EXPECT_EQ(Got(both->GetGlobal("k.c")), "5");
  }
}

TEST_F(StateTest, ListsAndBuffersAreCopiedWithTheirShape) {
  const auto before = context.TakeSnapshot();
  ASSERT_TRUE(before) << Text(before);
  EXPECT_EQ(Said(context, "put", {9}), "");
  EXPECT_EQ(Said(context, "inner"), "1 9 ");
  EXPECT_EQ(Text(context.SetGlobal("x", 3)), "OK");
  // A snapshot may be restored any number of times.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Text(context.Restore(*before)), "OK");
    EXPECT_EQ(Said(context, "inner"), "1 7 ");
    EXPECT_EQ(Got(context.GetGlobal("x")), "7");
    EXPECT_EQ(Said(context, "put", {10}), "");
  }
  auto other = Context::Create(device, module, {.snapshot = &*before});
  ASSERT_TRUE(other) << Text(other);
  EXPECT_EQ(Said(*other, "inner"), "1 7 ");
  EXPECT_EQ(Said(*other, "put", {11}), "");
  EXPECT_EQ(Said(context, "inner"), "1 10 ");
}

TEST_F(StateTest, SnapshotsAreOfOneSetOfModulesAndDevices) {
  const auto snapshot = context.TakeSnapshot();
  ASSERT_TRUE(snapshot) << Text(snapshot);
  auto again = Context::Create(device, Assembled(kState));
  EXPECT_EQ(Text(again->Restore(*snapshot)),
            "3: The snapshot is of other modules than those of the context. "
            "Modules that are loaded again are other modules.");
  auto elsewhere = Context::Create(*Device::Open("local-sync"), module);
  EXPECT_EQ(Text(elsewhere->Restore(*snapshot)),
            "3: The snapshot is of other devices than those of the context.");
}

TEST_F(StateTest, CopiesCountAsMemoryOfTheContext) {
  const auto snapshot = context.TakeSnapshot();
  ASSERT_TRUE(snapshot) << Text(snapshot);
  const auto small = Context::Create(
      device, module, {.max_memory = 300, .snapshot = &*snapshot});
  EXPECT_EQ(Text(small).substr(0, 2), "8:") << Text(small);
  auto large = Context::Create(device, module,
                               {.max_memory = 1 << 20, .snapshot = &*snapshot});
  ASSERT_TRUE(large) << Text(large);
  EXPECT_GT(large->usage().memory, 300u);
}

TEST_F(StateTest, AFailedContextIsNotCopied) {
  context.Cancel();
  EXPECT_EQ(Text(context.TakeSnapshot()).substr(0, 2), "1:");
  EXPECT_EQ(Text(context.TakeSnapshot()).substr(0, 2), "9:");
}

struct StateRow {
  const char* device;
  const char* module;
};

class StateOfTensors : public testing::TestWithParam<StateRow> {};

TEST_P(StateOfTensors, IsRestored) {
  ChooseLavapipe();
  const auto device = Device::Open(GetParam().device);
  if (!device) GTEST_SKIP() << device.error().message();
  const auto module =
      Module::Load(std::string("tests/modules/3.13/") + GetParam().module);
  ASSERT_TRUE(module) << Text(module);
  auto context = Context::Create(*device, *module);
  ASSERT_TRUE(context) << Text(context);
  EXPECT_EQ(Said(*context, "next"), "1 ");
  EXPECT_EQ(Said(*context, "accumulate", {Two(1, 2)}), "101 202 ");

  const auto snapshot = context->TakeSnapshot();
  ASSERT_TRUE(snapshot) << Text(snapshot);
  EXPECT_EQ(Said(*context, "accumulate", {Two(1, 2)}), "102 204 ");
  auto other = Context::Create(*device, *module, {.snapshot = &*snapshot});
  ASSERT_TRUE(other) << Text(other);
  EXPECT_EQ(Said(*other, "accumulate", {Two(0.5, 0)}), "101.5 202 ");
  EXPECT_EQ(Said(*other, "next"), "2 ");
  EXPECT_EQ(Text(context->Restore(*snapshot)), "OK");
  EXPECT_EQ(Said(*context, "accumulate", {Two(0, 0)}), "101 202 ");
  EXPECT_EQ(Said(*other, "accumulate", {Two(0, 0)}), "101.5 202 ");
}

INSTANTIATE_TEST_SUITE_P(
    Devices, StateOfTensors,
    testing::Values(StateRow{"local-sync", "counter.vmfb"},
                    StateRow{"local-sync", "counter.async.vmfb"},
                    StateRow{"local-task", "counter.async.vmfb"},
                    StateRow{"vulkan", "counter.vulkan.vmfb"},
                    StateRow{"vulkan", "counter.vulkan-async.vmfb"}),
    [](const auto& row) {
      std::string name = absl::StrCat(row.param.device, row.param.module);
      std::erase_if(name, [](char c) { return !isalnum(c); });
      return name;
    });

}  // namespace
}  // namespace eyrie
