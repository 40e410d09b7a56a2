// Programs that call a model while they exit: in handlers of atexit(), on
// threads that these start or join, and on threads that never stop.
//
// Each row runs in its own process: this program again, with arguments.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "eyrie/fence.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

// Objects of the row's process. Not destroyed, unless the row does it.
struct Program {
  Program(const std::string& name, const std::string& path)
      : device(*Device::Open(name)),
        module(*Module::Load(path)),
        context(*Context::Create(device, module)) {}

  Device device;
  Module module;
  Context context;
};
Program* program = nullptr;
std::atomic<bool> stops = false;
std::atomic<int> calls = 0;
std::thread* running = nullptr;

void Call(Context& context, bool prints) {
  const auto sums = context.Call(
      "add", {*Value::Array({4}, std::vector<float>{1, 2, 3, 4}),
              *Value::Array({4}, std::vector<float>{10, 20, 30, 40})});
  if (!prints && sums) return;
  printf("%s\n",
         sums ? absl::StrCat(sums->at(0).elements<float>()->front()).c_str()
              : sums.error().message().c_str());
  fflush(stdout);
}

void CallHere() { Call(program->context, true); }
void CallInAThread() { std::thread(CallHere).join(); }
void CallInANewContext() {
  auto context = Context::Create(program->device, program->module);
  if (!context) {
    printf("%s\n", context.error().message().c_str());
    return;
  }
  Call(*context, true);
}
void Run() {
  while (!stops.load()) {
    Call(program->context, false);
    calls.fetch_add(1);
  }
}
void JoinRunning() {
  stops.store(true);
  running->join();
  puts("joined");
}
void Destroy() {
  delete program;
  puts("destroyed");
}

constexpr char kSum[] = "11\n";

// `before` is registered before the device is opened, so it runs after the
// device's libraries have exited. `after` is registered later, so it runs
// before them.
const struct Row {
  const char* name;
  void (*before)();
  void (*after)();
  bool runs;  // a thread calls all the time
  const char* want;
} kRows[] = {
    {"a handler of before", CallHere, nullptr, false, kSum},
    {"a handler of after", nullptr, CallHere, false, kSum},
    {"a thread of before", CallInAThread, nullptr, false, kSum},
    {"a thread of after", nullptr, CallInAThread, false, kSum},
    {"a context of before", CallInANewContext, nullptr, false, kSum},
    {"a context of after", nullptr, CallInANewContext, false, kSum},
    {"the end of before", Destroy, nullptr, false, "destroyed\n"},
    {"the end of after", nullptr, Destroy, false, "destroyed\n"},
    {"a thread that runs", nullptr, nullptr, true, ""},
    {"a thread joined before", JoinRunning, nullptr, true, "joined\n"},
    {"a thread joined after", nullptr, JoinRunning, true, "joined\n"},
};

int RunRow(const Row& row, const std::string& device, const std::string& path) {
  ChooseLavapipe();
  if (row.before != nullptr) atexit(row.before);
  program = new Program(device, path);
  Call(program->context, false);
  if (row.after != nullptr) atexit(row.after);
  if (row.runs) {
    running = new std::thread(Run);
    while (calls.load() < 3) std::this_thread::yield();
  }
  return 0;
}

// Returns the output of a process of this program, and how it ended if not with
// exit code 0.
std::string RunProcess(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  while (true) {
    pollfd look = {ends[0], POLLIN, 0};
    if (poll(&look, 1, 60000) == 0) {
      absl::StrAppend(&text, "The process hangs.");
      kill(child, SIGKILL);
      break;
    }
    char piece[256];
    const ssize_t size = read(ends[0], piece, sizeof(piece));
    if (size <= 0) break;
    text.append(piece, static_cast<size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (status != 0) absl::StrAppend(&text, "The process ends with ", status);
  return text;
}

const struct DeviceRow {
  const char* name;
  const char* path;
} kDevices[] = {
    {"local-sync", "tests/modules/3.13/add.vmfb"},
    {"local-task", "tests/modules/3.13/add.vmfb"},
    {"vulkan", "tests/modules/3.13/add.vulkan.vmfb"},
};

TEST(Exit, EveryDevice) {
  for (const DeviceRow& device : kDevices) {
    SCOPED_TRACE(device.name);
    ChooseLavapipe();
    const auto opened = Device::Open(device.name);
    if (!opened && opened.error().code() == EYRIE_UNAVAILABLE) {
      printf("Left out: %s\n", opened.error().message().c_str());
      continue;
    }
    for (size_t i = 0; i < std::size(kRows); ++i) {
      SCOPED_TRACE(kRows[i].name);
      if (kRows[i].before == CallInANewContext &&
          device.name == absl::string_view("vulkan")) {
        // Lavapipe's compiler crashes after its own destructors have run.
        printf("Left out: a driver compiles no shaders after its exit.\n");
        continue;
      }
      EXPECT_EQ(RunProcess({"exit_test", "--row", absl::StrCat(i), device.name,
                            device.path}),
                kRows[i].want);
    }
  }
}

}  // namespace

// LeakSanitizer calls this at the exit. It may not see a buffer that a thread
// has just allocated, so it must not look while one still calls.
extern "C" int __lsan_is_turned_off() {
  return running != nullptr && !stops.load() ? 1 : 0;
}

int Main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--row") {
    return RunRow(kRows[atoi(argv[2])], argv[3], argv[4]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace eyrie::tests

int main(int argc, char** argv) { return eyrie::tests::Main(argc, argv); }
