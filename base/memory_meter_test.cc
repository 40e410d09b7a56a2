// Memory charges: bytes are returned exactly once, on any thread.
#include "base/memory_meter.h"

#include <thread>
#include <vector>

#include "base/charged_object.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(MemoryMeter, RefusesWhatPassesTheLimit) {
  constexpr uint64_t kMax = ~uint64_t{0};
  const struct {
    uint64_t limit, first, second;
    const char* want;  // the second result
  } kCases[] = {
      {100, 60, 40, "OK"},
      {100, 60, 41,
       "RESOURCE_EXHAUSTED: 41 bytes for a list exceed the context's memory "
       "limit (100 bytes, of which 60 are in use)."},
      {0, 0, 0, "OK"},
      {0, 0, 1,
       "RESOURCE_EXHAUSTED: 1 bytes for a list exceed the context's memory "
       "limit (0 bytes, of which 0 are in use)."},
      {kMax, kMax - 1, 1, "OK"},
      {100, 100, kMax,
       "RESOURCE_EXHAUSTED: 18446744073709551615 bytes for a list exceed the "
       "context's memory limit (100 bytes, of which 100 are in use)."},
  };
  for (const auto& c : kCases) {
    auto meter = std::make_shared<MemoryMeter>(c.limit);
    auto first = MemoryCharge::Take(meter, c.first, "a buffer");
    ASSERT_TRUE(first.ok()) << first.status();
    const auto second = MemoryCharge::Take(meter, c.second, "a list");
    EXPECT_EQ(second.status().ToString(), c.want);
    EXPECT_EQ(meter->in_use(), c.first + (second.ok() ? c.second : 0));
    EXPECT_EQ(meter->refusals(), second.ok() ? 0u : 1u);
  }
}

TEST(MemoryMeter, ChargesGiveBackOnce) {
  auto meter = std::make_shared<MemoryMeter>(1000);
  {
    MemoryCharge one = *MemoryCharge::Take(meter, 100, "it");
    MemoryCharge two = std::move(one);
    EXPECT_EQ(meter->in_use(), 100u);
    ASSERT_TRUE(two.Add(50, "more").ok());
    EXPECT_FALSE(two.Add(900, "more").ok());
    EXPECT_EQ(two.bytes(), 150u);
    two.Sub(30);
    EXPECT_EQ(meter->in_use(), 120u);
    one = *MemoryCharge::Take(meter, 7, "it");
    EXPECT_EQ(meter->in_use(), 127u);
    one = std::move(two);
    EXPECT_EQ(meter->in_use(), 120u);
    one.Reset();
    one.Reset();
    EXPECT_EQ(meter->in_use(), 0u);
    EXPECT_TRUE(one.Add(1, "nobody counts this").ok());
  }
  EXPECT_EQ(meter->in_use(), 0u);
  MemoryCharge none = *MemoryCharge::Take(nullptr, ~uint64_t{0}, "it");
  EXPECT_EQ(none.bytes(), 0u);
}

TEST(MemoryMeter, OutlivesWhoMadeIt) {
  auto meter = std::make_shared<MemoryMeter>(10);
  std::weak_ptr<MemoryMeter> watch = meter;
  MemoryCharge charge = *MemoryCharge::Take(meter, 10, "it");
  meter = nullptr;
  EXPECT_FALSE(watch.expired());
  charge.Reset();
  EXPECT_TRUE(watch.expired());
}

class Thing final : public ChargedObject {
 public:
  static constexpr RefType kType{"thing"};
  Thing() : ChargedObject(kType) {}
};

TEST(MemoryMeter, ObjectsHoldCharges) {
  auto meter = std::make_shared<MemoryMeter>(10);
  Ref<Thing> thing = MakeRef<Thing>();
  thing->Hold(*MemoryCharge::Take(meter, 4, "it"));
  thing->Hold(*MemoryCharge::Take(meter, 5, "it"));
  EXPECT_EQ(meter->in_use(), 5u);
  thing = nullptr;
  EXPECT_EQ(meter->in_use(), 0u);
}

TEST(MemoryMeter, CountsForThreads) {
  auto meter = std::make_shared<MemoryMeter>(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&meter] {
      for (int i = 0; i < 2000; ++i) {
        MemoryCharge charge = *MemoryCharge::Take(meter, 16, "it");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(meter->in_use(), 0u);
}

}  // namespace
}  // namespace eyrie
