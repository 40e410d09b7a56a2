// Tests calls with host values: arrays with strides and in place, hostile
// results, real modules, and the allocations of calls with scalars.
#include "abi/call/invoker.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "abi/signature/signature_rows.h"
#include "abi/value/json_value.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/allocations.h"
#include "tests/support/json_text.h"
#include "tests/support/releases.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

template <typename T>
std::span<const uint8_t> BytesOfVector(const std::vector<T>& elements) {
  return {reinterpret_cast<const uint8_t*>(elements.data()),
          elements.size() * sizeof(T)};
}

// Bytes that are all continuations of UTF-8 are written in parts, too.
TEST(Json, LongBytes) {
  const std::string bytes(100000, '\x80');
  std::string want = "{\"$hex\": \"";
  for (size_t i = 0; i < bytes.size(); ++i) want += "80";
  EXPECT_EQ(tests::JsonText(HostValue::Bytes(bytes)), want + "\"}");
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "a\u00E9\u20AC\U0001F600";
  EXPECT_EQ(tests::JsonText(HostValue::Bytes(text)), "\"" + text + "\"");
}

// Returns the numbers 0 to 5 as int32.
const std::vector<int32_t>& Numbers() {
  static const auto* const kNumbers =
      new std::vector<int32_t>{0, 1, 2, 3, 4, 5};
  return *kNumbers;
}

TEST(HostArray, StridesAndBounds) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const struct {
    ElementType type;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    size_t first;
    const char* want;  // as JSON; the 24 bytes are 0 to 5
  } kRows[] = {
      {ElementType::kInt32, {2, 3}, {}, 0, "[[0, 1, 2], [3, 4, 5]]"},
      {ElementType::kInt32, {2, 3}, {12, 4}, 0, "[[0, 1, 2], [3, 4, 5]]"},
      {ElementType::kInt32, {3, 2}, {4, 12}, 0, "[[0, 3], [1, 4], [2, 5]]"},
      {ElementType::kInt32, {3}, {8}, 4, "[1, 3, 5]"},
      {ElementType::kInt32, {6}, {-4}, 20, "[5, 4, 3, 2, 1, 0]"},
      {ElementType::kInt32, {2, 2}, {0, 4}, 8, "[[2, 3], [2, 3]]"},
      {ElementType::kInt32, {2, 1, 2}, {12, 99, 4}, 0, "[[[0, 1]], [[3, 4]]]"},
      {ElementType::kInt32, {}, {}, 20, "5"},
      {ElementType::kInt16, {3}, {1}, 0, "[0, 0, 0]"},  // unaligned
      {ElementType::kInt32, {0}, {kMax}, 0, "[]"},
      {ElementType::kInt32,
       {2, 3},
       {12, 4},
       4,
       "OUT_OF_RANGE: The strides address memory outside the 24 bytes of the "
       "array."},
      {ElementType::kInt32,
       {2},
       {-4},
       0,
       "OUT_OF_RANGE: The strides address memory outside the 24 bytes of the "
       "array."},
      {ElementType::kInt32,
       {3},
       {kMax},
       0,
       "OUT_OF_RANGE: The strides address memory outside the 24 bytes of the "
       "array."},
      {ElementType::kInt32,
       {2},
       {4},
       100,
       "OUT_OF_RANGE: The strides address memory outside the 24 bytes of the "
       "array."},
      {ElementType::kInt32,
       {5},
       {},
       0,
       "INVALID_ARGUMENT: 24 bytes are given; 5xi32 needs 20."},
      {ElementType::kInt32,
       {6},
       {},
       100,
       "INVALID_ARGUMENT: 0 bytes are given; 6xi32 needs 24."},
      {ElementType::kInt32,
       {2, -3},
       {},
       0,
       "INVALID_ARGUMENT: Dimension 1 of 2x-3xi32 is below 0."},
      {ElementType::kInt32,
       {kMax, 2},
       {4, 4},
       0,
       "INVALID_ARGUMENT: The number of elements of 9223372036854775807x2xi32 "
       "exceeds 64 bits."},
      {ElementType::kInt64,
       {kMax},
       {},
       0,
       "INVALID_ARGUMENT: The number of bytes of 9223372036854775807xi64 "
       "exceeds 64 bits."},
      {ElementType::kInt32,
       {2, 3},
       {4},
       0,
       "INVALID_ARGUMENT: 2x3xi32 has 2 dimensions; strides of 1 are given."},
      {ElementType::kInt4,
       {4},
       {1},
       0,
       "UNIMPLEMENTED: Elements of i4 have no strides."},
  };
  for (const auto& row : kRows) {
    const auto array = HostArray::Borrow(row.type, row.shape, row.strides,
                                         BytesOfVector(Numbers()), row.first);
    if (!array.ok()) {
      EXPECT_EQ(StatusText(array), row.want);
      continue;
    }
    EXPECT_EQ(tests::JsonText(HostValue(*array)), row.want);
    // The packed array has the same elements.
    std::vector<uint8_t> packed((*array)->byte_length());
    (*array)->Pack(packed.data());
    const auto dense = HostArray::Copy(row.type, row.shape, packed);
    ASSERT_EQ(StatusText(dense), "OK");
    EXPECT_EQ(tests::JsonText(HostValue(*dense)), row.want);
  }
}

