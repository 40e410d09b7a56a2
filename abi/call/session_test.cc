// Tests sessions with real modules: lookup, checks before calls, fences, state.
#include "abi/call/session.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/prepared_call.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/value/json_value.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "hal/parameters/parameter_index.h"
#include "tests/support/releases.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"
#include "vm/asm/assembler.h"

namespace eyrie::abi {
namespace {

// Parses texts that are separated by ';' as arguments of any type.
std::vector<vm::Value> Arguments(Session& session, absl::string_view texts) {
  std::vector<vm::Value> values;
  const std::vector<std::string> list =
      absl::StrSplit(texts, ';', absl::SkipEmpty());
  for (const std::string& text : list) {
    const bool tensor = absl::StrContains(text, 'x') || text == "(null)";
    ValueSlot slot;
    slot.type = tensor ? vm::ValueType::kRef : vm::ValueType::kI32;
    ValueReader reader(session.devices()[0], "");
    values.push_back((*reader.Read({&text, 1}, {&slot, 1}))[0].value);
  }
  return values;
}

// Returns the results as text, or the error.
std::string Call(Session& session, absl::string_view function,
                 absl::string_view arguments) {
  auto callable = session.Lookup(function);
  if (!callable.ok()) return StatusText(callable);
  const auto results =
      tests::CallRegisters(session, *callable, Arguments(session, arguments));
  if (!results.ok()) return StatusText(results);
  std::string text;
  for (const vm::Value& value : *results) {
    AppendValue(value, PrintOptions(), text);
    text += ";";
  }
  return text;
}

TEST(Session, PreparedCallsAreMadeAgain) {
  for (const char* file : {"3.13/add.vmfb", "3.13/add.async.vmfb"}) {
    SCOPED_TRACE(file);
    std::unique_ptr<Session> session = tests::OpenSession(file);
    const auto add = session->Lookup("add");
    auto arguments = Arguments(*session, "4xf32=1 2 3 4;4xf32=10");
    auto call = PreparedCall::Create(*add, std::move(arguments));
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_TRUE(call->results().empty());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(call->Invoke().ok());
      ASSERT_EQ(call->results().size(), 1u);
      std::string text;
      AppendValue(call->results()[0], PrintOptions(), text);
      EXPECT_EQ(text, "hal.buffer_view\n4xf32=11 12 13 14");
    }
    session->Cancel();
    EXPECT_FALSE(call->Invoke().ok());
    EXPECT_TRUE(call->results().empty());
  }
}

TEST(Session, CallsOfEveryReleaseAndModel) {
  for (const char* release : tests::kReleases) {
    for (const char* variant :
         {"add.vmfb", "add.async.vmfb", "add.bare.vmfb"}) {
      SCOPED_TRACE(absl::StrCat(release, "/", variant));
      auto session = tests::OpenSession(absl::StrCat(release, "/", variant));
      ASSERT_NE(session, nullptr);
      EXPECT_TRUE(session->has_host_modules());
      auto add = session->Lookup("");
      ASSERT_TRUE(add.ok());
      EXPECT_EQ(add->declared().ArgumentsText(),
                "(input0: 4xf32, input1: 4xf32)");
      // Call twice: the fences are on one timeline, and the arguments do not
      // change.
      const auto arguments = Arguments(*session, "4xf32=1 2 3 4;4xf32=10");
      for (int call = 0; call < 2; ++call) {
        const auto results = add->Call(arguments);
        ASSERT_EQ(StatusText(results), "OK");
        std::string text;
        AppendValue((*results)[0], PrintOptions(), text);
        EXPECT_EQ(text, "hal.buffer_view\n4xf32=11 12 13 14");
      }
      std::string text;
      AppendValue(arguments[0], PrintOptions(), text);
      EXPECT_EQ(text, "hal.buffer_view\n4xf32=1 2 3 4");
    }
  }
}

TEST(Session, ArgumentsAreCheckedBeforeTheCall) {
  const struct {
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"4xf32=1;4xf32=2", "hal.buffer_view\n4xf32=3 3 3 3;"},
      {"4x*32=0000803F;4xf32=2",  // untyped bytes match any type
       "hal.buffer_view\n4xf32=3 3 3 3;"},
      {"4xf32=1",
       "INVALID_ARGUMENT: Function 'add': missing argument 'input1': "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"4xf32=1;4xf32=2;4xf32=3",
       "INVALID_ARGUMENT: Function 'add' takes 2 arguments; 3 are given: "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"5xf32=1;4xf32=2",
       "INVALID_ARGUMENT: Argument 0 ('input0'): an array 5xf32 is given; "
       "dimension 0 is 5, expected 4 (4xf32)."},
      {"4xf32=1;2x2xf32=2",
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 2x2xf32 is given; "
       "the rank is 2, expected 1 (4xf32)."},
      {"4xi32=1;4xf32=2",
       "INVALID_ARGUMENT: Argument 0 ('input0'): an array 4xi32 is given; "
       "4xf32 is expected, and i32 cannot be converted to f32 without loss."},
      {"4xf64=1;4xf32=2",
       "INVALID_ARGUMENT: Argument 0 ('input0'): an array 4xf64 is given; "
       "4xf32 is expected, and f64 cannot be converted to f32 without loss."},
      {"4xf16=1;4xf32=2", "hal.buffer_view\n4xf32=3 3 3 3;"},  // without loss
      {"4xf32=1;7",
       "INVALID_ARGUMENT: Argument 1 ('input1'): the integer 7 is given; the "
       "rank is 0, expected 1 (4xf32)."},
      {"4xf32=1;(null)",
       "INVALID_ARGUMENT: Argument 1 ('input1'): null is given; 4xf32 is "
       "expected."},
      {"&4xf32=1;4xf32=2",
       "INVALID_ARGUMENT: Argument 0 ('input0'): a hal.buffer is given; 4xf32 "
       "is expected."},
  };
  for (const char* variant : {"3.13/add.vmfb", "3.13/add.async.vmfb"}) {
    auto session = tests::OpenSession(variant);
    ASSERT_NE(session, nullptr);
    for (const auto& row : kRows) {
      EXPECT_EQ(Call(*session, "add", row.arguments), row.want);
    }
  }
}

