// Runs a function in a child of fork().
#ifndef EYRIE_TESTS_SUPPORT_IN_CHILD_H_
#define EYRIE_TESTS_SUPPORT_IN_CHILD_H_

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace eyrie {

// Returns the text that `run` returns in the child, or how the child ended. A
// child that runs for a minute counts as hung. The child exits without the
// sanitizers' final checks, because they would miss the parent's threads; `run`
// may exit in another way.
inline std::string InChild(const std::function<std::string()>& run) {
  constexpr int kPatienceMs = 60000;
  constexpr char kEnd = '\n';
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = run() + kEnd;
    const bool written = write(ends[1], text.data(), text.size()) ==
                         static_cast<ssize_t>(text.size());
    if (written) kill(getpid(), SIGKILL);
    _exit(1);
  }
  close(ends[1]);
  std::string text;
  bool hangs = false;
  while (true) {
    pollfd look = {ends[0], POLLIN, 0};
    hangs = poll(&look, 1, kPatienceMs) == 0;
    char piece[256];
    const ssize_t size = hangs ? 0 : read(ends[0], piece, sizeof(piece));
    if (size <= 0) break;
    text.append(piece, static_cast<size_t>(size));
  }
  close(ends[0]);
  if (hangs) kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (hangs) return "The child hangs.";
  if (!text.empty() && text.back() == kEnd) {
    text.pop_back();
    return text;
  }
  if (WIFSIGNALED(status)) {
    return "The child ends by signal " + std::to_string(WTERMSIG(status)) + ".";
  }
  return "The child exits with " + std::to_string(WEXITSTATUS(status)) + ".";
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_IN_CHILD_H_
