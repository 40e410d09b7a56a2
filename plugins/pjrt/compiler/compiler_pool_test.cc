// Compiles with a pool of processes of the fake compiler, also after crashes
// and in forked children.
#include "plugins/pjrt/compiler/compiler_pool.h"

#include <signal.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/compiler/testing/fake_library.h"
#include "tests/support/in_child.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

std::unique_ptr<CompilerPool> FakePool(int workers) {
  return CompilerPool::Create({FakeLibrary(), absl::Seconds(20), workers});
}

std::string Compile(CompilerPool& pool, const std::string& program) {
  const auto result = pool.Compile({program, {}});
  return result.ok() ? result->module : StatusText(result);
}

TEST(CompilerPool, KeepsAProcess) {
  const auto pool = FakePool(2);
  EXPECT_TRUE(ChildProcesses().empty());
  EXPECT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
  const std::set<int> first = ChildProcesses();
  EXPECT_EQ(first.size(), 1);
  EXPECT_EQ(Compile(*pool, "a func () -> ()"), "compiled: a func () -> ()");
  EXPECT_EQ(ChildProcesses(), first);
}

TEST(CompilerPool, ReplacesAProcessThatHasEnded) {
  const auto pool = FakePool(1);
  EXPECT_EQ(Compile(*pool, "crash func () -> ()"),
            "INTERNAL: The compiler was ended by signal 11 (SIGSEGV).");
  EXPECT_TRUE(ChildProcesses().empty());
  EXPECT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
  // The end of an idle process is not an error.
  const int idle = *ChildProcesses().begin();
  kill(idle, SIGKILL);
  EXPECT_TRUE(Ends(idle));
  EXPECT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
}

TEST(CompilerPool, ReplacesAProcessThatIsUsedUp) {
  const auto pool = FakePool(1);
  std::set<int> processes;
  for (int i = 0; i < 450; ++i) {
    ASSERT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
    if (i % 50 == 25) processes.merge(ChildProcesses());
  }
  EXPECT_EQ(processes.size(), 3);
}

TEST(CompilerPool, WarmsUpToItsLimit) {
  {
    const auto pool = FakePool(3);
    pool->Warm(2);
    const std::set<int> warm = ChildProcesses();
    EXPECT_EQ(warm.size(), 2);
    EXPECT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
    EXPECT_EQ(ChildProcesses(), warm);
    pool->Warm(9);
    EXPECT_EQ(ChildProcesses().size(), 3);
  }
  EXPECT_TRUE(ChildProcesses().empty());
}

TEST(CompilerPool, SharesProcessesAmongThreads) {
  const auto pool = FakePool(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        const std::string program = absl::StrCat(i, ".", j, " func () -> ()");
        EXPECT_EQ(Compile(*pool, program), absl::StrCat("compiled: ", program));
        const bool crashes = j == 10;
        if (!crashes) continue;
        EXPECT_TRUE(absl::StrContains(Compile(*pool, "abort func () -> ()"),
                                      "SIGABRT"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(ChildProcesses().size(), 2);
}

TEST(CompilerPool, AForkedChildLeavesTheProcessesToItsParent) {
  auto pool = FakePool(2);
  pool->Warm(1);
  const std::set<int> warm = ChildProcesses();
  const std::string text = InChild([&] {
    std::string result = Compile(*pool, "func () -> ()");
    absl::StrAppend(&result, " | ", StatusText(pool->Identity()));
    pool->Warm(2);
    pool.reset();
    return result;
  });
  EXPECT_TRUE(absl::StartsWith(text,
                               "FAILED_PRECONDITION: The compiler was "
                               "opened before fork()"))
      << text;
  EXPECT_EQ(ChildProcesses(), warm);
  EXPECT_EQ(Compile(*pool, "func () -> ()"), "compiled: func () -> ()");
  EXPECT_EQ(ChildProcesses(), warm);
}

TEST(CompilerPool, NamesItsCompiler) {
  const auto identity = FakePool(1)->Identity();
  ASSERT_TRUE(identity.ok()) << StatusText(identity);
  EXPECT_TRUE(absl::StrContains(*identity, "libIREECompiler.so ")) << *identity;
  const auto none = CompilerPool::Create({"/nowhere"});
  const std::string want =
      "NOT_FOUND: The option 'compiler' is '/nowhere', which is neither "
      "libIREECompiler.so nor iree-compile nor a folder that has the compiler.";
  EXPECT_EQ(StatusText(none->Identity()), want);
  EXPECT_EQ(Compile(*none, "func () -> ()"), want);
  none->Warm(1);
}

}  // namespace
}  // namespace eyrie::pjrt
