// Every task runs, those of tasks too, whatever the number of threads.
#include "abi/native/task_pool.h"

#include <atomic>
#include <memory>
#include <thread>

#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

TEST(TaskPool, RunsAllBeforeItEnds) {
  for (const size_t threads : {1, 2, 7}) {
    std::atomic<int> count = 0;
    {
      TaskPool pool(threads);
      EXPECT_EQ(pool.thread_count(), threads);
      for (int i = 0; i < 100; ++i) {
        pool.Schedule([&] {
          ++count;
          pool.Schedule([&] { ++count; });
        });
      }
    }
    EXPECT_EQ(count, 200);
  }
}

TEST(TaskPool, EndsOnItsOwnThread) {
  std::atomic<bool> ended = false;
  auto pool = std::make_shared<TaskPool>(2);
  TaskPool* const raw = pool.get();
  raw->Schedule([&ended, held = std::move(pool)]() mutable {
    held.reset();
    ended = true;
  });
  while (!ended) std::this_thread::yield();
}

}  // namespace
}  // namespace eyrie::native
