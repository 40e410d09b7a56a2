// Compares the direct way of values, abi/value/direct.h, with the general one:
// the same registers, the same results, the same errors.
#include "abi/value/direct.h"

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/signature/signature_rows.h"
#include "abi/value/decoder.h"
#include "abi/value/encoder.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "hal/buffer_view.h"
#include "tests/support/json_text.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
using Int = HostValue::Int;
using Float = HostValue::Float;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Returns the value as JSON with the width of a number: "-3:32".
std::string Text(const HostValue& value) {
  std::string text = tests::JsonText(value);
  if (value.integer() != nullptr) {
    absl::StrAppend(&text, ":", value.integer()->bits,
                    value.integer()->is_unsigned ? "u" : "");
  }
  if (value.number() != nullptr) {
    absl::StrAppend(&text, ":", value.number()->bits);
  }
  return text;
}

Signature SignatureOf(absl::string_view convention, const std::string& json) {
  return *ReadSignature(convention, {{"iree.abi", json}});
}

Ref<hal::Device> LocalSync() {
  return (*OpenDevices({}, hal::DriverOptions()))[0];
}

// Returns {0, 1, 2, 3} as f32, which may be lent.
std::shared_ptr<const HostArray> FourFloats(
    std::span<const int64_t> strides = {}) {
  alignas(64) static float numbers[8] = {0, 1, 2, 3};
  const int64_t shape[] = {4};
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(numbers), sizeof(numbers));
  return *HostArray::Borrow(ElementType::kFloat32, shape, strides,
                            bytes.first(strides.empty() ? 16 : 32));
}

HostValue Zeros(ElementType type, std::vector<int64_t> shape) {
  size_t size = hal::StrideBits(type) / 8;
  for (const int64_t dimension : shape) size *= static_cast<size_t>(dimension);
  return HostValue(
      (*HostArray::Copy(type, shape, std::vector<uint8_t>(size, 0)))->Lent());
}

struct ArgumentRow {
  const char* carrier;
  const char* type;  // as JSON
  HostValue value;
  bool direct;
};

std::vector<ArgumentRow> NumberRows() {
  return {
      {"i", R"("i1")", HostValue(true), true},
      {"i", R"("i1")", HostValue(false), true},
      {"i", R"("i1")", HostValue(int32_t{1}), false},
      {"i", R"("i1")", HostValue(int32_t{2}), false},
      {"i", R"("i8")", HostValue(int32_t{-128}), true},
      {"i", R"("i8")", HostValue(int32_t{127}), true},
      {"i", R"("i8")", HostValue(int32_t{128}), false},
      {"i", R"("i8")", HostValue(int32_t{255}), false},
      {"i", R"("i8")", HostValue(int32_t{256}), false},
      {"i", R"("i8")", HostValue(int32_t{-129}), false},
      {"i", R"("si16")", HostValue(int32_t{-32768}), true},
      {"i", R"("si16")", HostValue(int32_t{32768}), false},
      {"i", R"("ui16")", HostValue(int32_t{65535}), true},
      {"i", R"("ui16")", HostValue(int32_t{-1}), false},
      {"i", R"("ui16")", HostValue(int32_t{65536}), false},
      {"i", R"("i32")", HostValue(int32_t{-5}), true},
      {"i", R"("i32")", HostValue(int64_t{1} << 31), false},
      {"i", R"("i32")", HostValue(int64_t{1} << 32), false},
      {"i", R"("ui32")", HostValue((int64_t{1} << 32) - 1), true},
      {"i", R"("i32")", HostValue(true), false},
      {"i", R"("i32")", HostValue(1.0), false},
      {"i", R"("i32")", HostValue(), false},
      {"i", R"("i32")", HostValue::Bytes("7"), false},
      {"i", R"("i32")", Zeros(ElementType::kInt32, {}), false},
      {"I", R"("i64")", HostValue(kMin), true},
      {"I", R"("i64")", HostValue(kMax), true},
      {"I", R"("i64")", HostValue(Int{-1, 64, true}), false},
      {"I", R"("si64")", HostValue(Int{-1, 64, true}), false},
      {"I", R"("ui64")", HostValue(Int{-1, 64, true}), false},
      {"I", R"("ui64")", HostValue(int64_t{-1}), false},
      {"I", R"("ui64")", HostValue(kMax), true},
      {"I", R"("i32")", HostValue(int32_t{-7}), true},
      {"I", R"("ui8")", HostValue(int32_t{200}), true},
      {"f", R"("f32")", HostValue(0.1), true},
      {"f", R"("f32")", HostValue(1e300), false},
      {"f", R"("f32")", HostValue(std::numeric_limits<double>::infinity()),
       true},
      {"f", R"("f32")", HostValue(int32_t{3}), false},
      {"f", R"("f32")", HostValue(int32_t{(1 << 24) + 1}), false},
      {"f", R"("f32")", HostValue::Bytes("inf"), false},
      {"F", R"("f64")", HostValue(0.1), true},
      {"F", R"("f64")", HostValue(0.5f), true},
      {"F", R"("f64")", HostValue(kMax), false},
      {"i", R"("f16")", HostValue(0.5), false},
      {"f", R"("f64")", HostValue(0.1), false},
  };
}

