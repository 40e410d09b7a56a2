// Eight host threads call compiled modules on one device with threads, with
// random timeouts, for EYRIE_SOAK_SECONDS seconds. Results are right or late,
// and all memory is released at the end.
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/cpu/task/device.h"
#include "tests/integration/manifest_cases.h"

namespace eyrie::tests {
namespace {

constexpr int kHosts = 8;
constexpr int kDefaultSeconds = 3;

absl::Duration SoakTime() {
  const char* text = std::getenv("EYRIE_SOAK_SECONDS");
  int seconds = kDefaultSeconds;
  if (text != nullptr) {
    EXPECT_TRUE(absl::SimpleAtoi(text, &seconds)) << text;
  }
  return absl::Seconds(seconds);
}

// One host thread: runs random cases until `end`.
class Host {
 public:
  Host(const std::vector<Json>& modules,
       const std::vector<ProgramsOr>& programs, Ref<hal::Device> device,
       unsigned seed)
      : modules_(modules),
        programs_(programs),
        device_(std::move(device)),
        random_(seed) {}

  void RunUntil(Deadline end) {
    while (!end.HasPassed()) {
      RunOne();
      ++calls_;
    }
  }
  int calls() const { return calls_; }
  int late() const { return late_; }

 private:
  void RunOne() {
    const size_t index = random_() % modules_.size();
    const Json& module = modules_[index];
    const Json& entry = module["cases"][random_() % module["cases"].size()];
    vm::Limits limits;
    const bool limited = random_() % 2 == 0;
    if (limited) limits.timeout = absl::Microseconds(random_() % 3000 + 1);
    const std::string wrong =
        RunCase(module, entry, NewSession(programs_[index], {device_}, limits));
    if (wrong.empty()) return;
    if (limited && absl::StrContains(wrong, "DEADLINE_EXCEEDED")) {
      ++late_;
      return;
    }
    ADD_FAILURE() << wrong;
  }

  const std::vector<Json>& modules_;
  const std::vector<ProgramsOr>& programs_;
  const Ref<hal::Device> device_;
  std::minstd_rand random_;
  int calls_ = 0;
  int late_ = 0;
};

TEST(Soak, EightHostsWithLimitsOfTime) {
  std::vector<Json> modules;
  std::vector<ProgramsOr> programs;
  for (const Json& module : ManifestModules()) {
    if (module["release"] != "3.13.0") continue;
    modules.push_back(module);
    programs.push_back(LoadPrograms(module));
  }
  ASSERT_FALSE(modules.empty());
  hal::cpu::Topology topology;
  topology.threads = 3;
  const Ref<hal::Device> device = hal::cpu::CreateTaskDevice(
      EveryFormat(), topology, hal::cpu::SharingPolicy::Everything());
  const Deadline end = Deadline::After(SoakTime());
  std::vector<Host> hosts;
  for (unsigned i = 0; i < kHosts; ++i) {
    hosts.emplace_back(modules, programs, device, i + 1);
  }
  std::vector<std::thread> threads;
  for (Host& host : hosts) {
    threads.emplace_back([&host, end] { host.RunUntil(end); });
  }
  for (std::thread& thread : threads) thread.join();
  int calls = 0;
  int late = 0;
  for (const Host& host : hosts) {
    calls += host.calls();
    late += host.late();
  }
  std::printf("%d calls, %d of them late\n", calls, late);
  EXPECT_GT(calls, late);
  // Work of calls that timed out may still run.
  const auto live = [&] {
    const auto statistics = device->allocator().statistics();
    return statistics.device_local.live() + statistics.host_local.live();
  };
  const Deadline patience = Deadline::After(absl::Seconds(30));
  while (live() != 0 && !patience.HasPassed()) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_EQ(live(), 0u);
}

}  // namespace
}  // namespace eyrie::tests