// Integers of the same width are accepted for each other if their values fit.
TEST(Session, IntegersFitTheDeclaredType) {
  const struct {
    const char* function;
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"signed", "1x2xui8=1 127", "hal.buffer_view\n1x2xui8=[1 127];"},
      {"signed", "1x2xi8=1 200", "hal.buffer_view\n1x2xi8=[1 -56];"},
      {"signed", "2x2xui8=1 2 200 3",
       "INVALID_ARGUMENT: Argument 0 ('input0')[1][0]: 200 is out of range "
       "for si8 (-128 to 127)."},
      {"unsigned", "1x2xsi8=0 -1",
       "INVALID_ARGUMENT: Argument 0 ('input0')[0][1]: -1 is out of range for "
       "ui8 (0 to 255)."},
      {"signed_32", "2xui32=1 4000000000",
       "INVALID_ARGUMENT: Argument 0 ('input0')[1]: 4000000000 is out of "
       "range for si32 (-2147483648 to 2147483647)."},
  };
  for (const char* release : tests::kReleases) {
    auto session = tests::OpenSession(absl::StrCat(release, "/sharing.vmfb"));
    ASSERT_NE(session, nullptr);
    for (const auto& row : kRows) {
      EXPECT_EQ(Call(*session, row.function, row.arguments), row.want);
    }
  }
}

TEST(Session, Lookup) {
  auto session = tests::OpenSession("3.13/counter.vmfb");
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(StatusText(session->Lookup("module.next")), "OK");
  const std::string unnamed = StatusText(session->Lookup(""));
  EXPECT_TRUE(absl::StrContains(unnamed, "one must be named: '")) << unnamed;
  EXPECT_TRUE(absl::StrContains(unnamed, "'next'")) << unnamed;
  EXPECT_FALSE(absl::StrContains(unnamed, "__init")) << unnamed;
  const std::string mistyped = StatusText(session->Lookup("nexd"));
  EXPECT_TRUE(absl::StrContains(
      mistyped, "exports no function 'nexd'; did you mean 'next'?"))
      << mistyped;
  const std::string unknown = StatusText(session->Lookup("classify"));
  EXPECT_TRUE(absl::StrContains(unknown, "exports no function 'classify'. It"))
      << unknown;
}