std::vector<ArgumentRow> ArrayRows() {
  const auto floats = FourFloats();
  const int64_t strides[] = {8};
  const auto wide = FourFloats(strides);
  const char* const four = R"(["ndarray","f32",1,4])";
  return {
      {"r", four, HostValue(floats->Lent()), true},
      {"r", R"(["ndarray","f32",1,null])", HostValue(floats->Lent()), true},
      {"r", four, HostValue(floats), false},  // copied
      {"r", four, HostValue(floats->Lent()->ReadOnly()), false},
      {"r", four, HostValue(wide->Lent()), false},  // packed
      {"r", four, HostValue(), false},
      {"r", four, HostValue(1.5), false},
      {"r", four, Zeros(ElementType::kFloat64, {4}), false},
      {"r", four, Zeros(ElementType::kInt32, {4}), false},
      {"r", four, Zeros(ElementType::kFloat32, {5}), false},
      {"r", four, Zeros(ElementType::kFloat32, {4, 1}), false},
      {"r", four, Zeros(ElementType::kFloat32, {4}), true},
      {"r", R"(["ndarray","f32",0])", Zeros(ElementType::kFloat32, {}), true},
      {"r", R"(["ndarray","si8",1,null])", Zeros(ElementType::kUint8, {3}),
       false},
      {"r", R"(["ndarray","f32",2,0,null])",
       Zeros(ElementType::kFloat32, {0, 9}), true},
  };
}

void CheckArgument(const ArgumentRow& row, hal::Device& device) {
  SCOPED_TRACE(absl::StrCat(row.type, " of ", row.value.Describe()));
  const Signature signature =
      SignatureOf(absl::StrCat("0", row.carrier),
                  absl::StrCat(R"({"a":[)", row.type, "]}"));
  const Parameter& parameter = signature.arguments()[0];
  // The general way also makes the tensor of a lent array.
  CallStatistics statistics;
  Encoder encoder(&device, &statistics);
  vm::Slot general;
  const absl::Status encoded = encoder.Encode(row.value, parameter, general);
  const DirectPlan plan(signature.arguments());
  const HostValue* const values[] = {&row.value};
  vm::Slot slot;
  uint32_t lent = 0;
  const bool direct =
      plan.applies() && plan.Encode(values, &device, &slot, lent);
  EXPECT_EQ(direct, row.direct) << StatusText(encoded);
  if (direct) {
    EXPECT_EQ(StatusText(encoded), "OK");
    EXPECT_EQ(lent, statistics.lent);
    const bool is_wide = vm::IsWide(parameter.carrier) ||
                         parameter.carrier == vm::ValueType::kRef;
    EXPECT_EQ(std::memcmp(&slot, &general, is_wide ? 8 : 4), 0);
  }
  if (parameter.carrier == vm::ValueType::kRef && general.ref != nullptr) {
    general.ref->DropRef();
  }
}

TEST(Direct, ArgumentsAreTheSame) {
  const Ref<hal::Device> device = LocalSync();
  for (const ArgumentRow& row : NumberRows()) CheckArgument(row, *device);
  for (const ArgumentRow& row : ArrayRows()) CheckArgument(row, *device);
}

