// Runs jobs on pools of one, two and seven threads: every chunk once, stages in
// order, failures, background jobs, and threads that come and go.
#include "hal/cpu/task/pool.h"

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "base/trace.h"
#include "base/trace_recorder.h"
#include "gtest/gtest.h"
#include "tests/support/thread_limit.h"

namespace eyrie::hal::cpu {
namespace {

// Calls `chunk(stage, index)` for each of `chunks` in each stage, until it
// returns false.
class TestJob final : public Job {
 public:
  using Chunk = std::function<bool(int stage, int index)>;
  TestJob(int stages, int chunks, int helpers, Chunk chunk,
          std::function<void()> finish = nullptr)
      : stages_(stages),
        chunks_(chunks),
        helpers_(helpers),
        chunk_(std::move(chunk)),
        finish_(std::move(finish)) {}

  int stages_begun() const { return stage_; }

 protected:
  Stage Advance() override {
    // The previous stage is complete, and no thread is in it.
    EXPECT_EQ(inside_.load(), 0);
    if (stage_ > 0 && !failed_.load()) {
      EXPECT_EQ(done_.load(), chunks_);
    }
    if (failed_.load() || stage_ == stages_) return {.over = true};
    ++stage_;
    done_.store(0);
    next_.store(0);
    return {.over = false, .helpers = helpers_};
  }
  bool RunChunks(absl::FunctionRef<bool()> stop) override {
    inside_.fetch_add(1);
    bool exhausted = false;
    do {
      const int index = failed_.load() ? chunks_ : next_.fetch_add(1);
      exhausted = index >= chunks_;
      if (!exhausted) {
        if (!chunk_(stage_ - 1, index)) failed_.store(true);
        done_.fetch_add(1);
      }
    } while (!exhausted && !stop());
    inside_.fetch_sub(1);
    return exhausted;
  }
  void Finish() override {
    if (finish_) finish_();
  }

 private:
  const int stages_;
  const int chunks_;
  const int helpers_;
  const Chunk chunk_;
  const std::function<void()> finish_;
  int stage_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> done_{0};
  std::atomic<int> inside_{0};
  std::atomic<bool> failed_{false};
};

class PoolTest : public ::testing::TestWithParam<int> {
 protected:
  PoolTest() { Open(absl::Microseconds(20)); }
  ~PoolTest() override { pool_->Shutdown(); }

  void Open(absl::Duration spin) {
    if (pool_) pool_->Shutdown();
    PoolOptions options;
    options.threads = GetParam();
    options.spin = spin;
    pool_ = MakeRef<Pool>(std::move(options));
  }
  int helpers() const { return GetParam() - 1; }

