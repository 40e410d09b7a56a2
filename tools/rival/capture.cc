// Tested by rival_test.txt.
#include "tools/rival/capture.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status_macros.h"
#include "base/system_error.h"

extern char** environ;

namespace eyrie::tools {
namespace {

// A file without a name, in memory.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("output", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }

  int file() const { return file_; }

  std::string Read() const {
    const off_t end = lseek(file_, 0, SEEK_END);
    std::string text(
        std::min(end < 0 ? 0 : static_cast<size_t>(end), kMostOutput), '\0');
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = pread(file_, text.data() + done, text.size() - done,
                                static_cast<off_t>(done));
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  const int file_;
};

// What posix_spawn needs to be told, freed at the end.
class SpawnOrders {
 public:
  SpawnOrders() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;
  ~SpawnOrders() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Standard streams, and a process that takes all signals. Of a terminal's
  // interrupt it gets none of its own: who watches hands it on.
  void Prepare(const MemoryFile& output, const MemoryFile& errors) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.file(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors.file(), STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       std::atomic<pid_t>& running) {
  const MemoryFile output;
  const MemoryFile errors;
  if (output.file() < 0 || errors.file() < 0) {
    return SystemError("make a file in memory for", command[0], errno);
  }
  SpawnOrders orders;
  orders.Prepare(output, errors);
  std::vector<char*> argv;
  for (const std::string& argument : command) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.push_back(*entry);
  }
  // What Google Benchmark reads of its flags; the first of a name counts.
  std::string format = "BENCHMARK_FORMAT=json";
  environment.push_back(format.data());
  environment.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], orders.actions(), orders.attributes(),
                   argv.data(), environment.data());
  if (error != 0) return SystemError("start", command[0], error);
  running = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  Captured captured;
  captured.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  captured.output = output.Read();
  captured.errors = errors.Read();
  return captured;
}

}  // namespace eyrie::tools
