// Programs for two devices, on pairs of all kinds: CPU devices, which share
// memory, and devices that do not.
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/match.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "nlohmann/json.hpp"
#include "tests/integration/manifest_cases.h"
#include "tests/support/apart_device.h"

namespace eyrie::tests {
namespace {

using Devices = std::vector<Ref<hal::Device>>;

Ref<hal::Device> Open(const std::string& name, bool apart) {
  Ref<hal::Device> device = *abi::OpenDevice(name, hal::DriverOptions());
  return apart ? CreateApartDevice(device) : device;
}

bool IsForTwo(const Json& module) { return module.contains("devices"); }

TEST(Devices, ProgramsForTwoRunOnEveryPair) {
  constexpr char kSync[] = "local-sync";
  constexpr char kTask[] = "local-task";
  const struct {
    const char* name;
    Devices devices;
  } kPairs[] = {
      {"sync, task", {Open(kSync, false), Open(kTask, false)}},
      {"task, sync", {Open(kTask, false), Open(kSync, false)}},
      {"task, task", {Open(kTask, false), Open(kTask, false)}},
      {"sync, sync", {Open(kSync, false), Open(kSync, false)}},
      {"apart sync, sync", {Open(kSync, true), Open(kSync, false)}},
      {"task, apart sync", {Open(kTask, false), Open(kSync, true)}},
      {"apart sync, apart sync", {Open(kSync, true), Open(kSync, true)}},
      {"apart task, apart sync", {Open(kTask, true), Open(kSync, true)}},
      {"apart task, apart task", {Open(kTask, true), Open(kTask, true)}},
  };
  int cases = 0;
  for (const Json& module : ManifestModules()) {
    if (!IsForTwo(module)) continue;
    const ProgramsOr programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    for (const auto& pair : kPairs) {
      SCOPED_TRACE(pair.name);
      for (const Json& entry : module["cases"]) {
        EXPECT_EQ(RunCase(module, entry, NewSession(programs, pair.devices)),
                  "");
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 0);
}

// All calls on one session: each call sees the state that earlier ones left.
TEST(Devices, ManyCallsOnOnePair) {
  const Devices devices = {Open("local-task", true), Open("local-task", true)};
  for (const Json& module : ManifestModules()) {
    if (!IsForTwo(module)) continue;
    const SessionOr session = NewSession(LoadPrograms(module), devices);
    for (int round = 0; round < 3; ++round) {
      for (const Json& entry : module["cases"]) {
        EXPECT_EQ(RunCase(module, entry, session), "");
      }
    }
  }
  for (const Ref<hal::Device>& device : devices) {
    EXPECT_EQ(device->allocator().statistics().device_local.live(), 0u);
  }
}

TEST(Devices, TooFewAreNamed) {
  for (const Json& module : ManifestModules()) {
    if (!IsForTwo(module)) continue;
    const ProgramsOr programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    const auto session = abi::Session::Create(
        *programs, {Open("local-task", false)}, abi::SessionOptions());
    ASSERT_FALSE(session.ok());
    EXPECT_TRUE(absl::StartsWith(session.status().message(),
                                 "The module needs more devices than are given "
                                 "(1: local-task); one may be given "
                                 "several times. HAL device `device_b` not "
                                 "found or unavailable."))
        << session.status();
  }
}

// A program for one device uses the first one.
TEST(Devices, ProgramsForOneTakeTheFirst) {
  const Devices devices = {Open("local-sync", true), Open("local-task", true)};
  for (const Json& module : ManifestModules()) {
    const std::string file = module["file"];
    if (!absl::StrContains(file, "/fences.") &&
        !absl::StrContains(file, "/add.async") &&
        !absl::StrContains(file, "/mlp.")) {
      continue;
    }
    const ProgramsOr programs = LoadPrograms(module);
    for (const Json& entry : module["cases"]) {
      EXPECT_EQ(RunCase(module, entry, NewSession(programs, devices)), "");
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