absl::StatusOr<Invoker> Bind(Session& session, absl::string_view function) {
  auto callable = session.Lookup(function);
  if (!callable.ok()) return callable.status();
  return Invoker::Create(session, *std::move(callable));
}

TEST(Invoker, CallsOfEveryReleaseAndModel) {
  for (const char* release : tests::kReleases) {
    for (const char* variant : {"add.vmfb", "add.async.vmfb"}) {
      SCOPED_TRACE(absl::StrCat(release, "/", variant));
      auto session = tests::OpenSession(absl::StrCat(release, "/", variant));
      ASSERT_NE(session, nullptr);
      auto add = Bind(*session, "add");
      ASSERT_EQ(StatusText(add), "OK");
      const auto one =
          FromJson(*ParseJson("[[1, 2, 3, 4]]"), JsonFiles::kRefused);
      const auto other = FromJson(
          *ParseJson(R"({"input1": {"$dtype": "f16", "data": [1, 1, 1, 1]}})"),
          JsonFiles::kRefused);
      std::vector<HostValue> results;
      for (int call = 0; call < 2; ++call) {
        ASSERT_EQ(
            StatusText(add->Call(*one->items(), *other->entries(), results)),
            "OK");
        ASSERT_EQ(results.size(), 1u);
        EXPECT_EQ(tests::JsonText(results[0]), "[2.0, 3.0, 4.0, 5.0]");
        EXPECT_EQ(add->statistics().packed, 1u);
        EXPECT_EQ(add->statistics().converted, 1u);
        EXPECT_EQ(add->statistics().bytes_copied, 32u);
      }
      EXPECT_EQ(StatusText(add->Call(*one->items(), {}, results)),
                "INVALID_ARGUMENT: Function 'add': missing argument 'input1': "
                "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32).");
    }
  }
}

TEST(Invoker, ArraysAreLentWhereTheyCanBe) {
  auto session = tests::OpenSession("3.13/add.vmfb");
  ASSERT_NE(session, nullptr);
  auto add = Bind(*session, "add");
  ASSERT_EQ(StatusText(add), "OK");
  struct alignas(64) {
    float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  } memory;
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(memory.numbers), sizeof(memory.numbers));
  using Use = HostArray::Use;
  const struct {
    size_t first;
    size_t size;
    std::vector<int64_t> strides;
    Use use;
    uint32_t lent, copied, packed;
  } kRows[] = {
      {0, 16, {}, Use::kLend, 1, 0, 0},
      {0, 16, {}, Use::kCopy, 0, 1, 0},
      {0, 16, {4}, Use::kLend, 1, 0, 0},
      {4, 20, {}, Use::kLend, 0, 1, 0},  // not aligned
      {0, 32, {8}, Use::kLend, 0, 0, 1},
      {0, 32, {8}, Use::kCopy, 0, 0, 1},
  };
  for (const auto& row : kRows) {
    const int64_t shape[] = {4};
    const auto array =
        HostArray::Borrow(ElementType::kFloat32, shape, row.strides,
                          bytes.first(row.size), row.first, nullptr, row.use);
    ASSERT_EQ(StatusText(array), "OK");
    const HostValue values[] = {HostValue(*array), HostValue(*array)};
    std::vector<HostValue> results;
    ASSERT_EQ(StatusText(add->Call(values, {}, results)), "OK");
    // The result is also read in place.
    EXPECT_EQ(add->statistics().lent, 2 * row.lent + 1);
    EXPECT_EQ(add->statistics().copied, 2 * row.copied);
    EXPECT_EQ(add->statistics().packed, 2 * row.packed);
    EXPECT_EQ(add->statistics().bytes_copied,
              row.lent ? 0u : sizeof(float) * 2 * 4);
    // A result is passed to the next call, lent or copied.
    const auto again = HostArray::OfTensor(results[0].array()->view(), row.use);
    ASSERT_EQ(StatusText(again), "OK");
    const HostValue next[] = {HostValue(*again), HostValue(*again)};
    ASSERT_EQ(StatusText(add->Call(next, {}, results)), "OK");
    EXPECT_EQ(add->statistics().lent, row.use == Use::kLend ? 3u : 1u);
  }
}

