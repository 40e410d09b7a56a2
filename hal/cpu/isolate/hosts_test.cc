// Runs isolated devices in hosts of all kinds: without rights, files, or system
// calls. Workers end when they must, and a device that cannot be opened says
// why.
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/cpu/isolate/testing/hostile_library.h"
#include "hal/cpu/isolate/testing/hostile_rows.h"
#include "tests/support/device_helpers.h"
#include "tests/support/in_child.h"
#include "tests/support/isolated_device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu::isolate {
namespace {

constexpr uid_t kOtherUser = 12345;

// Makes a system call of this thread fail with EPERM from now on.
bool Forbid(int call) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(code), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                 SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool CloseStandardFiles() {
  for (int file = 0; file < 3; ++file) close(file);
  return true;
}

// As a program does that prints.
bool WriteToStandardFiles() {
  for (int file = 0; file < 3; ++file) (void)!write(file, "text", 4);
  return true;
}

bool IgnoreSignals() {
  for (int number = 1; number < SIGRTMIN; ++number) signal(number, SIG_IGN);
  return true;
}

bool BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  return sigprocmask(SIG_BLOCK, &all, nullptr) == 0;
}

// Stops the only child of this process.
bool StopTheWorker() {
  int worker = 0;
  return absl::SimpleAtoi(Children(), &worker) && kill(worker, SIGSTOP) == 0;
}

// Steps of a host before it opens a device, and after. False: it may not do
// that, so there is nothing to test.
struct Host {
  const char* name;
  std::function<bool()> before = nullptr;
  std::function<bool()> after = nullptr;
};

const Host kHosts[] = {
    {"usual"},
    {"without standard files", CloseStandardFiles, WriteToStandardFiles},
    {"ignores signals", IgnoreSignals},
    {"blocks signals", BlockSignals},
    // As the program of a file with the setuid bit.
    {"with another's rights", [] { return setresuid(kOtherUser, 0, 0) == 0; }},
    {"that gives up its rights", nullptr,
     [] { return setgroups(0, nullptr) == 0 && setuid(kOtherUser) == 0; }},
    {"that may not send signals", nullptr,
     [] { return Forbid(SYS_pidfd_send_signal); }},
    {"whose worker is stopped", nullptr, StopTheWorker},
};

bool Does(const std::function<bool()>& step) {
  return step == nullptr || step();
}

TEST(IsolatedHosts, EndAKernelAtItsDeadline) {
  for (const Host& host : kHosts) {
    SCOPED_TRACE(host.name);
    const std::string said = InChild([&]() -> std::string {
      if (!Does(host.before)) return kPastDeadline;
      const Ref<hal::Device> device = Open();
      const auto executable = Load(*device, LibraryOf(Spins()));
      const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
      if (!Does(host.after)) return kPastDeadline;
      const Timeout timeout(absl::Milliseconds(100));
      return StatusText(
          Dispatch(*device, *executable, buffer, 1, timeout.work()));
    });
    EXPECT_EQ(said, kPastDeadline);
  }
}

// A host that ends by SIGKILL cannot end its worker itself.
TEST(IsolatedHosts, EndWithTheirWorkers) {
  for (const Host& host : kHosts) {
    SCOPED_TRACE(host.name);
    const std::string children = InChild([&]() -> std::string {
      if (!Does(host.before)) return "";
      static Ref<hal::Device> device;
      device = Open();
      const std::string found = Children();
      return Does(host.after) ? found : "";
    });
    int worker = 0;
    const bool has_steps = host.before != nullptr || host.after != nullptr;
    if (has_steps && children.empty()) continue;
    ASSERT_TRUE(absl::SimpleAtoi(children, &worker)) << children;
    EXPECT_TRUE(EndsSoon(worker));
  }
}

TEST(IsolatedHosts, SayHowAnIdleWorkerEnded) {
  const Ref<hal::Device> device = Open();
  const auto executable = Load(*device, LibraryOf(Adds()));
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 4);
  int worker = 0;
  ASSERT_TRUE(absl::SimpleAtoi(Children(), &worker));
  kill(worker, SIGKILL);
  ASSERT_TRUE(EndsSoon(worker));
  std::string said = "OK";
  for (int i = 0; i < 5000 && said == "OK"; ++i) {
    said = StatusText(Dispatch(*device, *executable, buffer, 1));
  }
  EXPECT_TRUE(absl::StrContains(said, "SIGKILL.")) << said;
  EXPECT_EQ(StatusText(TryToOpen("local-sync")), "OK");
}

std::string OpenText() { return StatusText(TryToOpen("local-sync")); }

TEST(IsolatedHosts, SayWhichLimitTheyHave) {
  const struct {
    __rlimit_resource resource;
    rlim_t limit;
    const char* want;
  } kRows[] = {
      {RLIMIT_NOFILE, 7,
       "that an isolated worker shares: Too many open files."},
      {RLIMIT_FSIZE, 4096, "bytes for an isolated worker: File too large."},
  };
  for (const auto& row : kRows) {
    const std::string said = InChild([&]() -> std::string {
      const rlimit limit = {row.limit, row.limit};
      return setrlimit(row.resource, &limit) == 0 ? OpenText() : row.want;
    });
    EXPECT_TRUE(absl::StrContains(said, row.want)) << said;
  }
}

// A device that cannot be isolated is not opened. AddressSanitizer's own
// threads need sigaltstack.
TEST(IsolatedHosts, NeedTheirSystemCalls) {
  const struct {
    int call;
    const char* want;
  } kRows[] = {
      {SYS_memfd_create, "does not create "},
      {SYS_ftruncate, "The system has no "},
      {SYS_pidfd_open, "describe this process"},
      {SYS_pipe2, "create a pipe"},
      {SYS_clone, "an isolated worker: Operation not permitted."},
      {SYS_execveat, "does not start an isolated worker"},
      {SYS_setsid, "does not start an isolated worker"},
      {SYS_close_range, "cannot close files"},
      {SYS_rt_sigaction, "cannot handle signals"},
      {SYS_prlimit64, "cannot set limits"},
      {SYS_ppoll, "cannot begin on this system: it exited with code 1."},
  };
  for (const auto& row : kRows) {
    const std::string said = InChild([&]() -> std::string {
      return Forbid(row.call) ? OpenText() : row.want;
    });
    EXPECT_TRUE(absl::StrContains(said, row.want)) << said;
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate
