// Runs hostile machine code on isolated devices: the host, its files and its
// processes are untouched, and the call fails with a sentence.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "base/sanitized.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/testing/hostile_library.h"
#include "hal/cpu/isolate/testing/hostile_rows.h"
#include "hal/executable.h"
#include "tests/support/device_helpers.h"
#include "tests/support/files.h"
#include "tests/support/in_child.h"
#include "tests/support/isolated_device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu::isolate {
namespace {

int OpenFiles() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

TEST(Isolate, Computes) {
  for (const char* name : {"local-sync", "local-task"}) {
    const Ref<hal::Device> device = Open(name);
    auto executable = Load(*device, LibraryOf(Adds()));
    ASSERT_EQ(StatusText(executable), "OK");
    const Ref<hal::Buffer> buffer = NewBuffer(*device, 12);
    SetWords(*buffer, {1, 2, 3});
    EXPECT_EQ(
        StatusText(Dispatch(*device, *executable, buffer, 10, nullptr, 3)),
        "OK");
    EXPECT_EQ(Words(*buffer), "11 12 13");
    // More dispatches than a ring has slots.
    EXPECT_EQ(
        StatusText(Dispatch(*device, *executable, buffer, 1, nullptr, 3, 1000)),
        "OK");
    EXPECT_EQ(Words(*buffer), "1011 1012 1013");
  }
}

TEST(Isolate, LeavesTheHostIntact) {
  const int files = OpenFiles();
  for (const HostileRow& row : HostileRows()) {
    SCOPED_TRACE(row.name);
    const Ref<hal::Device> device = Open();
    auto executable = Load(*device, LibraryOf(row.code));
    ASSERT_EQ(StatusText(executable), "OK");
    const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
    SetWords(*buffer, {1});
    const Deadline late = Deadline::After(absl::Seconds(20));
    // Other rows end by themselves, on a busy machine a little later.
    const Timeout timeout(row.want == kPastDeadline ? absl::Milliseconds(100)
                                                    : absl::Seconds(20));
    const std::string status =
        StatusText(Dispatch(*device, *executable, buffer, 1, timeout.work()));
    EXPECT_TRUE(absl::StrContains(status, row.want)) << status;
    EXPECT_FALSE(late.HasPassed());
    const std::string second =
        StatusText(Dispatch(*device, *executable, buffer, 1));
    EXPECT_EQ(absl::StartsWith(second,
                               "FAILED_PRECONDITION: The device's isolated "
                               "worker has ended"),
              !absl::StrContains(row.want, "failed with code"))
        << second;
    EXPECT_EQ(host_word, 7u);
  }
  EXPECT_EQ(OpenFiles(), files);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no children are left
}

// The query function runs when the executable is loaded.
TEST(Isolate, LoadsInTheWorker) {
  for (const HostileRow& row : HostileRows()) {
    if (row.needs_dispatch) continue;
    SCOPED_TRACE(row.name);
    const Ref<hal::Device> device = Open();
    const std::string status =
        StatusText(Load(*device, LibraryOf(Adds(), row.code)));
    EXPECT_TRUE(absl::StrContains(status, row.want)) << status;
  }
}

TEST(Isolate, EndsALoadThatTakesTooLong) {
  const std::vector<uint8_t> file = LibraryOf(Adds(), Spins());
  EXPECT_EQ(StatusText(Load(*Open(), file)),
            "INTERNAL: The isolated worker ended while the executable's query "
            "function ran: it was ended because it took too long.");
  const Timeout timeout(absl::Milliseconds(100));
  EXPECT_EQ(StatusText(Load(*Open(), file, timeout.work().get())),
            "DEADLINE_EXCEEDED: The device's work is stopped: the call takes "
            "longer than its limit of time (100ms). (the executable's query "
            "function did not stop, so its isolated worker was ended)");
}

// A kernel may say that it is done, and go on: its thread of the worker runs
// nothing else.
TEST(Isolate, EndsAKernelThatGoesOnSecretly) {
  const Ref<hal::Device> device = Open();
  auto executable = Load(*device, LibraryOf(SaysItIsDone()));
  ASSERT_EQ(StatusText(executable), "OK");
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  EXPECT_EQ(StatusText(Dispatch(*device, *executable, buffer, 1)), "OK");
  const Timeout timeout(absl::Milliseconds(100));
  EXPECT_EQ(
      StatusText(Dispatch(*device, *executable, buffer, 1, timeout.work())),
      kPastDeadline);
}

// Reports whether a worker that is stopped between workgroups still runs. Adds
// what went wrong to `said`.
bool StopsBetweenWorkgroups(std::string& said) {
  const Ref<hal::Device> device = Open();
  auto executable = Load(*device, LibraryOf(Counts()));
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  const Timeout timeout(absl::Milliseconds(20));
  const std::string first = StatusText(
      Dispatch(*device, *executable, buffer, 1, timeout.work(), 1000000));
  const std::string second =
      StatusText(Dispatch(*device, *executable, buffer, 1));
  absl::StrAppend(&said, first, " ", second, "\n");
  return first ==
             "DEADLINE_EXCEEDED: The device's work is stopped: the call takes "
             "longer than its limit of time (20ms)." &&
         second == "OK";
}

// On a busy machine, a worker may not run within the grace.
TEST(Isolate, StopsBetweenWorkgroups) {
  std::string said;
  int tries = 0;
  while (!StopsBetweenWorkgroups(said) && ++tries < 50) continue;
  EXPECT_LT(tries, 50) << said;
}

TEST(Isolate, RunsOnSeveralThreads) {
  const Ref<hal::Device> device = Open();
  auto executable = Load(*device, LibraryOf(Adds()));
  ASSERT_EQ(StatusText(executable), "OK");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
      SetWords(*buffer, {0});
      for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(StatusText(Dispatch(*device, *executable, buffer, 1)), "OK");
      }
      EXPECT_EQ(Words(*buffer), "200");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// As many threads as a worker has run a kernel that waits for `buffer`.
class BusyWorker {
 public:
  BusyWorker(hal::Device& device, const Ref<Executable>& waiting)
      : buffer_(NewBuffer(device, 8)) {
    SetWords(*buffer_, {0, 0});
    const unsigned count = std::max(2u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, &device, &waiting] {
        ++running_;
        EXPECT_EQ(StatusText(Dispatch(device, waiting, buffer_, 1)), "OK");
      });
    }
    while (running_ != count) std::this_thread::yield();
    absl::SleepFor(absl::Milliseconds(100));
  }
  ~BusyWorker() {
    SetWords(*buffer_, {0, 1});
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  const Ref<hal::Buffer> buffer_;
  std::vector<std::thread> threads_;
  std::atomic<unsigned> running_{0};
};

TEST(Isolate, WaitsForAThreadUntilTheDeadline) {
  const Ref<hal::Device> device = Open();
  auto waiting = Load(*device, LibraryOf(Waits()));
  auto add = Load(*device, LibraryOf(Adds()));
  ASSERT_EQ(StatusText(add), "OK");
  const BusyWorker busy(*device, *waiting);
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  const Timeout timeout(absl::Milliseconds(20));
  EXPECT_EQ(StatusText(Dispatch(*device, *add, buffer, 1, timeout.work())),
            "DEADLINE_EXCEEDED: The device's work is stopped: the call takes "
            "longer than its limit of time (20ms).");
}

// The end of a worker is told to the callers of all its kernels.
TEST(Isolate, NamesTheFaultOfAnotherThread) {
  const Ref<hal::Device> device = Open("local-sync");
  auto waiting = Load(*device, LibraryOf(Waits()));
  auto add = Load(*device, LibraryOf(Adds()));
  ASSERT_EQ(StatusText(add), "OK");
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 8);
  SetWords(*buffer, {0, 0});
  std::string said;
  std::thread waiter(
      [&] { said = StatusText(Dispatch(*device, *waiting, buffer, 1)); });
  absl::SleepFor(absl::Milliseconds(100));
  auto bad = Load(*device, LibraryOf(Undefined()));
  ASSERT_EQ(StatusText(bad), "OK");
  const std::string own =
      StatusText(Dispatch(*device, *bad, NewBuffer(*device, 4), 1));
  waiter.join();
  EXPECT_TRUE(absl::StrContains(own, "ran: SIGILL at address")) << own;
  EXPECT_TRUE(
      absl::StrContains(said, "ran: another kernel raised SIGILL at address"))
      << said;
}

TEST(Isolate, CopiesForeignMemory) {
  const Ref<hal::Device> device = Open();
  alignas(64) static uint32_t words[16] = {5};
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(words),
                                 sizeof(words));
  EXPECT_EQ(
      StatusText(device->allocator().ImportHost({}, bytes, [] {})),
      "UNAVAILABLE: An isolated device cannot import memory of the host.");
  auto executable = Load(*device, LibraryOf(Adds()));
  ASSERT_EQ(StatusText(executable), "OK");
  const uint32_t constant = 3;
  const HostBinding binding = {bytes.data(), bytes.size(), false};
  EXPECT_EQ(StatusText((*executable)
                           ->RunOnHost({.ordinal = 0,
                                        .workgroup_count = {1, 1, 1},
                                        .constants = {&constant, 1},
                                        .bindings = {&binding, 1}})),
            "OK");
  EXPECT_EQ(words[0], 8u);
  EXPECT_TRUE(absl::StrContains(device->allocator().statistics().ToString(),
                                "192B of 2 arrays for isolated kernels"));
  // Memory that is read-only is not written, even with its own bytes.
  const HostBinding read_only = {bytes.data(), bytes.size(), true};
  EXPECT_EQ(StatusText((*executable)
                           ->RunOnHost({.ordinal = 0,
                                        .workgroup_count = {1, 1, 1},
                                        .constants = {&constant, 1},
                                        .bindings = {&read_only, 1}})),
            "OK");
  EXPECT_EQ(words[0], 8u);
}

