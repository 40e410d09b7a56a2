// The operations of a single thread, and then of several. All in one test:
// after a process has had several threads, the C library no longer counts it as
// having one.
#include "base/lone_thread.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ref.h"
#include "base/short_lock.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

struct Object : RefObject {
  static constexpr RefType kType{"test.object"};
  explicit Object(int& ended) : RefObject(kType), ended(ended) {}
  ~Object() override { ++ended; }

  int& ended;
};

void UseAtomics() {
  constexpr auto kOrder = std::memory_order_acq_rel;
  std::atomic<uint32_t> value{7};
  EXPECT_EQ(FetchAdd<uint32_t>(value, 5, kOrder), 7u);
  EXPECT_EQ(Exchange<uint32_t>(value, 3, kOrder), 12u);
  uint32_t expected = 4;
  EXPECT_FALSE(CompareExchange<uint32_t>(value, expected, 9, kOrder));
  EXPECT_EQ(expected, 3u);
  EXPECT_TRUE(CompareExchange<uint32_t>(value, expected, 9, kOrder));
  EXPECT_EQ(value, 9u);
}

void UseReferences() {
  int ended = 0;
  {
    std::vector<Ref<Object>> held(5, MakeRef<Object>(ended));
    EXPECT_EQ(held[0]->use_count(), 5u);
    held.resize(2);
    EXPECT_EQ(held[0]->use_count(), 2u);
    EXPECT_FALSE(held[0]->DropsLast());
    held[1].release();
    EXPECT_TRUE(held[0]->IsUnique());
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

TEST(LoneThread, HandsOver) {
#if __has_include(<sys/single_threaded.h>)
  EXPECT_TRUE(IsLoneThread());
#endif
  UseAtomics();
  UseReferences();
  int ended = 0;
  std::vector<Ref<Object>> held(100, MakeRef<Object>(ended));
  held.resize(60);
  Object& object = *held[0];
  ShortLock lock;
  int inside = 0;
  lock.lock();
  auto share = [&] {
    EXPECT_FALSE(IsLoneThread());
    for (int i = 0; i < 20000; ++i) Ref<Object>::Share(&object).reset();
    const std::lock_guard<ShortLock> guard(lock);
    ++inside;
  };
  std::thread first(share), second(share);
  for (int i = 0; i < 20000; ++i) Ref<Object>::Share(&object).reset();
  EXPECT_EQ(inside, 0);
  lock.unlock();
  first.join();
  second.join();
  EXPECT_EQ(inside, 2);
  EXPECT_EQ(object.use_count(), 60u);
  UseAtomics();
  UseReferences();
  held.clear();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace eyrie
