// Tests imports of memref functions, with C functions in the form of MLIR's
// wrappers.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/host_semaphore.h"
#include "tests/support/memref_call.h"
#include "tests/support/memref_functions.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

TEST_F(MemrefCallTest, Memrefs) {
  constexpr char kVector[] = "3xf32=1 2 3";
  EXPECT_EQ(Call("(memref<?x?xf32, strided<[?, ?], offset: ?>>, index) -> f32",
                 test::SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
            "15");
  EXPECT_EQ(Call("(memref<?xf32>, f32) -> memref<?xf32>", test::Scaled,
                 absl::StrCat(kVector, "; 2.5")),
            "3xf32=2.5 5 7.5");
  EXPECT_EQ(Call("(memref<3xf32>, f32) -> memref<3xf32>", test::Unaligned,
                 absl::StrCat(kVector, "; 2")),
            "3xf32=2 4 6");
  EXPECT_EQ(Call("(memref<?xf32>) -> memref<?xf32>", test::Same, kVector),
            "3xf32=1 2 3");
  EXPECT_EQ(kept_[kept_.size() - 1]->buffer(),
            kept_[kept_.size() - 2]->buffer());
  constexpr char kView[] =
      "(memref<?xf32>) -> memref<?xf32, strided<[?], offset: ?>>";
  EXPECT_EQ(Call(kView, test::Tail, kVector),
            "2xf32=2 3");  // not aligned: a copy
  EXPECT_EQ(Call(kView, test::Far, "17xf32=1"), "1xf32=1");
  EXPECT_EQ(kept_.back()->buffer()->byte_offset(), 64u);
  EXPECT_EQ(Call(kView, test::Tail, "1xf32=1"), "0xf32=");
  EXPECT_EQ(Call(kView, test::Backwards, kVector), "3xf32=3 2 1");
  EXPECT_EQ(Call("() -> memref<3xf32>", test::Constant, ""), "3xf32=5 6 7");
  EXPECT_NE(kept_.back()->buffer()->host_data(),
            reinterpret_cast<uint8_t*>(test::constant));
  EXPECT_EQ(Call("(memref<?xf32>) -> (memref<?xf32>, memref<?xf32>)",
                 test::Halves, "4xf32=1 2 3 4"),
            "2xf32=1 2; 2xf32=3 4");
  EXPECT_EQ(
      Call("(memref<*xf32>) -> memref<*xf32>", test::Flat, "2x1x2xf32=1 2 3 4"),
      "4xf32=1 2 3 4");
  EXPECT_EQ(Call("(memref<*xf32>) -> memref<*xf32>", test::Flat, "f32=7"),
            "1xf32=7");
  EXPECT_EQ(Call("(memref<?xi1>) -> memref<?xi1>", test::Odd, "3xi1=1 0 1"),
            "3xi1=01 00 01");
  EXPECT_EQ(Call("(memref<2xf32>, memref<2xf32>, memref<2xf32>) -> ()",
                 test::Add, "2xf32=1 2; 2xf32=30 40", {.outputs = 1}),
            "2xf32=31 42");
}

// Output memory whose shapes follow from the arguments.
TEST_F(MemrefCallTest, OutputsByRules) {
  constexpr char kOuter[] =
      "(memref<?xf32>, memref<?xf32>, memref<?x?xf32>) -> ()";
  EXPECT_EQ(Call(kOuter, test::Outer, "2xf32=1 2; 3xf32=4 5 6",
                 {.rules = {R"({"shape": ["0.0", "1.-1"]})"}}),
            "2x3xf32=[4 5 6][8 10 12]");
  EXPECT_EQ(Call(kOuter, test::Outer, "0xf32=; 3xf32=1",
                 {.rules = {R"({"shape": ["0.0", "1.:"]})"}}),
            "0x3xf32=");
  constexpr char kBoth[] =
      "(memref<?xf32>, f32, memref<?xf32>, memref<f32>) -> f32";
  EXPECT_EQ(Call(kBoth, test::ScaledInto, "3xf32=1 2 3; 2",
                 {.rules = {R"({"like": 0})", R"({"shape": []})"}}),
            "12; 3xf32=2 4 6; f32=2");
  const struct {
    const char* rule;
    const char* want;
  } kRows[] = {
      {R"({"like": 0})",
       "INVALID_ARGUMENT: Argument 2 of the function, an output, gets from its "
       "rule the sizes [2]; memref<?x4xf32> is declared."},
      {R"({"shape": ["0.0", 5]})",
       "INVALID_ARGUMENT: Argument 2 of the function, an output, gets from its "
       "rule the sizes [2, 5]; memref<?x4xf32> is declared."},
      {R"({"shape": ["0.1", 4]})",
       "INVALID_ARGUMENT: In the manifest, a rule takes \"0.1\", but operand 0 "
       "has rank 1."},
      {R"({"shape": [4611686018427387904, 4]})",
       "INVALID_ARGUMENT: Result 0 of the function has the sizes "
       "[4611686018427387904, 4], which exceed any memory."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Call("(memref<?xf32>, memref<?xf32>, memref<?x4xf32>) -> ()",
                   test::Outer, "2xf32=1 2; 4xf32=1", {.rules = {row.rule}}),
              row.want);
  }
  EXPECT_EQ(Call("(memref<*xf32>, memref<?xf32>) -> ()", test::Nothing,
                 "2xf32=1 2", {.rules = {R"({"shape": ["0.1"]})"}}),
            "INVALID_ARGUMENT: Argument 0 is 2xf32; a result needs its "
            "dimensions 0.1.");
  EXPECT_EQ(
      Call("(memref<?xindex>, memref<?xindex>) -> ()", test::Nothing, "1xi32=1",
           {.index_bits = 32, .rules = {R"({"shape": [2147483648]})"}}),
      "INVALID_ARGUMENT: Argument 1 of the function, an output, gets from its "
      "rule the sizes [2147483648]; memref<?xindex> is declared, an "
      "index of 32 bits.");
}

// The type determines the layout, whatever the tensor's is.
TEST_F(MemrefCallTest, LayoutsOfTheirOwn) {
  EXPECT_EQ(Call("(memref<2x2xf32, strided<[1, 2], offset: 3>>) -> f32",
                 test::Column, "2x2xf32=1 2 3 4"),
            "24");
  EXPECT_EQ(Call("(memref<2x3xf32, strided<[1, ?], offset: ?>>, index) -> f32",
                 test::SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
            "15");
  EXPECT_EQ(
      Call("(memref<2x3xf32, strided<[100, 7], offset: 5>>, index) -> f32",
           test::SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
      "15");
  EXPECT_EQ(
      Call("(memref<2x?xf32, strided<[9223372036854775807, ?]>>, index) -> f32",
           test::SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
      "OUT_OF_RANGE: 2x3xf32 as memref<2x?xf32, "
      "strided<[9223372036854775807, ?]>> exceeds the range of an index.");
}

TEST_F(MemrefCallTest, Scalars) {
  constexpr char kAll[] =
      "(i1, i8, i16, i32, i64, memref<f32>) -> (i1, i8, f16, memref<f32>, i64)";
  EXPECT_EQ(Call(kAll, test::All, "1; 100; -2; -3; 5000000000; f32=7"),
            "0; -100; 65534; f32=8; 4999999997");
  // Bits beyond the type's width are ignored.
  EXPECT_EQ(Call(kAll, test::All, "-2; 356; 65537; 0; 0; f32=0"),
            "1; -100; 1; f32=1; 0");
  EXPECT_EQ(Call("(i8, i8) -> i8", test::Sum8, "100; 27"), "127");
  EXPECT_EQ(Call("(i8, i8) -> i8", test::Sum8, "100; 28"), "-128");
  EXPECT_EQ(Call("(f64, f64) -> f64", test::Hypot, "3; 4"), "5");
  EXPECT_EQ(Call("() -> ()", test::Nothing, ""), "");
}

TEST_F(MemrefCallTest, NarrowIndex) {
  constexpr char kType[] = "(memref<?xindex>, index) -> index";
  EXPECT_EQ(Call(kType, test::Last32, "3xi32=1 2 -3; 1", {.index_bits = 32}),
            "-3");
  EXPECT_EQ(Call(kType, test::Last32, "3xsi32=1 2 3; 2", {.index_bits = 32}),
            "2");
  EXPECT_EQ(
      Call(kType, test::Last32, "3xi32=1 2 3; 4294967297", {.index_bits = 32}),
      "OUT_OF_RANGE: Argument 1 of the function is 4294967297; its index "
      "has 32 bits.");
  EXPECT_EQ(Call(kType, test::Last32, "3xi64=1 2 3; 1", {.index_bits = 32}),
            "INVALID_ARGUMENT: Argument 0 of the function is 3xi64; "
            "memref<?xindex> is declared.");
}

TEST_F(MemrefCallTest, RefusesBeforeTheCall) {
  const struct {
    const char* type;
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"(memref<?xf32>) -> ()", "3xf64=1 2 3",
       "INVALID_ARGUMENT: Argument 0 of the function is 3xf64; memref<?xf32> "
       "is "
       "declared."},
      {"(memref<4xf32>) -> ()", "3xf32=1 2 3",
       "INVALID_ARGUMENT: Argument 0 of the function is 3xf32; memref<4xf32> "
       "is "
       "declared."},
      {"(memref<?xf32>) -> ()", "f32=1",
       "INVALID_ARGUMENT: Argument 0 of the function is f32; memref<?xf32> is "
       "declared."},
      {"(memref<?xi1>) -> ()", "1xi8=1",
       "INVALID_ARGUMENT: Argument 0 of the function is 1xi8; memref<?xi1> is "
       "declared."},
      {"(memref<*xf32>) -> ()", "1x1x1x1x1x1x1x1x1xf32=1",
       "INVALID_ARGUMENT: Argument 0 of the function is "
       "1x1x1x1x1x1x1x1x1xf32; memref<*xf32> is declared."},
  };
  const auto never = [] { ADD_FAILURE(); };
  for (const auto& row : kRows) {
    EXPECT_EQ(Call(row.type, static_cast<void (*)()>(never), row.arguments),
              row.want);
  }
  EXPECT_EQ(
      Call("(memref<?xf32>) -> f32", test::Nothing, "", {.convention = "0i_f"}),
      "INVALID_ARGUMENT: The import has the convention 0i_f; expected "
      "0r_f for (memref<?xf32>) -> f32.");
  auto import = Bind("(memref<?xf32>) -> ()", test::Nothing, {});
  ASSERT_TRUE(import.ok());
  vm::Slot null;
  null.ref = nullptr;
  EXPECT_EQ(StatusText((*import)->Invoke(&null, nullptr)),
            "INVALID_ARGUMENT: Argument 0 of the function is null; a "
            "!hal.buffer_view is required.");
  // The shape of a view that is not dense may be larger than its buffer.
  const int64_t shape[] = {100};
  const Ref<hal::BufferView> opaque = *hal::BufferView::Create(
      *device_->allocator().Allocate({}, 16), shape, hal::ElementType::kFloat32,
      hal::EncodingType::kOpaque);
  vm::Slot slot;
  slot.ref = opaque.get();
  for (const char* type :
       {"(memref<?xf32>) -> ()", "(memref<100xf32>) -> memref<?xf32>"}) {
    auto never_called = Bind(type, static_cast<void (*)()>(never), {});
    ASSERT_TRUE(never_called.ok());
    vm::Slot result;
    EXPECT_EQ(StatusText((*never_called)->Invoke(&slot, &result)),
              "INVALID_ARGUMENT: Argument 0 of the function is 100xf32 with "
              "the encoding 0; a dense array is required.");
  }
}

TEST_F(MemrefCallTest, RefusesWhatCannotBeAResult) {
  EXPECT_EQ(Call("() -> memref<*xf32>", test::TooDeep, ""),
            "INTERNAL: Result 0 of the function has rank 9; the limit is 8.");
  EXPECT_EQ(
      Call("() -> memref<1xf32>", test::Nowhere, ""),
      "INTERNAL: The function returns a memref of the sizes [1] at null.");
  EXPECT_EQ(Call("() -> memref<?xf32>", test::Negative, ""),
            "INTERNAL: The function returns a memref of the sizes [-1], which "
            "exceed any memory.");
  EXPECT_EQ(Call("(memref<?xf32>, f32) -> memref<2xf32>", test::Scaled,
                 "3xf32=1 2 3; 1"),
            "INTERNAL: Result 0 of the function has the sizes [3], but is "
            "declared as memref<2xf32>.");
}

// Results in an argument's memory must be within its bounds.
TEST_F(MemrefCallTest, RefusesResultsOutsideOfArguments) {
  constexpr char kType[] =
      "(memref<?xf32>) -> memref<?xf32, strided<[?], offset: ?>>";
  constexpr char kOut[] =
      "INTERNAL: The function returns a memref of the sizes ";
  constexpr char kOf[] =
      "] that is not within the memory of argument 0, 12 bytes.";
  constexpr char kVector[] = "3xf32=1 2 3";
  EXPECT_EQ(Call(kType, test::PastEnd, kVector),
            absl::StrCat(kOut, "[4] and the strides [1", kOf));
  EXPECT_EQ(Call(kType, test::BeforeBegin, kVector),
            absl::StrCat(kOut, "[3] and the strides [1", kOf));
  EXPECT_EQ(
      Call(kType, test::Wide, kVector),
      absl::StrCat(kOut, "[3] and the strides [9223372036854775807", kOf));
  // A copy, because the type's strides differ from the tensor's.
  EXPECT_EQ(Call("(memref<3xf32, strided<[2]>>) -> memref<?xf32, strided<[2]>>",
                 test::PastEnd, kVector),
            "INTERNAL: The function returns a memref of the sizes [4] and the "
            "strides [2] that is not within the memory of argument 0, 20 "
            "bytes.");
  EXPECT_EQ(Call("(memref<?xf32>) -> memref<?xf32>", test::PastEnd, "0xf32="),
            "INTERNAL: The function returns a memref of the sizes [1] and the "
            "strides [1] that is not within the memory of argument 0, 0 "
            "bytes.");
}

// Two arguments may start at one address and have different lengths.
TEST_F(MemrefCallTest, FindsTheArgumentOfAResult) {
  auto import =
      Bind("(memref<?xf32>, memref<?xf32>) -> memref<?xf32>", test::Second, {});
  ASSERT_EQ(StatusText(import), "OK");
  const Ref<hal::BufferView> whole = View("3xf32=1 2 3");
  const int64_t one[] = {1};
  const Ref<hal::BufferView> first = *hal::BufferView::Create(
      whole->buffer(), one, hal::ElementType::kFloat32);
  vm::Slot slots[2];
  slots[0].ref = first.get();
  slots[1].ref = whole.get();
  vm::Slot result;
  ASSERT_EQ(StatusText((*import)->Invoke(slots, &result)), "OK");
  EXPECT_EQ(TextOf('r', result), "3xf32=1 2 3");
  EXPECT_EQ(kept_.back()->buffer(), whole->buffer());
}

TEST_F(MemrefCallTest, Fences) {
  auto import = Bind("(memref<?xf32>, f32) -> memref<?xf32>", test::Scaled,
                     {.convention = "0rfrr_r"});
  ASSERT_EQ(StatusText(import), "OK");
  const auto wait = hal::Fence::ForPoint(MakeRef<hal::HostSemaphore>(0), 1);
  const auto signal = hal::Fence::ForPoint(MakeRef<hal::HostSemaphore>(0), 1);
  const auto call = [&](RefObject* first, RefObject* second) {
    vm::Slot slots[4] = {SlotOf('r', "1xf32=1"), SlotOf('f', "2"), {}, {}};
    slots[2].ref = first;
    slots[3].ref = second;
    vm::Slot result;
    const absl::Status status = (*import)->Invoke(slots, &result);
    return status.ok() ? TextOf('r', result) : StatusText(status);
  };
  EXPECT_EQ(call(nullptr, nullptr),
            "INVALID_ARGUMENT: The fence to signal is null, not a !hal.fence.");
  EXPECT_TRUE(wait->Signal().ok());
  EXPECT_EQ(call(wait.get(), signal.get()), "1xf32=2");
  EXPECT_TRUE(*signal->Query());
  const auto failed = hal::Fence::ForPoint(MakeRef<hal::HostSemaphore>(0), 1);
  const auto after = hal::Fence::ForPoint(MakeRef<hal::HostSemaphore>(0), 1);
  failed->Fail(absl::DataLossError("gone"));
  EXPECT_EQ(call(failed.get(), after.get()), "DATA_LOSS: gone");
  EXPECT_EQ(StatusText(after->Query()), "DATA_LOSS: gone");
}

}  // namespace
}  // namespace eyrie::native