TEST(Isolate, RefusesInAForkedChild) {
  const Ref<hal::Device> device = Open();
  auto executable = Load(*device, LibraryOf(Adds()));
  ASSERT_EQ(StatusText(executable), "OK");
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  SetWords(*buffer, {1});
  const std::string child = InChild(
      [&] { return StatusText(Dispatch(*device, *executable, buffer, 1)); });
  EXPECT_TRUE(absl::StartsWith(child,
                               "FAILED_PRECONDITION: Device "
                               "'local-sync'"))
      << child;
  EXPECT_EQ(StatusText(Dispatch(*device, *executable, buffer, 1)), "OK");
  EXPECT_EQ(Words(*buffer), "2");
}

// Parent and child write to an array that was made before the fork.
TEST(Isolate, ForkedChildrenHaveCopies) {
  const Ref<hal::Device> device = Open();
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  SetWords(*buffer, {1});
  int to_child[2], to_parent[2];
  ASSERT_EQ(pipe(to_child) | pipe(to_parent), 0);
  char byte = 0;
  std::string seen;
  std::thread parent([&] {
    EXPECT_EQ(read(to_parent[0], &byte, 1), 1);
    seen = Words(*buffer);
    SetWords(*buffer, {3});
    EXPECT_EQ(write(to_child[1], &byte, 1), 1);
  });
  const std::string child = InChild([&] {
    const std::string before = Words(*buffer);
    SetWords(*buffer, {2});
    char own = 0;
    if (write(to_parent[1], &own, 1) != 1 || read(to_child[0], &own, 1) != 1) {
      return std::string("The pipes do not work.");
    }
    const auto words = [&] { return Words(*buffer); };
    return absl::StrCat(before, words(), InChild(words));
  });
  parent.join();
  for (const int* ends : {to_child, to_parent}) {
    close(ends[0]);
    close(ends[1]);
  }
  EXPECT_EQ(child, "122");  // the last one is that of its own child
  EXPECT_EQ(seen, "1");
  EXPECT_EQ(Words(*buffer), "3");
}

std::string PathOf(const char* file) {
  return absl::StrCat("hal/cpu/testdata/", kCompiled.folder, "/", file, ".so");
}

TEST(Isolate, LoadsCompiledExecutables) {
  const Ref<hal::Device> device = Open();
  for (const char* file : {"add_v5", "add_v6", "matmul_v5", "matmul_v6"}) {
    EXPECT_EQ(StatusText(Load(*device, FileBytes(PathOf(file)))), "OK") << file;
  }
}

// Adds two buffers of 16 floats with the kernel of add_v6.so.
absl::Status RunAdd(hal::Device& device, const Ref<Executable>& executable) {
  const Ref<CommandBuffer> commands =
      *device.CreateCommandBuffer(0, kAnyQueue, 0);
  const BufferRef bindings[] = {Whole(NewBuffer(device, 64)),
                                Whole(NewBuffer(device, 64)),
                                Whole(NewBuffer(device, 64))};
  absl::Status recorded =
      commands->Dispatch(executable, 0, {1, 1, 1}, {}, bindings);
  if (recorded.ok()) recorded = commands->Finalize();
  if (!recorded.ok()) return recorded;
  const Timeout timeout(absl::Milliseconds(20));
  return Finish(device, [&](QueueFences fences) {
    fences.work = &timeout.work();
    return device.QueueExecute(fences, commands, {});
  });
}

// Code of any bytes runs, or fails with a sentence, and nothing else happens.
// EYRIE_ISOLATE_ROUNDS=150000 tries more than the default.
TEST(Isolate, OutlivesDamagedCode) {
  const std::vector<uint8_t> file = FileBytes(PathOf("add_v6"));
  const char* const asked = std::getenv("EYRIE_ISOLATE_ROUNDS");
  const int rounds = asked == nullptr ? 300 : std::atoi(asked);
  std::mt19937 random(1);
  Ref<hal::Device> device = Open();
  int ran = 0, ended = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint8_t> damaged = file;
    for (int i = 0; i < 2; ++i) {
      damaged[kCompiled.code + random() % kCompiled.code_size] =
          static_cast<uint8_t>(random());
    }
    const auto executable = Load(*device, damaged);
    if (executable.ok() && RunAdd(*device, *executable).ok()) ++ran;
    if (Load(*device, file).ok()) continue;
    ++ended;
    device = Open();
  }
  EXPECT_GT(ran, 0);
  EXPECT_GT(ended, 0);
  std::printf("%d of %d ran, %d ended their worker\n", ran, rounds, ended);
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate
