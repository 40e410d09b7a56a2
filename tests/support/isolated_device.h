// Isolated devices for tests, and the processes that they start.
#ifndef EYRIE_TESTS_SUPPORT_ISOLATED_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_ISOLATED_DEVICE_H_

#include <dirent.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/alarm.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "hal/executable.h"
#include "tests/support/device_helpers.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu::isolate {

inline absl::StatusOr<Ref<hal::Device>> TryToOpen(const char* name) {
  DriverOptions options;
  options.isolate = true;
  return OpenDevice(name, options);
}

inline Ref<hal::Device> Open(const char* name = "local-sync") {
  absl::StatusOr<Ref<hal::Device>> device = TryToOpen(name);
  EXPECT_EQ(StatusText(device), "OK");
  return *std::move(device);
}

// `work`, which may be null, is the budget of the call that loads it.
inline absl::StatusOr<Ref<Executable>> Load(hal::Device& device,
                                            std::span<const uint8_t> file,
                                            WorkBudget* work = nullptr) {
  ExecutableParams params;
  params.format = cpu::ThisInstructionSet().embedded_format;
  params.data = file;
  params.caller = work;
  return device.CreateExecutable(params);
}

// Runs `count` workgroups of an executable of LibraryOf.
inline absl::Status Dispatch(hal::Device& device,
                             const Ref<Executable>& executable,
                             const Ref<hal::Buffer>& buffer, uint32_t constant,
                             const std::shared_ptr<WorkBudget>& work = nullptr,
                             uint32_t count = 1, int dispatches = 1) {
  const Ref<CommandBuffer> commands =
      *device.CreateCommandBuffer(0, kAnyQueue, 0);
  const uint32_t counts[] = {count, 1, 1};
  const BufferRef binding = Whole(buffer);
  for (int i = 0; i < dispatches; ++i) {
    EXPECT_TRUE(
        commands->Dispatch(executable, 0, counts, {&constant, 1}, {&binding, 1})
            .ok());
  }
  EXPECT_TRUE(commands->Finalize().ok());
  return Finish(device, [&](QueueFences fences) {
    fences.work = work == nullptr ? nullptr : &work;
    return device.QueueExecute(fences, commands, {});
  });
}

// A budget that is stopped after a time.
class Timeout {
 public:
  explicit Timeout(absl::Duration time)
      : work_(std::make_shared<WorkBudget>(time)),
        alarm_(*Alarm::Create([work = work_] {
          work->Stop(absl::StatusCode::kDeadlineExceeded);
        })) {
    EXPECT_TRUE(alarm_->Set(Deadline::After(time)).ok());
  }
  const std::shared_ptr<WorkBudget>& work() const { return work_; }

 private:
  const std::shared_ptr<WorkBudget> work_;
  const std::unique_ptr<Alarm> alarm_;
};

// Returns the processes that this one started, one a line.
inline std::string Children() {
  std::string text;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    text +=
        FileText(absl::StrCat("/proc/self/task/", entry->d_name, "/children"));
  }
  closedir(folder);
  return text;
}

// Reports whether a process has ended, also if no one has waited for it.
inline bool HasEnded(int process) {
  std::ifstream file(absl::StrCat("/proc/", process, "/stat"));
  std::string text;
  return !std::getline(file, text) || absl::StrContains(text, ") Z ") ||
         absl::StrContains(text, ") X ");
}

// Waits up to 20 s for that.
inline bool EndsSoon(int process) {
  const Deadline late = Deadline::After(absl::Seconds(20));
  while (!late.HasPassed()) {
    if (HasEnded(process)) return true;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return false;
}

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_TESTS_SUPPORT_ISOLATED_DEVICE_H_