// An array needs a device, and a tensor that a module has released is made
// anew.
TEST(Direct, TensorsThatCannotBeUsed) {
  const Ref<hal::Device> device = LocalSync();
  const Signature signature =
      SignatureOf("0r", R"({"a":[["ndarray","f32",1,4]]})");
  const DirectPlan plan(signature.arguments());
  const HostValue value = Zeros(ElementType::kFloat32, {4});
  const HostValue* const values[] = {&value};
  vm::Slot slot;
  uint32_t lent = 0;
  EXPECT_FALSE(plan.Encode(values, nullptr, &slot, lent));
  EXPECT_FALSE(plan.Encode(values, device.get(), &slot, lent));
  const auto view = value.array()->Import(*device, ElementType::kFloat32);
  EXPECT_TRUE(plan.Encode(values, device.get(), &slot, lent));
  EXPECT_EQ(slot.ref, view->get());
  EXPECT_TRUE((*view)->buffer()->DiscardOwner());
  EXPECT_FALSE(plan.Encode(values, device.get(), &slot, lent));
}

struct ResultRow {
  const char* carrier;
  const char* type;  // as JSON
  vm::Value value;
  bool direct;
};

vm::Value TensorOf(hal::Device& device, ElementType type,
                   std::vector<int64_t> shape) {
  hal::TensorType spec;
  spec.element = type;
  spec.shape.assign(shape.begin(), shape.end());
  return vm::Value(Ref<RefObject>(*NewTensor(device, spec)));
}

std::vector<ResultRow> ResultRows(hal::Device& device) {
  return {
      {"i", R"("i1")", vm::Value(int32_t{3}), true},
      {"i", R"("i8")", vm::Value(int32_t{0x1FF}), true},
      {"i", R"("ui8")", vm::Value(int32_t{0x1FF}), true},
      {"i", R"("si16")", vm::Value(int32_t{0x8000}), true},
      {"i", R"("i32")", vm::Value(int32_t{-1}), true},
      {"i", R"("ui32")", vm::Value(int32_t{-1}), true},
      {"I", R"("i64")", vm::Value(int64_t{-1}), true},
      {"I", R"("ui64")", vm::Value(int64_t{-1}), true},
      {"I", R"("i32")", vm::Value(int64_t{-1}), true},
      {"I", R"("i32")", vm::Value(int64_t{1} << 31), false},
      {"I", R"("ui8")", vm::Value(int64_t{256}), false},
      {"f", R"("f32")", vm::Value(0.1f), true},
      {"F", R"("f64")", vm::Value(0.1), true},
      {"i", R"("f16")", vm::Value(int32_t{0x3800}), false},
      {"r", R"(["ndarray","f32",1,4])",
       TensorOf(device, ElementType::kFloat32, {4}), true},
      {"r", R"(["ndarray","f32",1,null])",
       TensorOf(device, ElementType::kFloat32, {0}), true},
      {"r", R"(["ndarray","f32",1,4])",
       TensorOf(device, ElementType::kFloat32, {5}), false},
      {"r", R"(["ndarray","f32",1,4])",
       TensorOf(device, ElementType::kFloat32, {2, 2}), false},
      {"r", R"(["ndarray","f32",1,4])",
       TensorOf(device, ElementType::kInt32, {4}), false},
      {"r", R"(["ndarray","si32",1,4])",
       TensorOf(device, ElementType::kInt32, {4}), false},
      {"r", R"(["ndarray","f32",1,4])", vm::Value(Ref<RefObject>()), false},
      {"r", R"(["ndarray","f32",1,4])",
       vm::Value(Ref<RefObject>(*device.CreateFence())), false},
  };
}

