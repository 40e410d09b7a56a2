// Lists, buffers and the set of ref types, as their hosts use them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/memory_meter.h"
#include "gtest/gtest.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/object/ref_types.h"

namespace eyrie::vm {
namespace {

using Kind = ElementType::Kind;

Ref<RefObject> Text(absl::string_view text) { return *Buffer::CopyText(text); }

std::string Show(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return value.status().ToString();
  switch (value->type()) {
    case ValueType::kI32:
      return absl::StrCat("i32 ", value->i32());
    case ValueType::kI64:
      return absl::StrCat("i64 ", value->i64());
    case ValueType::kF32:
      return absl::StrCat("f32 ", value->f32());
    case ValueType::kF64:
      return absl::StrCat("f64 ", value->f64());
    case ValueType::kRef:
      return value->ref() ? value->ref()->type().name : "null";
  }
  return "?";
}

TEST(List, ConvertsOnTheWayIn) {
  const struct {
    Kind kind;
    Value value;
    const char* want;  // the value read back, or the error of Set
  } kCases[] = {
      {Kind::kI8, Value(int32_t{300}), "i32 44"},
      {Kind::kI8, Value(int64_t{-1}), "i32 -1"},
      {Kind::kI16, Value(int32_t{40000}), "i32 -25536"},
      {Kind::kI32, Value(int64_t{1} << 33), "i32 0"},
      {Kind::kI64, Value(int32_t{-5}), "i64 -5"},
      {Kind::kF32, Value(0.25), "f32 0.25"},
      {Kind::kF64, Value(0.5f), "f64 0.5"},
      {Kind::kF32, Value(int32_t{5}), "f32 0"},
      {Kind::kI32, Value(5.5f), "i32 0"},
      {Kind::kVariant, Value(int64_t{7}), "i64 7"},
      {Kind::kVariant, Value(Text("x")), "vm.buffer"},
      {Kind::kVariant, Value(Ref<RefObject>()), "null"},
      {Kind::kRef, Value(Text("x")), "vm.buffer"},
      {Kind::kRef, Value(int32_t{1}),
       "FAILED_PRECONDITION: A list of any refs cannot hold a number."},
      {Kind::kI64, Value(Text("x")),
       "FAILED_PRECONDITION: A list of i64 cannot hold a ref."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    Ref<List> list = *List::Create({c.kind});
    ASSERT_TRUE(list->Resize(2).ok());
    absl::Status set = list->Set(1, c.value);
    EXPECT_EQ(set.ok() ? Show(list->Get(1)) : set.ToString(), c.want);
  }
}

TEST(List, GrowsShrinksAndForgets) {
  Ref<List> list = *List::Create({});
  Ref<RefObject> object = Text("kept");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(list->Append(Value(object)).ok());
  }
  EXPECT_FALSE(object->IsUnique());
  ASSERT_TRUE(list->Resize(1).ok());
  ASSERT_TRUE(list->Resize(50).ok());
  EXPECT_EQ(Show(list->Get(0)), "vm.buffer");
  EXPECT_EQ(Show(list->Get(49)), "null");
  ASSERT_TRUE(list->Set(0, Value(1.5f)).ok());
  EXPECT_TRUE(object->IsUnique());
  EXPECT_EQ(Show(list->Get(0)), "f32 1.5");
  EXPECT_EQ(Show(list->Get(50)),
            "OUT_OF_RANGE: List index 50 exceeds the list's size (50).");
  EXPECT_EQ(list->Resize(List::kMaxSize + 1).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(list->size(), 50u);
}

// A few references in lists of many empty elements.
TEST(List, FindsItsReferences) {
  for (const Kind kind : {Kind::kRef, Kind::kVariant}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Ref<List> list = *List::Create({kind});
    const uint64_t kPlaces[] = {0,      511,    512,    513,    32767,
                                32768,  65535,  65536,  131072, 999999,
                                262144, 262143, 786431, 786432};
    ASSERT_TRUE(list->Resize(1000000).ok());
    const Ref<RefObject> text = Text("x");
    for (const uint64_t place : kPlaces) {
      ASSERT_TRUE(list->SetRef(place, text).ok());
    }
    if (kind == Kind::kVariant) {
      ASSERT_TRUE(list->SetNumber(5, int32_t{1}).ok());
    }
    EXPECT_EQ(text->use_count(), 1 + std::size(kPlaces));
    size_t visited = 0;
    list->VisitRefs(
        [&](RefObject* object) { visited += object == text.get(); });
    EXPECT_EQ(visited, std::size(kPlaces));
    // Grow into larger storage, then shrink.
    ASSERT_TRUE(list->Resize(3000000).ok());
    ASSERT_TRUE(list->SetRef(2999999, text).ok());
    for (const uint64_t size : {3000000, 2999999, 786432, 65536, 512, 0}) {
      ASSERT_TRUE(list->Resize(size).ok());
      uint64_t left = size == 3000000;
      for (const uint64_t place : kPlaces) left += place < size;
      EXPECT_EQ(text->use_count(), 1 + left) << size;
      ASSERT_TRUE(list->Resize(3000000).ok());
      EXPECT_EQ(Show(list->Get(2999999)),
                size == 3000000 ? "vm.buffer" : "null");
    }
    ASSERT_TRUE(list->SetRef(77777, text).ok());
  }
}

// Fails after `pieces` calls, and sums up the bytes.
struct Purse {
  mutable int pieces;
  mutable uint64_t bytes = 0;
  absl::Status operator()(uint64_t more) const {
    bytes += more;
    return --pieces >= 0 ? absl::OkStatus() : absl::CancelledError("enough");
  }
};

TEST(List, PaysAndStops) {
  const auto meter = std::make_shared<MemoryMeter>(uint64_t{1} << 30);
  const Ref<List> list = *List::Create({Kind::kI32}, 0, meter);
  const uint64_t empty = meter->in_use();
  Purse none = {0};
  EXPECT_EQ(list->Resize(1 << 20, none).message(), "enough");
  EXPECT_EQ(meter->in_use(), empty);
  EXPECT_EQ(none.bytes, 4u << 20);
  EXPECT_EQ(list->size(), 0u);
  Purse purse = {100};
  ASSERT_TRUE(list->Resize(1 << 20, purse).ok());
  EXPECT_EQ(purse.bytes, 4u << 20);
  ASSERT_TRUE(list->Resize(1000, purse).ok());
  EXPECT_EQ(purse.bytes, (8u << 20) - 4000);
  ASSERT_TRUE(list->Resize(1 << 20, purse).ok());  // within the capacity
  EXPECT_EQ(purse.bytes, (8u << 20) - 4000);
  ASSERT_TRUE(list->SetNumber(7, int32_t{7}).ok());
  Purse two = {2};
  EXPECT_EQ(list->Resize(0, two).message(), "enough");
  EXPECT_EQ(list->size(), 1u << 20);
  EXPECT_EQ(Show(list->Get(7)), "i32 7");
  Purse look = {1};  // for the storage, but not for a piece of the copy
  const uint64_t before = meter->in_use();
  EXPECT_EQ(list->Reserve(2 << 20, look).message(), "enough");
  EXPECT_EQ(Show(list->Get(7)), "i32 7");
  EXPECT_EQ(meter->in_use(), before);
}

TEST(List, AppendLeavesNothingBehindOnFailure) {
  Ref<List> list = *List::Create({Kind::kRef, &List::kType});
  EXPECT_EQ(list->Append(Value(Text("x"))).ToString(),
            "INVALID_ARGUMENT: A vm.buffer cannot be an element of a list of "
            "vm.list.");
  EXPECT_EQ(list->size(), 0u);
}

TEST(Buffer, AllocatesAligned) {
  for (uint64_t alignment : {0, 1, 16, 64, 4096}) {
    Ref<Buffer> buffer = *Buffer::Allocate(10, alignment);
    const auto address = reinterpret_cast<uintptr_t>(buffer->data());
    EXPECT_EQ(address % (alignment == 0 ? 64 : alignment), 0u) << alignment;
    EXPECT_EQ(buffer->text(), absl::string_view("\0\0\0\0\0\0\0\0\0\0", 10));
  }
  EXPECT_EQ(Buffer::Allocate(1, 24).status().ToString(),
            "INVALID_ARGUMENT: Alignment 24 is not a power of two up to "
            "1048576.");
  EXPECT_EQ(Buffer::Allocate(~uint64_t{0}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Buffer::Allocate(uint64_t{1} << 62).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Buffer, BorrowsAndKeepsTheOwner) {
  auto owner = std::make_shared<std::string>("borrowed");
  std::weak_ptr<std::string> watch = owner;
  const auto* bytes = reinterpret_cast<const uint8_t*>(owner->data());
  Ref<Buffer> buffer = Buffer::Borrow({bytes, owner->size()}, owner);
  owner.reset();
  EXPECT_EQ(buffer->text(), "borrowed");
  EXPECT_EQ(buffer->data(), bytes);
  EXPECT_EQ(buffer->MutableBytes().status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(buffer->MutableRange(0, 1).status().code(),
            absl::StatusCode::kPermissionDenied);
  buffer.reset();
  EXPECT_TRUE(watch.expired());

  std::vector<uint8_t> own = {1, 2, 3};
  Ref<Buffer> shared = Buffer::BorrowMutable(own, nullptr);
  ASSERT_TRUE(shared->Fill<uint8_t>(1, 2, 9).ok());
  EXPECT_EQ(own, (std::vector<uint8_t>{1, 9, 9}));
}

TEST(Buffer, Ranges) {
  Ref<Buffer> buffer = *Buffer::CopyText("0123456789");
  EXPECT_EQ(buffer->Range(8, 2)->size(), 2u);
  EXPECT_EQ(buffer->Range(10, 0)->size(), 0u);
  EXPECT_EQ(buffer->Range(9, 2).status().ToString(),
            "OUT_OF_RANGE: The range of 2 bytes at offset 9 exceeds the "
            "buffer's size (10 bytes).");
  EXPECT_FALSE(buffer->Range(~uint64_t{0}, 2).ok());
  EXPECT_TRUE(Buffer::CopyBytes(*buffer, 0, *buffer, 1, 9).ok());
  EXPECT_EQ(buffer->text(), "0012345678");
  EXPECT_EQ(*Buffer::Compare(*buffer, 0, *buffer, 1, 1), true);
}

// Work in pieces has the same result as at once, also if ranges overlap.
TEST(Buffer, WorksInPieces) {
  constexpr uint64_t kSize = 3 * kPieceBytes + 12345;
  std::vector<uint8_t> bytes(kSize);
  for (size_t i = 0; i < kSize; ++i)
    bytes[i] = static_cast<uint8_t>(i * i >> 7);
  const Ref<Buffer> buffer = *Buffer::Copy(bytes);
  EXPECT_TRUE(std::ranges::equal(buffer->bytes(), bytes));
  EXPECT_EQ(*buffer->Hash(3, kSize - 3),
            SipHash24(std::span(bytes).subspan(3)));
  const struct {
    uint64_t from;
    uint64_t to;
  } kCopies[] = {{0, 1}, {1, 0}, {0, 1000}, {70000, 1}, {0, kPieceBytes + 1}};
  for (const auto& copy : kCopies) {
    SCOPED_TRACE(absl::StrCat(copy.from, " to ", copy.to));
    const uint64_t length = kSize - std::max(copy.from, copy.to);
    std::memmove(&bytes[copy.to], &bytes[copy.from], length);
    ASSERT_TRUE(
        Buffer::CopyBytes(*buffer, copy.from, *buffer, copy.to, length).ok());
    EXPECT_TRUE(std::ranges::equal(buffer->bytes(), bytes));
  }
  const Ref<Buffer> other = *Buffer::Copy(bytes);
  EXPECT_TRUE(*Buffer::Compare(*buffer, 0, *other, 0, kSize));
  ASSERT_TRUE(other->Fill<uint16_t>(kSize / 2 - 1, 1, 0xABCD).ok());
  EXPECT_FALSE(*Buffer::Compare(*buffer, 0, *other, 0, kSize));
  EXPECT_TRUE(*Buffer::Compare(*buffer, 0, *other, 0, kSize - 3));
  ASSERT_TRUE(other->Fill<uint64_t>(1, kSize / 8 - 1, 0x0102030405060708).ok());
  EXPECT_EQ(other->bytes()[7], bytes[7]);
  EXPECT_EQ(other->bytes()[8], 8);
  EXPECT_EQ(other->bytes()[kSize / 8 * 8 - 1], 1);
}

TEST(Buffer, PaysAndStops) {
  constexpr uint64_t kSize = 4 * kPieceBytes;
  const Ref<Buffer> buffer = *Buffer::Allocate(kSize);
  const struct {
    const char* what;
    std::function<absl::Status(PayForBytes)> run;
  } kCases[] = {
      {"fill",
       [&](PayForBytes pay) {
         return buffer->Fill<uint8_t>(0, kSize, 1, pay);
       }},
      {"copy",
       [&](PayForBytes pay) {
         return Buffer::CopyBytes(*buffer, 0, *buffer, 0, kSize, pay);
       }},
      {"compare",
       [&](PayForBytes pay) {
         return Buffer::Compare(*buffer, 0, *buffer, 0, kSize, pay).status();
       }},
      {"hash",
       [&](PayForBytes pay) { return buffer->Hash(0, kSize, pay).status(); }},
      {"clone",
       [&](PayForBytes pay) {
         return Buffer::Copy(buffer->bytes(), 64, nullptr, pay).status();
       }},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    Purse enough = {100};
    EXPECT_TRUE(c.run(enough).ok());
    EXPECT_EQ(enough.bytes, kSize);
    for (int pieces = 0; pieces < 4; ++pieces) {
      Purse purse = {pieces};
      EXPECT_EQ(c.run(purse).message(), "enough") << pieces;
    }
  }
}

TEST(RefTypes, FindsByName) {
  static constexpr RefType kMine{"my.type"};
  static constexpr RefType kOther{"vm.buffer"};
  RefTypes types({&kMine, &kOther});
  EXPECT_EQ(types.Find("my.type"), &kMine);
  EXPECT_EQ(types.Find("vm.buffer"), &Buffer::kType);
  EXPECT_EQ(types.Find("vm.list"), &List::kType);
  EXPECT_EQ(types.Find("!my.type"), nullptr);
}

}  // namespace
}  // namespace eyrie::vm
