// Threads: joining, signals, and failures to start one.
#include "base/thread.h"

#include <signal.h>

#include <atomic>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/status_text.h"
#include "tests/support/thread_limit.h"

namespace eyrie {
namespace {

TEST(Thread, RunsUntilItIsJoined) {
  for (const size_t stack_bytes : {0, 1, 100001, 1 << 20}) {
    std::atomic<int> runs = 0;
    auto thread = Thread::Start("a test", [&] { ++runs; }, stack_bytes);
    ASSERT_TRUE(thread.ok()) << thread.status();
    EXPECT_TRUE(thread->is_started());
    EXPECT_FALSE(thread->IsCurrent());
    Thread moved = *std::move(thread);
    EXPECT_FALSE(thread->is_started());
    moved.Join();
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(moved.is_started());
    moved.Join();
    moved = *Thread::Start("a test", [&] { ++runs; });
    moved = *Thread::Start("a test", [&] { ++runs; });  // joins the first
    moved = Thread();
    EXPECT_EQ(runs, 3);
  }
}

TEST(Thread, DetachesItself) {
  Thread thread;
  std::atomic<bool> assigned = false;
  std::atomic<bool> over = false;
  thread = *Thread::Start("a test", [&] {
    while (!assigned) {
    }
    EXPECT_TRUE(thread.IsCurrent());
    thread.Join();
    over = true;
  });
  assigned = true;
  while (!over) {
  }
  EXPECT_FALSE(thread.is_started());
}

TEST(Thread, TakesNoSignals) {
  sigset_t blocked;
  Thread::Start("a test", [&] {
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  })->Join();
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPROF, SIGCHLD}) {
    EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    EXPECT_EQ(sigismember(&own, signal), 0) << signal;
  }
}

TEST(Thread, MayBeOneTooMany) {
  const tests::ThreadLimit limit(1);
  auto kept = std::make_shared<int>(1);
  EXPECT_TRUE(Thread::Start("the first", [kept] {}).ok());
  EXPECT_EQ(StatusText(Thread::Start("the second", [kept] {}).status()),
            "RESOURCE_EXHAUSTED: Cannot start a thread for the second: "
            "Resource temporarily unavailable.");
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace eyrie
