// Native functions bound by their C++ types, called with slots.
#include "vm/native/native_module.h"

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/native/slot_call.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::vm {
namespace {

struct Counter : ModuleState {
  int calls = 0;
};

absl::StatusOr<int32_t> Add(Counter& state, int32_t a, int32_t b) {
  ++state.calls;
  return a + b;
}
absl::StatusOr<double> Mix(Counter&, int64_t a, float b, double c) {
  return static_cast<double>(a) + b + c;
}
absl::StatusOr<int64_t> Length(Counter&, Buffer& buffer) {
  return static_cast<int64_t>(buffer.size());
}
absl::StatusOr<int32_t> IsNull(Counter&, Buffer* buffer) {
  return buffer == nullptr;
}
absl::StatusOr<Ref<Buffer>> Clone(Counter&, const Buffer& buffer) {
  return Buffer::Copy(buffer.bytes());
}
absl::StatusOr<std::tuple<int32_t, Ref<RefObject>>> Pair(Counter&,
                                                         RefObject* any) {
  return std::tuple(int32_t{any != nullptr}, Ref<RefObject>::Share(any));
}
absl::Status Refuse(Counter&) { return absl::AbortedError("No."); }
absl::StatusOr<int64_t> Total(Counter&, Spread<Buffer*, int64_t> parts,
                              int32_t last) {
  int64_t total = last;
  for (size_t i = 0; i < parts.size(); ++i) {
    total +=
        parts.get<0>(i) ? static_cast<int64_t>(parts.get<0>(i)->size()) : 0;
    total += parts.get<1>(i);
  }
  return total;
}
absl::StatusOr<int32_t> Many(Counter&, Spread<int32_t> numbers) {
  return numbers.empty() ? -1 : numbers.get(numbers.size() - 1);
}

constexpr NativeFunction kRows[] = {
    Bind<Add>("add", "0ii_i"),      Bind<Mix>("mix", "0IfF_F"),
    Bind<Length>("length", "0r_I"), Bind<IsNull>("is_null", "0r_i"),
    Bind<Clone>("clone", "0r_r"),   Bind<Pair>("pair", "0r_ir"),
    Bind<Refuse>("refuse", "0v_v"), Bind<Total>("total", "0CrIDi_I"),
    Bind<Many>("add", "0CiD_i"),
};

absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() {
  return std::make_unique<Counter>();
}

std::shared_ptr<const NativeModule> CreateModule() {
  return *NativeModule::Create("test", 3, kRows, CreateState);
}

TEST(NativeModule, ResolvesByNameAndSignature) {
  const struct {
    const char* name;
    const char* signature;
    const char* want;
  } kCases[] = {
      {"add", "0ii_i", "0"},
      {"add", "0CiD_i", "8"},
      {"total", "0CrIDi_I", "7"},
      {"add", "0iii_i",
       "UNIMPLEMENTED: Function test.add has no signature 0iii_i; the nearest "
       "known is 0ii_i."},
      {"add", "0CID_i",
       "UNIMPLEMENTED: Function test.add has no signature 0CID_i; the nearest "
       "known is 0CiD_i."},
      {"sub", "0ii_i", "NOT_FOUND: Module test version 3 has no function sub."},
  };
  auto module = CreateModule();
  for (const auto& c : kCases) {
    auto ordinal = module->ResolveImport(c.name, c.signature);
    EXPECT_EQ(
        ordinal.ok() ? absl::StrCat(*ordinal) : ordinal.status().ToString(),
        c.want);
  }
}

TEST(NativeModule, RefusesBadTables) {
  const auto thunk = kRows[0].thunk;
  const std::vector<NativeFunction> twice = {{"f", "0i_i", thunk},
                                             {"f", "0i_i", thunk}};
  const std::vector<NativeFunction> odd = {{"g", "0x", thunk},
                                           {"f", "0i_i", thunk}};
  EXPECT_EQ(
      NativeModule::Create("m", 0, twice, CreateState).status().ToString(),
      "INVALID_ARGUMENT: Native function m.f 0i_i occurs twice.");
  EXPECT_EQ(NativeModule::Create("m", 0, odd, CreateState).status().ToString(),
            "INVALID_ARGUMENT: Signature \"0x\" of native function m.g is not "
            "a canonical calling convention.");
}

// Calls the row with this name and signature. Returns the first result as an
// i64, or the error.
std::string Call(const char* name, const char* signature,
                 std::vector<Slot> args) {
  auto module = CreateModule();
  auto ordinal = module->ResolveImport(name, signature);
  if (!ordinal.ok()) return ordinal.status().ToString();
  std::unique_ptr<ModuleState> state = *module->CreateState();
  Slot results[2];
  absl::Status status = CallWithSlots(module->function(*ordinal), state.get(),
                                      args.data(), results);
  if (!status.ok()) return status.ToString();
  return absl::StrCat(results[0].i64);
}

Slot I32(int32_t value) {
  Slot slot;
  slot.i32 = value;
  return slot;
}
Slot I64(int64_t value) {
  Slot slot;
  slot.i64 = value;
  return slot;
}
Slot Borrow(RefObject* object) {
  Slot slot;
  slot.ref = object;
  return slot;
}

TEST(NativeBinding, UnpacksAndChecks) {
  Ref<Buffer> buffer = *Buffer::CopyText("abc");
  Ref<List> list = *List::Create({});
  const Slot b = Borrow(buffer.get()), l = Borrow(list.get());
  const Slot null = Borrow(nullptr);
  EXPECT_EQ(Call("add", "0ii_i", {I32(-3), I32(10)}), "7");
  EXPECT_EQ(Call("length", "0r_I", {b}), "3");
  EXPECT_EQ(Call("length", "0r_I", {null}),
            "INVALID_ARGUMENT: Argument 0 is null; a vm.buffer is required.");
  EXPECT_EQ(Call("length", "0r_I", {l}),
            "INVALID_ARGUMENT: Argument 0 is a vm.list, not a vm.buffer.");
  EXPECT_EQ(Call("is_null", "0r_i", {null}), "1");
  EXPECT_EQ(Call("is_null", "0r_i", {l}),
            "INVALID_ARGUMENT: Argument 0 is a vm.list, not a vm.buffer.");
  EXPECT_EQ(Call("refuse", "0v_v", {}), "ABORTED: No.");
  EXPECT_EQ(Call("total", "0CrIDi_I", {I64(0), I32(5)}), "5");
  EXPECT_EQ(
      Call("total", "0CrIDi_I", {I64(2), b, I64(10), null, I64(20), I32(5)}),
      "38");
  EXPECT_EQ(Call("total", "0CrIDi_I", {I64(1), l, I64(10), I32(5)}),
            "INVALID_ARGUMENT: Argument 0 is a vm.list, not a vm.buffer.");
  EXPECT_EQ(Call("add", "0CiD_i", {I64(2), I32(4), I32(6)}), "6");
}

TEST(NativeBinding, PacksOwnedResults) {
  auto module = CreateModule();
  std::unique_ptr<ModuleState> state = *module->CreateState();
  Ref<Buffer> buffer = *Buffer::CopyText("abc");
  const Slot argument = Borrow(buffer.get());
  Slot results[2];
  ASSERT_TRUE(CallWithSlots(kRows[5], state.get(), &argument, results).ok());
  EXPECT_EQ(results[0].i32, 1);
  EXPECT_FALSE(buffer->IsUnique());
  Value::Adopt(ValueType::kRef, results[1]);  // drops the result
  EXPECT_TRUE(buffer->IsUnique());
  ASSERT_TRUE(CallWithSlots(kRows[4], state.get(), &argument, results).ok());
  Value clone = Value::Adopt(ValueType::kRef, results[0]);
  EXPECT_EQ(RefCast<Buffer>(clone.ref())->text(), "abc");

  Slot mixed[3] = {I64(1), {}, {}};
  mixed[1].f32 = 0.5f;
  mixed[2].f64 = 0.25;
  ASSERT_TRUE(CallWithSlots(kRows[1], state.get(), mixed, results).ok());
  EXPECT_EQ(results[0].f64, 1.75);
}

TEST(NativeBinding, PendingIsTold) {
  EXPECT_TRUE(IsPending(Pending()));
  EXPECT_FALSE(IsPending(absl::UnavailableError("busy")));
  EXPECT_FALSE(IsPending(absl::OkStatus()));
}

TEST(Value, OwnsItsRef) {
  Ref<Buffer> buffer = *Buffer::CopyText("abc");
  {
    Value one{Ref<RefObject>(buffer)};
    Value two = one;
    Value three = std::move(one);
    EXPECT_EQ(two.ref(), three.ref());
    two = Value(int32_t{5});
    EXPECT_FALSE(two.is_ref());
    EXPECT_EQ(two.ref(), nullptr);
  }
  EXPECT_TRUE(buffer->IsUnique());
  EXPECT_EQ(ValueTypeOf('F'), ValueType::kF64);
  EXPECT_EQ(ValueTypeOf('x'), std::nullopt);
  EXPECT_EQ(LetterOf(ValueType::kRef), 'r');
}

}  // namespace
}  // namespace eyrie::vm