TEST(Session, GlobalsAreTheSessions) {
  auto a = tests::OpenSession("3.13/counter.vmfb");
  auto b = tests::OpenSession("3.13/counter.vmfb");
  ASSERT_NE(a, nullptr);
  const std::string first = Call(*a, "next", "");
  EXPECT_NE(Call(*a, "next", ""), first);
  EXPECT_EQ(Call(*b, "next", ""), first);
}

TEST(Session, Tensors) {
  auto session = tests::OpenSession("3.13/add.vmfb");
  ASSERT_NE(session, nullptr);
  hal::Device& device = *session->devices()[0];
  const hal::TensorType spec = *hal::TensorType::ParseStatic("2xi16");
  const uint8_t bytes[] = {1, 0, 2, 0};
  const auto view = *CopyTensor(device, spec, bytes);
  EXPECT_EQ(view->ShapeAndType(), "2xi16");
  const auto read = *BytesOf(*view);
  EXPECT_EQ(std::vector<uint8_t>(read.begin(), read.end()),
            std::vector<uint8_t>(bytes, bytes + 4));
  EXPECT_EQ(StatusText(CopyTensor(device, spec, std::span(bytes).first(3))),
            "INVALID_ARGUMENT: 3 bytes are given; 2xi16 needs 4.");
}

// A device cannot fill with a pattern of 16 bytes, so it reads pieces of 64
// KiB.
TEST(Session, PiecesOfWideSplatsTakeFuel) {
  const auto fuel = [](absl::string_view length) -> uint64_t {
    const auto bytes = vm::Assemble(absl::StrCat(R"(vm.module @t version 0
vm.type !hal.device
vm.type !hal.fence
vm.type !hal.buffer
vm.type !vm.buffer
vm.import @hal.devices.get cconv "0i_r"
vm.import @hal.fence.create cconv "0rI_r"
vm.import @io_parameters.load cconv "0rIrrrIiirrr_r"
vm.rodata[0] = 0000000004000000
vm.rodata[1] = 77696465  // "wide"
vm.rodata[2] = 00000000000000000000000000000000)",
                                                 length,
                                                 R"(
vm.export @f
vm.func @f() -> () {
^bb0:
  %i0 = vm.const.i32.zero
  %i2:3 = vm.const.i64.zero
  %i4:5 = vm.const.i64 -1
  %i6 = vm.const.i32 50
  %i7 = vm.const.i32 3075
  %r0 = vm.const.ref.zero
  %r1 = vm.call @hal.devices.get(%i0)
  %r2 = vm.call @hal.fence.create(%r1, %i2)
  %r3 = vm.const.ref.rodata 0
  %r4 = vm.const.ref.rodata 1
  %r5 = vm.const.ref.rodata 2
  %r0 = vm.call @io_parameters.load(%r1, %i4, %r0, %r2, %r0, %i4, )"
                                                 R"(%i6, %i7, %r3, %r4, %r5)
  vm.return
}
)"),
                                    "wide.vmasm");
    EXPECT_EQ(StatusText(bytes), "OK");
    const auto program = LoadProgram(*bytes, "wide.vmfb");
    EXPECT_EQ(StatusText(program), "OK");
    hal::ParameterEntry wide;
    wide.key = "wide";
    wide.length = 1 << 20;
    wide.storage = hal::Splat{{1, 2, 3}, 16};
    auto scopes = std::make_shared<hal::ParameterScopes>();
    EXPECT_EQ(StatusText(scopes->scope("").Add({wide}, nullptr)), "OK");
    SessionOptions options;
    options.limits.fuel = 1 << 20;
    options.parameters = scopes;
    auto session = Session::Create(
        {*program}, *OpenDevices({}, hal::DriverOptions()), options);
    EXPECT_EQ(StatusText(session), "OK");
    auto f = *(*session)->Lookup("f");
    EXPECT_EQ(StatusText(f.Call({})), "OK");
    return (*session)->context().meter().FuelUsed();
  };
  EXPECT_EQ(fuel("0000100000000000") - fuel("0000010000000000"), 15u);
}

