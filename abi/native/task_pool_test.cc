// Tests that every task runs, including those that tasks schedule, with any
// number of threads.
#include "abi/native/task_pool.h"

#include <atomic>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/thread_limit.h"

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

// Tasks run whether all, one or none of the threads can be started.
TEST(TaskPool, MayHaveFewerThreads) {
  for (const int some : {0, 1, 3}) {
    const tests::ThreadLimit limit(some);
    std::atomic<int> count = 0;
    {
      TaskPool pool(7);
      for (int i = 0; i < 100; ++i) {
        pool.Schedule([&] {
          ++count;
          pool.Schedule([&] { ++count; });
        });
      }
      EXPECT_TRUE(some > 0 || count == 200);
    }
    EXPECT_EQ(count, 200);
  }
}

TEST(TaskPool, TasksOfAStartedPoolRunElsewhere) {
  for (const int some : {0, 1}) {
    const tests::ThreadLimit limit(some);
    const std::thread::id caller = std::this_thread::get_id();
    std::thread::id ran;
    {
      TaskPool pool(7);
      EXPECT_EQ(pool.StartThread().ok(), some > 0);
      EXPECT_EQ(pool.StartThread().ok(), some > 0);
      pool.Schedule([&ran] { ran = std::this_thread::get_id(); });
    }
    EXPECT_EQ(ran != caller, some > 0);
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
