// Tests results of hostile programs.
#include "abi/value/decoder.h"

#include <memory>
#include <string>

#include "abi/call/invoker.h"
#include "base/memory_meter.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {
namespace {

// The lists of a program may contain themselves, or each other many times.
TEST(Decoder, HostileLists) {
  CallStatistics statistics;
  auto self = *vm::List::Create({});
  ASSERT_TRUE(self->Append(vm::Value(Ref<RefObject>(self))).ok());
  Decoder decoder(&statistics);
  const auto looped = decoder.Decode(vm::Value(Ref<RefObject>(self)), Type());
  EXPECT_EQ(StatusText(looped),
            "INVALID_ARGUMENT: values are nested 129 deep; the limit is 128.");
  ASSERT_TRUE(self->Resize(0).ok());

  auto many = *vm::List::Create({});
  for (int depth = 0; depth < 40; ++depth) {
    auto outer = *vm::List::Create({});
    for (int i = 0; i < 8; ++i) {
      ASSERT_TRUE(outer->Append(vm::Value(Ref<RefObject>(many))).ok());
    }
    many = std::move(outer);
  }
  Decoder counting(&statistics);
  const auto counted = counting.Decode(vm::Value(Ref<RefObject>(many)), Type());
  EXPECT_EQ(counted.status().code(), absl::StatusCode::kResourceExhausted);
}

// An object that is returned many times is copied and charged each time.
TEST(Decoder, SharedObjectsAreCharged) {
  using ListKind = vm::ElementType::Kind;
  const auto text = *vm::Buffer::CopyText(std::string(1000, 'x'));
  const auto bytes = *vm::List::Create({ListKind::kI8, nullptr});
  ASSERT_TRUE(bytes->Resize(1000).ok());
  const auto numbers = *vm::List::Create({ListKind::kI32, nullptr});
  ASSERT_TRUE(numbers->Resize(1000).ok());
  const uint64_t items = 100 * sizeof(HostValue);
  const struct {
    const char* what;
    Ref<RefObject> object;
    uint64_t size;  // bytes
  } kRows[] = {
      {"text", text, 1000},
      {"list of bytes", bytes, 1000},
      {"list of numbers", numbers, 1000 * sizeof(HostValue)},
  };
  for (const auto& row : kRows) {
    auto list = *vm::List::Create({});
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(list->Append(vm::Value(row.object)).ok());
    }
    const uint64_t total = items + 100 * row.size;
    const struct {
      uint64_t limit;
      absl::StatusCode want;
    } kLimits[] = {
        {total, absl::StatusCode::kOk},
        {total - 1, absl::StatusCode::kResourceExhausted},
        {row.size, absl::StatusCode::kResourceExhausted},
    };
    for (const auto& [limit, want] : kLimits) {
      SCOPED_TRACE(absl::StrCat(row.what, " ", limit));
      const auto meter = std::make_shared<MemoryMeter>(limit);
      {
        MemoryCharge charge = *MemoryCharge::Take(meter, 0, "a test");
        CallStatistics statistics;
        Decoder decoder(&statistics, &charge);
        const auto value =
            decoder.Decode(vm::Value(Ref<RefObject>(list)), Type());
        EXPECT_EQ(value.status().code(), want) << value.status();
      }
      EXPECT_EQ(meter->in_use(), 0u);
    }
  }
}

}  // namespace
}  // namespace eyrie::abi