  Ref<Pool> pool_;
};

INSTANTIATE_TEST_SUITE_P(Threads, PoolTest, ::testing::Values(1, 2, 7));

// Every chunk runs once, with any number of threads.
TEST_P(PoolTest, EveryChunkOnce) {
  constexpr int kStages = 5;
  constexpr int kChunks = 200;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<int>> runs(size_t{kStages} * kChunks);
    const auto job = MakeRef<TestJob>(
        kStages, kChunks, helpers(), [&](int stage, int index) {
          runs[stage * kChunks + index].fetch_add(1);
          return true;
        });
    pool_->Run(job);
    EXPECT_TRUE(job->done());
    for (const std::atomic<int>& count : runs) ASSERT_EQ(count.load(), 1);
  }
}

TEST_P(PoolTest, WithAndWithoutSpinning) {
  for (const absl::Duration spin :
       {absl::ZeroDuration(), absl::Milliseconds(5)}) {
    Open(spin);
    std::atomic<int> sum{0};
    for (int round = 0; round < 100; ++round) {
      pool_->Run(MakeRef<TestJob>(3, 10, helpers(), [&](int, int index) {
        sum.fetch_add(index);
        return true;
      }));
    }
    EXPECT_EQ(sum.load(), 100 * 3 * 45);
  }
}

// After a failure, no stage begins. Chunks that other threads have begun are
// completed.
TEST_P(PoolTest, FailuresStopTheOthers) {
  std::atomic<int> runs{0};
  const auto job =
      MakeRef<TestJob>(3, 100000, helpers(), [&](int stage, int index) {
        runs.fetch_add(1);
        return stage != 1 || index != 5;
      });
  pool_->Run(job);
  EXPECT_EQ(job->stages_begun(), 2);
  EXPECT_LT(runs.load(), 200000);
}

// A chunk may run another job on the same pool.
TEST_P(PoolTest, Nested) {
  std::atomic<int> runs{0};
  pool_->Run(MakeRef<TestJob>(2, 8, helpers(), [&](int, int) {
    pool_->Run(MakeRef<TestJob>(2, 8, helpers(), [&](int, int) {
      runs.fetch_add(1);
      return true;
    }));
    return true;
  }));
  EXPECT_EQ(runs.load(), 2 * 8 * 2 * 8);
}

TEST_P(PoolTest, ManyCallers) {
  constexpr int kCallers = 5;
  std::atomic<int> runs{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 40; ++round) {
        pool_->Run(MakeRef<TestJob>(2, 20, helpers(), [&](int, int) {
          runs.fetch_add(1);
          return true;
        }));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs.load(), kCallers * 40 * 2 * 20);
}

// Background jobs run while the caller continues, or while it waits and helps.
TEST_P(PoolTest, HandsOver) {
  for (int round = 0; round < 40; ++round) {
    std::atomic<int> finished{0};
    std::atomic<int> runs{0};
    int started = 0;
    for (int i = 0; i < 4; ++i) {
      const auto job = MakeRef<TestJob>(
          2, 10, helpers(),
          [&](int, int) {
            runs.fetch_add(1);
            return true;
          },
          [&] {
            finished.fetch_add(1);
            pool_->Nudge();
          });
      started += pool_->Start(job);
    }
    EXPECT_EQ(started, GetParam() == 1 ? 0 : 4);
    pool_->WaitUntil(Deadline::Never(),
                     [&] { return finished.load() == started; });
    EXPECT_EQ(runs.load(), started * 20);
  }
}

TEST_P(PoolTest, WaitsEndInTime) {
  const Deadline begin = Deadline::Now();
  pool_->WaitUntil(begin.Plus(absl::Milliseconds(20)), [] { return false; });
  EXPECT_GE(Deadline::Now() - begin, absl::Milliseconds(20));
}

// A waiting thread that helps leaves between two chunks after its deadline. The
// other threads run the remaining chunks.
TEST_P(PoolTest, HelpersLeaveInTime) {
  if (GetParam() == 1) return;
  std::atomic<bool> finished{false};
  const auto job = MakeRef<TestJob>(
      1, 100, helpers(),
      [&](int, int) {
        absl::SleepFor(absl::Milliseconds(2));
        return true;
      },
      [&] {
        finished.store(true);
        pool_->Nudge();
      });
  ASSERT_TRUE(pool_->Start(job));
  pool_->WaitUntil(Deadline::After(absl::Milliseconds(10)),
                   [&] { return finished.load(); });
  EXPECT_FALSE(finished.load());
  pool_->WaitUntil(Deadline::Never(), [&] { return finished.load(); });
  EXPECT_TRUE(finished.load());
}

// Pools may be shut down idle, just after use, and with jobs that have not
// begun.
TEST_P(PoolTest, Ends) {
  for (int jobs = 0; jobs < 20; ++jobs) {
    Open(absl::Microseconds(20));
    std::atomic<int> runs{0};
    int started = 0;
    for (int i = 0; i < jobs; ++i) {
      started += pool_->Start(MakeRef<TestJob>(2, 5, helpers(), [&](int, int) {
        runs.fetch_add(1);
        return true;
      }));
    }
    pool_->Shutdown();
    EXPECT_EQ(runs.load(), started * 10);
    // After Shutdown, jobs run only on the caller's thread.
    EXPECT_FALSE(pool_->Start(MakeRef<TestJob>(1, 1, 1, [](int, int) {
      ADD_FAILURE() << "runs";
      return true;
    })));
    pool_->Run(MakeRef<TestJob>(1, 3, helpers(), [&](int, int) {
      runs.fetch_add(1);
      return true;
    }));
    EXPECT_EQ(runs.load(), started * 10 + 3);
  }
}

// A thread of the pool may shut the pool down and drop its last reference.
TEST_P(PoolTest, EndsOnAThreadOfItsOwn) {
  ASSERT_TRUE(pool_);
  std::atomic<bool> ended{false};
  const bool started = pool_->Start(MakeRef<TestJob>(
      1, 1, 0, [](int, int) { return true; },
      [&ended, pool = Ref<Pool>::Share(pool_.get())] {
        pool->Shutdown();
        ended.store(true);
      }));
  EXPECT_EQ(started, GetParam() > 1);
  while (started && !ended.load()) absl::SleepFor(absl::Milliseconds(1));
}

// If not all threads can start, the others do the work. If none can, the caller
// does it.
TEST(PoolThreads, MayBeFewer) {
  for (const int some : {0, 1}) {
    SCOPED_TRACE(some);
    const tests::ThreadLimit limit(some);
    PoolOptions options;
    options.threads = 7;
    const Ref<Pool> pool = MakeRef<Pool>(std::move(options));
    for (int round = 0; round < 5; ++round) {
      std::atomic<int> sum{0};
      const auto add = [&sum](int, int index) {
        sum.fetch_add(index);
        return true;
      };
      pool->Run(MakeRef<TestJob>(3, 10, 6, add));
      EXPECT_EQ(sum.load(), 3 * 45);
      const auto job = MakeRef<TestJob>(3, 10, 6, add);
      EXPECT_EQ(pool->Start(job), some > 0);
      while (some > 0 && !job->done()) absl::SleepFor(absl::Milliseconds(1));
    }
    pool->Shutdown();
  }
}

// Threads of different pools have different names. Pools reuse numbers.
TEST(PoolThreads, HaveNames) {
  for (int round = 0; round < 2; ++round) {
    auto recorder = trace::Recorder::Start({});
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    Ref<Pool> pools[2];
    for (Ref<Pool>& pool : pools) {
      PoolOptions options;
      options.threads = 2;
      pool = MakeRef<Pool>(std::move(options));
    }
    for (const Ref<Pool>& pool : pools) {
      const auto job = MakeRef<TestJob>(1, 1, 0, [](int, int) {
        const trace::Span span(trace::Category::kQueue, trace::Name::kWait);
        return true;
      });
      ASSERT_TRUE(pool->Start(job));
      while (!job->done()) absl::SleepFor(absl::Milliseconds(1));
      pool->Shutdown();
    }
    (*recorder)->Stop();
    std::string text;
    ASSERT_TRUE((*recorder)
                    ->WriteJson([&](absl::string_view piece) {
                      text.append(piece.data(), piece.size());
                      return absl::OkStatus();
                    })
                    .ok());
    EXPECT_NE(text.find("\"task 1\""), text.npos) << text;
    EXPECT_NE(text.find("\"task 2.1\""), text.npos) << text;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
