// Starts, drains and waits for a process, and looks at the memory that it
// shares with its worker.
#include "tests/fuzz/limits/measured_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern char** environ;

namespace eyrie::tests {
namespace {

constexpr size_t kLastOutput = 1000;

// Starts the program with both outputs in `pipe_end`, and stdin empty.
pid_t Start(const std::vector<std::string>& command, int pipe_end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_end, 1);
  posix_spawn_file_actions_adddup2(&actions, pipe_end, 2);
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr,
                                arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::fprintf(stderr, "Cannot start '%s'.\n", arguments[0]);
    std::abort();
  }
  return child;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_usec);
}

// Returns the bytes of the files without a name that the process shares with an
// isolated worker. Pages that no process has touched are in no other count.
uint64_t SharedBytes(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process) + "/fd";
  DIR* const files = opendir(folder.c_str());
  if (files == nullptr) return 0;
  uint64_t bytes = 0;
  while (const dirent* entry = readdir(files)) {
    const std::string path = folder + "/" + entry->d_name;
    char name[64] = {};
    if (readlink(path.c_str(), name, sizeof(name) - 1) <= 0 ||
        std::strncmp(name, "/memfd:eyrie", 12) != 0) {
      continue;
    }
    struct stat info;
    if (stat(path.c_str(), &info) != 0) continue;
    bytes += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  closedir(files);
  return bytes;
}

// Reads until all writers have closed the pipe. Kills the child after
// `wall_seconds`.
void Drain(int pipe_end, pid_t child, double wall_seconds, Usage& usage) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(wall_seconds);
  std::vector<char> chunk(1 << 16);
  for (;;) {
    pollfd wanted = {pipe_end, POLLIN, 0};
    if (poll(&wanted, 1, 5) < 0 && errno != EINTR) return;
    usage.memory_bytes = std::max(usage.memory_bytes, SharedBytes(child));
    if (Clock::now() > end) kill(child, SIGKILL);
    if (wanted.revents == 0) continue;
    const ssize_t size = read(pipe_end, chunk.data(), chunk.size());
    if (size <= 0) return;
    const size_t bytes = static_cast<size_t>(size);
    usage.output_bytes += bytes;
    usage.last_output.append(chunk.data(), bytes);
    if (usage.last_output.size() > kLastOutput) {
      usage.last_output.erase(0, usage.last_output.size() - kLastOutput);
    }
  }
}

}  // namespace

Usage RunMeasured(const std::vector<std::string>& command,
                  double wall_seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const pid_t child = Start(command, ends[1]);
  close(ends[1]);
  Usage usage;
  Drain(ends[0], child, wall_seconds, usage);
  close(ends[0]);
  rusage used = {};
  while (wait4(child, &usage.status, 0, &used) < 0 && errno == EINTR) {
  }
  usage.cpu_seconds = Seconds(used.ru_utime) + Seconds(used.ru_stime);
  usage.memory_bytes =
      std::max(usage.memory_bytes, static_cast<uint64_t>(used.ru_maxrss) << 10);
  return usage;
}

}  // namespace eyrie::tests
