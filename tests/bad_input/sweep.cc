// Runs trials in child processes and watches their progress in shared memory.
#include "tests/bad_input/sweep.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace eyrie::tests {
namespace {

constexpr double kProcessSeconds = 2;
constexpr double kWallSeconds = 10;
constexpr size_t kTextSize = 512;

// Returns the processor time of a process. It stops when the process ends.
double ProcessSeconds(pid_t child) {
  clockid_t clock;
  timespec time;
  if (clock_getcpuclockid(child, &clock) != 0) return 0;
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

struct Sweep::Shared final : Sweep::Report {
  std::atomic<size_t> trial{0};  // under way
  std::atomic<int> stage{0};
  std::atomic<size_t> counts[kMaxStages] = {};
  std::atomic<bool> wrong{false};  // the trial ended; `text` is its complaint
  char text[kTextSize] = {};

  void SetStage(int now) override { stage = now; }
  void CountStage() override { ++counts[stage]; }
};

size_t Sweep::RunFrom(size_t first, Shared& shared,
                      std::vector<Mishap>& mishaps) {
  shared.trial = first;
  shared.stage = 0;
  shared.wrong = false;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (size_t i = first; i < count_; ++i) {
      shared.stage = 0;
      shared.trial = i;
      const std::string wrong = trial_(i, shared);
      if (wrong.empty()) continue;
      std::strncpy(shared.text, wrong.c_str(), kTextSize - 1);
      shared.wrong = true;
      _exit(0);
    }
    shared.trial = count_;
    std::exit(0);  // looks for leaks
  }

  size_t seen = count_ + 1;
  double process_start = 0;
  auto wall_start = std::chrono::steady_clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    usleep(2000);
    const double process = ProcessSeconds(child);
    const auto wall = std::chrono::steady_clock::now();
    if (seen != shared.trial) {
      seen = shared.trial;
      process_start = process;
      wall_start = wall;
    }
    const std::chrono::duration<double> waited = wall - wall_start;
    if (seen < count_ && (process - process_start > kProcessSeconds ||
                          waited.count() > kWallSeconds)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      if (seen != shared.trial) return shared.trial;  // it ended after all
      mishaps.push_back({Mishap::Kind::kEndless, seen, shared.stage,
                         absl::StrCat("runs on after ", waited.count(), " s")});
      return seen + 1;
    }
  }
  const size_t trial = shared.trial;
  if (shared.wrong) {
    mishaps.push_back({Mishap::Kind::kWrong, trial, shared.stage, shared.text});
  } else if (status != 0) {
    mishaps.push_back(
        {Mishap::Kind::kCrash, std::min(trial, count_ - 1), shared.stage,
         WIFSIGNALED(status)
             ? absl::StrCat("signal ", WTERMSIG(status))
             : absl::StrCat("exit status ", WEXITSTATUS(status))});
  }
  return trial + 1;
}

std::vector<Mishap> Sweep::Run() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  Shared* shared = new (memory) Shared();
  std::vector<Mishap> mishaps;
  for (size_t next = 0; next < count_;) next = RunFrom(next, *shared, mishaps);
  for (int i = 0; i < kMaxStages; ++i) {
    if (shared->counts[i] > 0) stages_[i] = shared->counts[i];
  }
  shared->~Shared();
  munmap(memory, sizeof(Shared));
  return mishaps;
}

}  // namespace eyrie::tests