// Read-only arrays are copied, and rejected as storage.
TEST(Invoker, ReadOnlyArraysAreNotLent) {
  struct alignas(64) {
    float numbers[4] = {1, 2, 3, 4};
  } memory;
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(memory.numbers), sizeof(memory.numbers));
  const int64_t shape[] = {4};
  const auto array =
      *HostArray::Borrow(ElementType::kFloat32, shape, {}, bytes);
  for (const auto& fixed :
       {array->ReadOnly()->Lent(), array->Lent()->ReadOnly()}) {
    for (const char* release : tests::kReleases) {
      auto session = tests::OpenSession(absl::StrCat(release, "/sharing.vmfb"));
      ASSERT_NE(session, nullptr);
      auto write = Bind(*session, "write");
      ASSERT_EQ(StatusText(write), "OK");
      const HostValue values[] = {HostValue(fixed), HostValue(int64_t{2})};
      std::vector<HostValue> results;
      ASSERT_EQ(StatusText(write->Call(values, {}, results)), "OK");
      EXPECT_EQ(tests::JsonText(results[0]), "[1.0, 2.0, 7.0, 4.0]");
      EXPECT_EQ(write->statistics().copied, 1u);
      EXPECT_EQ(memory.numbers[2], 3);
    }
  }
}

TEST(Invoker, ReadOnlyArraysAreNoStorage) {
  auto session = tests::OpenSession("3.13/destination.vmfb");
  ASSERT_NE(session, nullptr);
  auto add = Bind(*session, "add_into");
  ASSERT_EQ(StatusText(add), "OK");
  const int64_t shape[] = {4};
  const auto array = *HostArray::Copy(ElementType::kFloat32, shape,
                                      std::vector<uint8_t>(16, 0));
  std::vector<HostValue> values(3, HostValue(array));
  std::vector<HostValue> results;
  EXPECT_EQ(StatusText(add->Call(values, {}, results)), "OK");
  values[2] = HostValue(array->Lent()->ReadOnly());
  EXPECT_EQ(StatusText(add->Call(values, {}, results)),
            "INVALID_ARGUMENT: Argument 2 ('input2'): a read-only array cannot "
            "receive a result.");
}

// Lent elements that may still change are rejected if they need a range check.
TEST(Invoker, PreparedCallsTakeCopiesOfTheOtherSign) {
  auto session = tests::OpenSession("3.13/sharing.vmfb");
  ASSERT_NE(session, nullptr);
  auto pass = Bind(*session, "signed");
  ASSERT_EQ(StatusText(pass), "OK");
  const int64_t shape[] = {1, 2};
  const auto array =
      *HostArray::Copy(ElementType::kUint8, shape, std::vector<uint8_t>{1, 2});
  const struct {
    std::shared_ptr<const HostArray> array;
    const char* want;
  } kRows[] = {
      {array, "OK"},
      {array->Lent()->ReadOnly(), "OK"},
      {array->Lent(),
       "INVALID_ARGUMENT: Argument 0 ('input0'): an array 1x2xui8 is lent; "
       "?x2xsi8 is expected, and elements that may still change cannot be "
       "compared with the range of si8 (-128 to 127); give a copy."},
  };
  for (const auto& row : kRows) {
    const HostValue value(row.array);
    const HostValue* const given[] = {&value};
    EXPECT_EQ(StatusText(pass->Prepare({.values = given})), row.want);
    std::vector<HostValue> results;
    EXPECT_EQ(StatusText(pass->Call({&value, 1}, {}, results)), "OK");
  }
}

