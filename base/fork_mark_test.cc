// Checks marks in a process, its child and its grandchild.
#include "base/fork_mark.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

// Returns the exit code of a child that runs `run`.
template <typename F>
int InChild(F run) {
  const pid_t child = fork();
  if (child == 0) _exit(run());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ForkMark, TellsProcessesApart) {
  const ForkMark mark;
  EXPECT_FALSE(mark.IsForked());
  EXPECT_TRUE(mark.Check("It").ok());
  EXPECT_EQ(InChild([&] {
              const ForkMark own;
              if (!mark.IsForked() || own.IsForked()) return 1;
              return InChild([&] {
                if (!mark.IsForked() || !own.IsForked()) return 2;
                return ForkMark().IsForked() ? 3 : 0;
              });
            }),
            0);
  EXPECT_EQ(InChild([&] {
              return mark.Check("The device") ==
                             absl::FailedPreconditionError(
                                 "The device was opened before fork(), and its "
                                 "threads do not exist in this child process. "
                                 "Open a device in the child.")
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_FALSE(mark.IsForked());
}

}  // namespace
}  // namespace eyrie