TEST(Direct, ResultsAreTheSame) {
  const Ref<hal::Device> device = LocalSync();
  for (const ResultRow& row : ResultRows(*device)) {
    const Signature signature =
        SignatureOf(absl::StrCat("0v_", row.carrier),
                    absl::StrCat(R"({"r":[)", row.type, "]}"));
    CallStatistics statistics;
    Decoder decoder(&statistics);
    const absl::StatusOr<HostValue> general =
        decoder.Decode(row.value, signature.results()[0].type);
    SCOPED_TRACE(absl::StrCat(row.type, " ", StatusText(general)));
    const DirectPlan plan(signature.results());
    vm::Slot slot = row.value.slot();
    if (row.value.ref() != nullptr) row.value.ref()->AddRef();
    HostValue result = HostValue::Bytes("the last call's");
    uint32_t lent = 0;
    const bool direct = plan.applies() && plan.CanDecode(&slot);
    EXPECT_EQ(direct, row.direct);
    if (!direct) {
      if (row.value.ref() != nullptr) row.value.ref()->DropRef();
      continue;
    }
    HostValue* const results[] = {&result};
    plan.Decode(&slot, results, lent);
    EXPECT_EQ(StatusText(general), "OK");
    EXPECT_EQ(lent, statistics.lent);
    EXPECT_EQ(Text(result), Text(*general));
    if (result.array() != nullptr) {
      EXPECT_EQ(result.array()->data(), general->array()->data());
      EXPECT_EQ(result.array()->ShapeText(), general->array()->ShapeText());
    }
  }
}

// Calls a function in both ways, and returns its results or its error. The
// general way is a call in three steps.
std::string CallBothWays(Session& session, absl::string_view function,
                         const std::vector<HostValue>& values) {
  Invoker invoker = *Invoker::Create(session, *session.Lookup(function));
  const auto text = [](const absl::Status& status,
                       const std::vector<HostValue>& results) {
    std::string line = StatusText(status);
    if (!status.ok()) return line;
    for (const HostValue& result : results) {
      absl::StrAppend(&line, " ", Text(result));
    }
    return line;
  };
  const auto in_steps = [&]() -> absl::StatusOr<std::vector<HostValue>> {
    auto arguments = invoker.Encode(values, {});
    if (!arguments.ok()) return arguments.status();
    Callable callable = invoker.callable();
    auto returned = callable.Call(*arguments);
    if (!returned.ok()) return returned.status();
    return invoker.Decode(*std::move(returned));
  };
  const auto general = in_steps();
  const std::string want = text(
      general.status(), general.ok() ? *general : std::vector<HostValue>());
  std::vector<HostValue> results;
  for (int call = 0; call < 2; ++call) {  // into new values, then into old ones
    const absl::Status status = invoker.Call(values, {}, results);
    EXPECT_EQ(text(status, results), want);
  }
  // Values that are to be replaced do not change if the call fails.
  std::vector<HostValue> old(invoker.signature().results().size(),
                             HostValue(7.0));
  std::vector<HostValue*> targets;
  for (HostValue& value : old) targets.push_back(&value);
  std::vector<const HostValue*> given;
  for (const HostValue& value : values) given.push_back(&value);
  const absl::Status replaced =
      invoker.Call({.values = given}, targets, results);
  EXPECT_EQ(text(replaced, old), want);
  if (!replaced.ok()) {
    EXPECT_EQ(Text(old[0]), "7.0:64");
  }
  auto prepared = invoker.Prepare({.values = given});
  absl::Status status = prepared.status();
  for (int call = 0; call < 2 && status.ok(); ++call) {
    status = invoker.Call({.prepared = &*prepared}, results);
    EXPECT_EQ(text(status, results), want);
    EXPECT_EQ(
        StatusText(invoker.Call({.prepared = &*prepared}, targets, results)),
        "OK");
    EXPECT_EQ(text(status, old), want);
  }
  EXPECT_EQ(StatusText(status), StatusText(general));
  return want;
}

