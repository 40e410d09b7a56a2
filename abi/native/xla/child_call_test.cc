// Tests functions that run in a copy of the process.
#include "abi/native/xla/child_call.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

TEST(ChildCall, TellsHowTheChildEnds) {
  const struct {
    const char* what;
    std::string (*run)();
    const char* want;
  } kRows[] = {
      {"returns", [] { return std::string("text"); }, "text"},
      {"returns nothing", [] { return std::string(); },
       "ABORTED: The child process ended without an answer."},
      {"exits", []() -> std::string { ::_exit(0); },
       "ABORTED: The child process ended with exit code 0."},
      {"crashes",
       []() -> std::string {
         ::raise(SIGSEGV);
         return "";
       },
       "ABORTED: The child process was ended by the signal SIGSEGV."},
      {"sleeps",
       []() -> std::string {
         ::pause();
         return "";
       },
       "DEADLINE_EXCEEDED: The child process took too long."},
      {"writes much", [] { return std::string((16 << 20) + 1, 'x'); },
       "RESOURCE_EXHAUSTED: The child process wrote more than 16777216 bytes."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.what);
    const auto text =
        CallInChild(std::string(row.what) == "sleeps" ? absl::Milliseconds(50)
                                                      : absl::Seconds(60),
                    row.run);
    EXPECT_EQ(text.ok() ? *text : StatusText(text), row.want);
  }
}

// Then the system does not tell how a child ended.
TEST(ChildCall, WorksIfTheProgramIgnoresItsChildren) {
  const auto old = ::signal(SIGCHLD, SIG_IGN);
  const auto text =
      CallInChild(absl::Seconds(60), [] { return std::string("text"); });
  const auto crashed =
      CallInChild(absl::Seconds(60), []() -> std::string { ::abort(); });
  ::signal(SIGCHLD, old);
  EXPECT_EQ(text.ok() ? *text : StatusText(text), "text");
  EXPECT_EQ(StatusText(crashed),
            "ABORTED: The child process ended without an answer.");
}

TEST(ChildCall, DoesNotWriteTheTextOfThisProcess) {
  FILE* const file = ::tmpfile();
  ASSERT_NE(file, nullptr);
  ::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  ::printf("once");
  const auto text =
      CallInChild(absl::Seconds(60), []() -> std::string { ::exit(1); });
  ::fflush(stdout);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  char buffer[64] = {};
  ::rewind(file);
  const size_t size = ::fread(buffer, 1, sizeof(buffer), file);
  ::fclose(file);
  EXPECT_EQ(std::string(buffer, size), "once");
  EXPECT_FALSE(text.ok());
}

// No process is left if the program is killed while it waits.
TEST(ChildCall, EndsWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    ::close(ends[0]);
    CallInChild(absl::Seconds(60), [&ends]() -> std::string {
      if (::write(ends[1], "x", 1) == 1) ::pause();
      return "";
    }).IgnoreError();
    ::_exit(0);
  }
  ::close(ends[1]);
  pollfd ready = {ends[0], POLLIN, 0};
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);  // the child runs
  ::kill(parent, SIGKILL);
  EXPECT_EQ(::poll(&ready, 1, 30'000), 1);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // no process has the other end
  ::waitpid(parent, nullptr, 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace eyrie::native