// The owner of lent memory is kept until the last tensor over it is destroyed.
TEST(Invoker, LentMemoryIsKept) {
  auto session = tests::OpenSession("3.13/add.vmfb");
  ASSERT_NE(session, nullptr);
  struct alignas(64) Four {
    float numbers[4] = {1, 2, 3, 4};
  };
  std::weak_ptr<Four> alive;
  {
    auto add = Bind(*session, "add");
    ASSERT_EQ(StatusText(add), "OK");
    auto memory = std::make_shared<Four>();
    alive = memory;
    const std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(memory->numbers),
        sizeof(memory->numbers));
    const int64_t shape[] = {4};
    const auto array =
        HostArray::Borrow(ElementType::kFloat32, shape, {}, bytes, 0,
                          std::move(memory), HostArray::Use::kLend);
    auto arguments =
        add->Encode(std::vector<HostValue>(2, HostValue(*array)), {});
    ASSERT_EQ(StatusText(arguments), "OK");
  }
  EXPECT_TRUE(alive.expired());
}

// Encoded values are charged even without a call.
TEST(Invoker, ArgumentsAreCharged) {
  const auto devices = OpenDevices({}, hal::DriverOptions());
  ASSERT_EQ(StatusText(devices), "OK");
  auto invoker = Invoker::WithoutFunction(
      (*devices)[0],
      *ReadSignature(
          "0rr",
          {{"iree.abi", R"({"a":["unknown",["ndarray","i32",1,null]]})"}}),
      std::make_shared<MemoryMeter>(1000));
  const std::vector<int32_t> numbers(500);
  const int64_t shape[] = {500};
  const HostValue array(
      *HostArray::Copy(ElementType::kInt32, shape, BytesOfVector(numbers)));
  const HostValue empty = HostValue::List({});
  const HostValue many = HostValue::List(HostValue::Items(500));
  const HostValue values[][2] = {{empty, array}, {many, array}};
  for (const auto& row : values) {
    EXPECT_TRUE(absl::IsResourceExhausted(invoker.Encode(row, {}).status()));
  }
}

// Small copies are reused, unless something still refers to them.
TEST(Invoker, CopiesAreSpared) {
  const auto devices = OpenDevices({}, hal::DriverOptions());
  ASSERT_EQ(StatusText(devices), "OK");
  auto invoker = Invoker::WithoutFunction(
      (*devices)[0],
      *ReadSignature("0r",
                     {{"iree.abi", R"({"a":[["ndarray","i32",1,null]]})"}}));
  const auto encode = [&invoker](int32_t first, int64_t count) {
    const std::vector<int32_t> numbers(static_cast<size_t>(count), first);
    const int64_t shape[] = {count};
    const auto array =
        HostArray::Copy(ElementType::kInt32, shape, BytesOfVector(numbers));
    const HostValue value(*array);
    return *invoker.Encode({&value, 1}, {});
  };
  const auto text = [](const std::vector<vm::Value>& values) {
    return tests::JsonText(
        HostValue(*HostArray::OfTensor(Ref<hal::BufferView>::Share(
            RefCast<hal::BufferView>(values[0].ref())))));
  };
  std::vector<vm::Value> kept = encode(1, 2);
  std::vector<vm::Value> other = encode(2, 2);
  EXPECT_EQ(text(kept), "[1, 1]");
  EXPECT_EQ(text(other), "[2, 2]");
  const RefObject* spare = other[0].ref();
  EXPECT_NE(kept[0].ref(), spare);
  // Keep only the buffer.
  auto* view = RefCast<hal::BufferView>(other[0].ref());
  Ref<hal::Buffer> buffer = view->buffer();
  other.clear();
  EXPECT_NE(encode(3, 2)[0].ref(), spare);
  int32_t number = 0;
  ASSERT_TRUE(
      buffer->Read(0, {reinterpret_cast<uint8_t*>(&number), sizeof(number)})
          .ok());
  EXPECT_EQ(number, 2);
  // Another shape, then the same one again.
  const RefObject* longer = encode(4, 3)[0].ref();
  EXPECT_EQ(encode(5, 3)[0].ref(), longer);
  EXPECT_EQ(text(encode(6, 3)), "[6, 6, 6]");
  EXPECT_NE(encode(7, 4096)[0].ref(), longer);
}

// Import caches its tensor until a module releases ownership of the buffer.
TEST(HostArray, ImportsAreKept) {
  const auto devices = OpenDevices({}, hal::DriverOptions());
  const int64_t shape[] = {6};
  const auto array =
      HostArray::Copy(ElementType::kInt32, shape, BytesOfVector(Numbers()));
  hal::Device& device = *(*devices)[0];
  const auto first = (*array)->Import(device, ElementType::kInt32);
  ASSERT_EQ(StatusText(first), "OK");
  EXPECT_EQ((*array)->Import(device, ElementType::kInt32)->get(), first->get());
  const auto natural = (*array)->Import(device, ElementType::kUint32);
  EXPECT_EQ((*natural)->element_type(), ElementType::kUint32);
  EXPECT_TRUE((*first)->buffer()->DiscardOwner());
  EXPECT_NE((*array)->Import(device, ElementType::kInt32)->get(), first->get());
  const auto unaligned = HostArray::Borrow(
      ElementType::kInt8, shape, {}, BytesOfVector(Numbers()).subspan(1, 6));
  EXPECT_TRUE(absl::IsUnavailable(
      (*unaligned)->Import(device, ElementType::kInt8).status()));
}

TEST(Encoder, DepthIsLimited) {
  HostValue value = HostValue::List({});
  for (size_t i = 0; i < kMaxValueDepth; ++i) {
    value = HostValue::List({std::move(value)});
  }
  CallStatistics statistics;
  Encoder encoder(nullptr, &statistics);
  vm::Slot slot;
  EXPECT_EQ(StatusText(encoder.Encode(value, Parameter(), slot)),
            "INVALID_ARGUMENT: values are nested 129 deep; the limit is 128.");
}

TEST(Encoder, ListsAndTextCountAsMemory) {
  using Kind = Type::Kind;
  const struct {
    const char* what;
    HostValue value;
    Kind kind;
  } kRows[] = {
      {"text", HostValue::Bytes(std::string(1000, 'x')), Kind::kBytes},
      {"bytes", HostValue::Bytes(std::string(1000, 'x')), Kind::kByteList},
      {"list", HostValue::List(HostValue::Items(250, HostValue(7))),
       Kind::kAnyList},
  };
  for (const auto& row : kRows) {
    for (const uint64_t limit : {999, 100'000}) {
      SCOPED_TRACE(absl::StrCat(row.what, " ", limit));
      const auto meter = std::make_shared<MemoryMeter>(limit);
      Parameter parameter;
      parameter.type.kind = row.kind;
      parameter.carrier = vm::ValueType::kRef;
      CallStatistics statistics;
      Encoder encoder(nullptr, &statistics, meter);
      vm::Slot slot;
      slot.ref = nullptr;
      const absl::Status status = encoder.Encode(row.value, parameter, slot);
      EXPECT_EQ(status.code(), limit < 1000
                                   ? absl::StatusCode::kResourceExhausted
                                   : absl::StatusCode::kOk)
          << status;
      if (!status.ok()) continue;
      EXPECT_GE(meter->in_use(), 1000u);
      slot.ref->DropRef();
      EXPECT_EQ(meter->in_use(), 0u);
    }
  }
}

TEST(Encoder, ArraysNeedADevice) {
  CallStatistics statistics;
  Encoder encoder(nullptr, &statistics);
  vm::Slot slot;
  const int64_t shape[] = {6};
  const auto array = HostArray::Borrow(ElementType::kInt32, shape, {},
                                       BytesOfVector(Numbers()));
  EXPECT_EQ(StatusText(encoder.Encode(HostValue(*array), Parameter(), slot)),
            "FAILED_PRECONDITION: an array needs a device to hold it.");
}

TEST(Invoker, ScalarsAllocateNothing) {
  auto session = tests::OpenSession("3.13/scalars.vmfb");
  ASSERT_NE(session, nullptr);
  auto all = Bind(*session, "all");
  ASSERT_EQ(StatusText(all), "OK");
  const HostValue arguments[] = {
      HostValue(true),
      HostValue(int32_t{-3}),
      HostValue(int32_t{300}),
      HostValue(int32_t{-1}),
      HostValue(int64_t{1} << 40),
      HostValue(int64_t{7}),
      HostValue(2.5),
  };
  std::vector<HostValue> results;
  ASSERT_EQ(StatusText(all->Call(arguments, {}, results)), "OK");
  ASSERT_EQ(results.size(), 7u);
  const size_t before = tests::Allocations();
  const absl::Status status = all->Call(arguments, {}, results);
  EXPECT_EQ(tests::Allocations(), before);
  EXPECT_EQ(StatusText(status), "OK");
  std::string text;
  for (const HostValue& result : results) text += tests::JsonText(result) + " ";
  EXPECT_EQ(text, "2.5 7 1099511627776 -1 300 -3 true ");
}

}  // namespace
}  // namespace eyrie::abi
