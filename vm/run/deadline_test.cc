// Time limits of calls with many contexts, without threads, and after forks.
#include "base/deadline.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "tests/support/status_text.h"
#include "tests/support/thread_limit.h"
#include "vm/module/backtrace.h"
#include "vm/module/verifier.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

// ThreadSanitizer would kill forked children that start threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using tests::ThreadLimit;

std::shared_ptr<const BytecodeModule> Loops() {
  ModuleBuilder builder;
  builder.name = "loops";
  builder.AddFunction("for_ever", "0v_v", "entry: br ^entry []");
  builder.AddFunction("once", "0v_v", "entry: return []");
  auto verified = LoadModule(builder.Build(), builder.name);
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

class DeadlineTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Context>> Create(absl::Duration timeout) {
    ContextOptions options;
    options.limits.timeout = timeout;
    options.limits.max_stack = 1 << 16;
    return Context::Create({module_}, options);
  }
  // Returns "OK" or the error message.
  static std::string Call(Context& context, const char* function) {
    const absl::Status status =
        context.Call(*context.Lookup(function), {}).status();
    if (status.ok()) return "OK";
    return absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                        WithoutBacktrace(status.message()));
  }

  const std::shared_ptr<const BytecodeModule> module_ = Loops();
};

constexpr char kLate[] =
    "DEADLINE_EXCEEDED: The call exceeds its time limit (1ms).";
constexpr char kNoThread[] =
    "RESOURCE_EXHAUSTED: Cannot start a thread for limits of time: Resource "
    "temporarily unavailable.";

// Every second context exceeds its limit; the others continue.
TEST_F(DeadlineTest, AThousandContextsShareAThread) {
  constexpr int kContexts = 1000;
  constexpr int kThreads = 4;
  const int before = tests::ThreadsStarted();
  std::vector<std::unique_ptr<Context>> contexts;
  for (int i = 0; i < kContexts; ++i) {
    contexts.push_back(
        *Create(i % 2 == 0 ? absl::Milliseconds(1) : absl::Hours(1)));
    if (i % 2 == 1) {
      EXPECT_EQ(Call(*contexts[i], "once"), "OK");
    }
  }
  EXPECT_EQ(tests::ThreadsStarted() - before, 1);
  std::vector<std::thread> threads;
  for (int first = 0; first < kThreads; ++first) {
    threads.emplace_back([&contexts, first] {
      for (size_t i = first; i < contexts.size(); i += kThreads) {
        const bool limited = i % 2 == 0;
        EXPECT_EQ(Call(*contexts[i], limited ? "for_ever" : "once"),
                  limited ? kLate : "OK");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 1; i < kContexts; i += 2) {
    EXPECT_EQ(Call(*contexts[i], "once"), "OK");
  }
}

// Some threads create and destroy contexts while calls of others are stopped.
TEST_F(DeadlineTest, ContextsComeAndGo) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int round = 0; round < 50; ++round) {
        const auto limited = *Create(absl::Milliseconds(1));
        EXPECT_EQ(Call(*limited, "for_ever"), kLate);
        const auto other = *Create(absl::Hours(24 * 365 * 1000));
        EXPECT_EQ(Call(*other, "once"), "OK");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeadlineTest, LongTimesDoNotOverflow) {
  for (const absl::Duration time :
       {absl::Nanoseconds(INT64_MAX), absl::Seconds(INT64_MAX),
        absl::InfiniteDuration() - absl::Seconds(1)}) {
    const auto context = *Create(time);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Call(*context, "once"), "OK");
  }
}

TEST_F(DeadlineTest, NeedsAThread) {
  const ThreadLimit none(0);
  EXPECT_EQ(StatusText(Create(absl::Hours(1))), kNoThread);
  const auto unlimited = *Create(absl::InfiniteDuration());
  EXPECT_EQ(Call(*unlimited, "once"), "OK");
}

// Returns what is wrong in the child, or "".
std::string InChild(Context& context, Context& limited,
                    std::string (*call)(Context&, const char*)) {
  {
    const ThreadLimit none(0);
    for (int i = 0; i < 2; ++i) {
      const std::string refused = call(context, "once");
      if (refused != kNoThread) return refused;
    }
  }
  const std::string once = call(context, "once");
  if (once != "OK") return once;
  const std::string late = call(limited, "for_ever");
  return late == kLate ? "" : late;
}

// A forked child has no timer thread: it must start another one, or refuse
// calls that nothing could stop.
TEST_F(DeadlineTest, HoldInTheChildOfAFork) {
  auto context = *Create(absl::Hours(1));
  auto limited = *Create(absl::Milliseconds(1));
  EXPECT_EQ(Call(*context, "once"), "OK");
  const pid_t child = fork();
  if (child == 0) {
    const std::string wrong = InChild(*context, *limited, Call);
    if (!wrong.empty())
      static_cast<void>(!write(2, wrong.data(), wrong.size()));
    // Must not wait for threads of the parent.
    context = nullptr;
    limited = nullptr;
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Call(*context, "once"), "OK");
  EXPECT_EQ(Call(*limited, "for_ever"), kLate);
}

}  // namespace
}  // namespace eyrie::vm