// A function without a declaration has the signature of its records, not of its
// code.
TEST(Session, RecordsAreBeforeTheTypesOfCode) {
  const auto bytes = vm::Assemble(R"(vm.module @t version 0
vm.import @hal.buffer_view.buffer cconv "0r_r"
vm.export @f
//! func.attr "d" = e"{\"a\":[[\"named\",\"x\",[\"ndarray\",\"f32\",1,4]]]}"
vm.func @f(%r0: !vm.ref<?>) -> () {
^bb0:
  %r1 = vm.call @hal.buffer_view.buffer(%r0)
  vm.return
}
)",
                                  "records.vmasm");
  ASSERT_EQ(StatusText(bytes), "OK");
  const auto program = LoadProgram(*bytes, "records.vmfb");
  ASSERT_EQ(StatusText(program), "OK");
  auto session = Session::Create(
      {*program}, *OpenDevices({}, hal::DriverOptions()), SessionOptions());
  ASSERT_EQ(StatusText(session), "OK");
  const auto invoker = Invoker::Create(**session, *(*session)->Lookup("f"));
  ASSERT_EQ(StatusText(invoker), "OK");
  EXPECT_EQ(invoker->signature().ToString(), "f(x: 4xf32) -> ()");
  EXPECT_EQ((*session)->Lookup("f")->declared().source_name(), "inferred");
}

// An error of an import names the argument that it concerns. The types of these
// arguments are not known before the call, because not every path asks.
TEST(Session, ErrorsOfImportsNameTheArgument) {
  const auto bytes = vm::Assemble(R"(vm.module @t version 0
vm.import @hal.buffer_view.dim cconv "0ri_I"
vm.export @f
vm.func @f(%r0: !vm.ref<?>, %r1: !vm.ref<?>, %i0: i32, %i1: i32) -> () {
^bb0:
  vm.cond_br %i0, ^bb1(), ^bb2()
^bb1:
  %i2:3 = vm.call @hal.buffer_view.dim(%r0, %i1)
  vm.return
^bb2:
  %i2:3 = vm.call @hal.buffer_view.dim(%r1, %i1)
  vm.return
}
)",
                                  "either.vmasm");
  ASSERT_EQ(StatusText(bytes), "OK");
  const auto program = LoadProgram(*bytes, "either.vmfb");
  ASSERT_EQ(StatusText(program), "OK");
  auto session = Session::Create(
      {*program}, *OpenDevices({}, hal::DriverOptions()), SessionOptions());
  ASSERT_EQ(StatusText(session), "OK");
  auto f = *Invoker::Create(**session, *(*session)->Lookup("f"));
  const struct {
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"[A, A, 1, 0]", "OK"},
      {"[A, A, 1, 3]",
       "INVALID_ARGUMENT: Argument 0: Dimension 3 exceeds the rank (1)."},
      {"[A, A, 0, 3]",
       "INVALID_ARGUMENT: Argument 1: Dimension 3 exceeds the rank (1)."},
      {"[[1], A, 1, 0]",
       "INVALID_ARGUMENT: Argument 0 is a vm.list, not a hal.buffer_view."},
      {"[A, null, 0, 0]",
       "INVALID_ARGUMENT: Argument 1 is null; a hal.buffer_view is required."},
      // It may concern either: the number is the operand's.
      {"[null, null, 0, 0]",
       "INVALID_ARGUMENT: Argument 0 is null; a hal.buffer_view is required."},
      {"[A, A, 1, 0]", "OK"},
  };
  for (const auto& row : kRows) {
    const auto text = absl::StrReplaceAll(
        row.arguments, {{"A", R"({"$dtype": "f32", "data": [1]})"}});
    const auto values = FromJson(*ParseJson(text), JsonFiles::kRefused);
    std::vector<HostValue> results;
    const std::string got = StatusText(f.Call(*values->items(), {}, results));
    EXPECT_EQ(got.substr(0, got.find('\n')), row.want) << row.arguments;
  }
}

}  // namespace
}  // namespace eyrie::abi
