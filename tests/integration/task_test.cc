// Runs every case of tests/modules/manifest.json on the device with threads.
// With one, two and seven threads, results equal the synchronous device's bit
// by bit.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hal/cpu/task/device.h"
#include "tests/integration/manifest_cases.h"

namespace eyrie::tests {
namespace {

using Devices = std::vector<Ref<hal::Device>>;

Devices TaskDevice(int threads, const hal::cpu::SharingPolicy& policy) {
  hal::cpu::Topology topology;
  topology.threads = threads;
  return {hal::cpu::CreateTaskDevice(EveryFormat(), topology, policy)};
}

// Returns the outcomes of a case's calls, bit by bit.
std::vector<std::string> Outcomes(const Json& entry, const SessionOr& session) {
  std::vector<std::string> outcomes;
  for (const Json& call : CallsOf(entry)) {
    if (!session.ok()) {
      outcomes.push_back(session.status().ToString());
      continue;
    }
    const auto bits = CallForBits(**session, call);
    // Only the error's first line, because the rest depends on the thread that
    // waits.
    const std::string error = bits.status().ToString();
    outcomes.push_back(bits.ok() ? *bits : error.substr(0, error.find('\n')));
  }
  return outcomes;
}

// Modules that copy data before it is ready, because of a compiler bug. They
// are right only by chance, if operations end in the order in which they are
// queued.
constexpr const char* kWaitForTooLittle[] = {"3.11/loops.async.vmfb",
                                             "3.11/workload.async.vmfb"};

bool WaitsForTooLittle(const Json& module) {
  for (const char* file : kWaitForTooLittle) {
    if (module["file"] == file) return true;
  }
  return false;
}

class TaskTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Releases, TaskTest,
                         ::testing::Values("3.3.0", "3.9.0", "3.11.0", "3.12.0",
                                           "3.13.0"));

TEST_P(TaskTest, EveryCallGivesTheBitsOfOneThread) {
  const auto everything = hal::cpu::SharingPolicy::Everything();
  const Devices sync = *abi::OpenDevices({}, {});
  const Devices ordered[] = {TaskDevice(1, {}), TaskDevice(2, {})};
  const Devices shared[] = {TaskDevice(2, everything),
                            TaskDevice(7, everything)};
  int compared = 0;
  for (const Json& module : ManifestModules()) {
    if (module["release"] != GetParam()) continue;
    const ProgramsOr programs = LoadPrograms(module);
    std::vector<Devices> all(std::begin(ordered), std::end(ordered));
    if (!WaitsForTooLittle(module)) {
      all.insert(all.end(), std::begin(shared), std::end(shared));
    }
    for (const Json& entry : module["cases"]) {
      const auto want = Outcomes(entry, NewSession(programs, sync));
      for (const Devices& devices : all) {
        EXPECT_EQ(Outcomes(entry, NewSession(programs, devices)), want)
            << module["file"] << " " << entry.dump();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
  for (const Devices& devices : shared) {
    const auto statistics = devices[0]->allocator().statistics();
    EXPECT_EQ(statistics.device_local.live(), 0u);
    EXPECT_EQ(statistics.host_local.live(), 0u);
  }
}

}  // namespace
}  // namespace eyrie::tests