TEST(Direct, CallsAreTheSame) {
  const HostValue floats(FourFloats()->Lent());
  const std::vector<HostValue> numbers = {
      HostValue(true),       HostValue(int32_t{-3}), HostValue(int32_t{300}),
      HostValue(int32_t{5}), HostValue(int64_t{6}),  HostValue(int64_t{7}),
      HostValue(2.5)};
  const auto with = [&numbers](size_t index, HostValue value) {
    std::vector<HostValue> changed = numbers;
    changed[index] = std::move(value);
    return changed;
  };
  const struct {
    const char* file;
    const char* function;
    std::vector<HostValue> values;
    const char* want;
  } kRows[] = {
      {"scalars.vmfb", "all", numbers,
       "OK 2.5:32 7:64 6:64 5:32 300:32 -3:32 true"},
      {"scalars.vmfb", "all", with(1, HostValue(int32_t{200})),
       "OK 2.5:32 7:64 6:64 5:32 300:32 -56:32 true"},
      {"scalars.vmfb", "all", with(1, HostValue(int32_t{300})),
       "INVALID_ARGUMENT: Argument 1 ('input1'): 300 is out of range for i8 "
       "(-128 to 255)."},
      {"scalars.vmfb", "all", with(6, HostValue::Bytes("x")),
       "INVALID_ARGUMENT: Argument 6 ('input6'): a string of 1 byte is given; "
       "f32 is expected."},
      {"add.vmfb", "add", {floats, floats}, "OK [0.0, 2.0, 4.0, 6.0]"},
      {"add.async.vmfb", "add", {floats, floats}, "OK [0.0, 2.0, 4.0, 6.0]"},
      {"add.vmfb",
       "add",
       {floats, HostValue(FourFloats())},
       "OK [0.0, 2.0, 4.0, 6.0]"},
      {"add.vmfb",
       "add",
       {floats},
       "INVALID_ARGUMENT: Function 'add': missing argument 'input1': "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"add.vmfb",
       "add",
       {floats, Zeros(ElementType::kFloat32, {5})},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 5xf32 is given; "
       "dimension 0 is 5, expected 4 (4xf32)."},
      {"destination.vmfb",
       "add_into",
       {floats, floats},
       "OK [0.0, 2.0, 4.0, 6.0]"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.function);
    auto session = tests::OpenSession(absl::StrCat("3.13/", row.file));
    EXPECT_EQ(CallBothWays(*session, row.function, row.values), row.want);
  }
}

// The results of a call may replace its arguments.
TEST(Direct, ResultsReplaceArguments) {
  auto session = tests::OpenSession("3.13/add.vmfb");
  Invoker add = *Invoker::Create(*session, *session->Lookup("add"));
  std::vector<HostValue> values(2, HostValue(FourFloats()->Lent()));
  ASSERT_EQ(StatusText(add.Call(values, {}, values)), "OK");
  EXPECT_EQ(add.statistics().lent, 3u);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(Text(values[0]), "[0.0, 2.0, 4.0, 6.0]");
  // A result that is lent to the next call is used in place.
  const HostValue again(values[0].array()->Lent());
  const HostValue next[] = {again, again};
  ASSERT_EQ(StatusText(add.Call(next, {}, values)), "OK");
  EXPECT_EQ(add.statistics().lent, 3u);
  EXPECT_EQ(Text(values[0]), "[0.0, 4.0, 8.0, 12.0]");
}

// The array of a result is used again, unless something else refers to it.
TEST(Direct, ArraysOfResultsAreReused) {
  auto session = tests::OpenSession("3.13/add.vmfb");
  Invoker add = *Invoker::Create(*session, *session->Lookup("add"));
  const HostValue floats(FourFloats()->Lent());
  const HostValue* const given[] = {&floats, &floats};
  std::vector<HostValue> spare;
  HostValue result;
  HostValue* const results[] = {&result};
  ASSERT_EQ(StatusText(add.Call({.values = given}, results, spare)), "OK");
  const HostArray* const first = result.array();
  ASSERT_EQ(StatusText(add.Call({.values = given}, results, spare)), "OK");
  EXPECT_EQ(result.array(), first);
  EXPECT_EQ(result.array()->use(), HostArray::Use::kCopy);
  const HostValue kept = result;
  const uint8_t* const data = kept.array()->data();
  ASSERT_EQ(StatusText(add.Call({.values = given}, results, spare)), "OK");
  EXPECT_NE(result.array(), first);
  EXPECT_NE(result.array()->data(), data);
  EXPECT_EQ(kept.array()->data(), data);
  EXPECT_EQ(Text(kept), "[0.0, 2.0, 4.0, 6.0]");
  // An array of memory of the caller, and one of another shape, are replaced.
  for (const HostValue& other : {floats, Zeros(ElementType::kFloat32, {2})}) {
    result = other;
    ASSERT_EQ(StatusText(add.Call({.values = given}, results, spare)), "OK");
    EXPECT_EQ(Text(result), "[0.0, 2.0, 4.0, 6.0]");
  }
  EXPECT_EQ(Text(floats), "[0.0, 1.0, 2.0, 3.0]");
}

}  // namespace
}  // namespace eyrie::abi
