// Threads increment a plain counter under the lock; some yield inside.
#include "base/short_lock.h"

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(ShortLock, LetsOneIn) {
  const struct {
    int threads;
    int turns;
    int yields;  // the holder yields once in this many turns; 0: never
  } kCases[] = {{1, 100000, 0}, {2, 100000, 0}, {4, 20000, 7}, {16, 2000, 1}};
  for (const auto& c : kCases) {
    ShortLock lock;
    int64_t count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < c.threads; ++i) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < c.turns; ++turn) {
          std::lock_guard<ShortLock> guard(lock);
          const int64_t before = count;
          if (c.yields != 0 && turn % c.yields == 0) std::this_thread::yield();
          count = before + 1;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, int64_t{c.threads} * c.turns);
  }
}

}  // namespace
}  // namespace eyrie
