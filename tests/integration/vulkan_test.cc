// Every call of tests/modules/manifest.json whose program is compiled to
// SPIR-V, on the Vulkan device of this machine; where there is none, the tests
// are skipped with the driver's own sentence.
#include <cstdio>
#include <string>
#include <vector>

#include "abi/session.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "nlohmann/json.hpp"
#include "tests/integration/manifest_cases.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

using Devices = std::vector<Ref<hal::Device>>;

class VulkanTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ChooseLavapipe();
    auto device = abi::OpenDevice("vulkan", hal::DriverOptions());
    if (absl::IsUnavailable(device.status())) {
      GTEST_SKIP() << device.status().message();
    }
    ASSERT_TRUE(device.ok()) << device.status();
    devices_.push_back(*std::move(device));
  }

  // The modules of one release.
  static std::vector<Json> Modules() {
    std::vector<Json> modules;
    for (Json& module : VulkanModules()) {
      if (module["release"] == GetParam()) modules.push_back(std::move(module));
    }
    return modules;
  }

  // A session on the device; on new ones where the programs want several.
  SessionOr NewSession(const ProgramsOr& programs) {
    const bool own = programs.ok() && programs->devices.size() > 1;
    return tests::NewSession(programs, own ? Devices() : devices_);
  }

  Devices devices_;
};

INSTANTIATE_TEST_SUITE_P(Releases, VulkanTest,
                         ::testing::Values("3.3.0", "3.9.0", "3.11.0", "3.12.0",
                                           "3.13.0"));

TEST_P(VulkanTest, EveryCallGivesWhatTheCpuGives) {
  int passed = 0;
  int total = 0;
  for (const Json& module : Modules()) {
    const ProgramsOr programs = LoadPrograms(module);
    for (const Json& entry : module["cases"]) {
      const std::string wrong = RunCase(module, entry, NewSession(programs));
      EXPECT_EQ(wrong, "");
      ++total;
      passed += wrong.empty();
    }
  }
  EXPECT_GT(total, 0);
  std::printf("%s: %d of %d cases pass\n", GetParam(), passed, total);
  const auto statistics = devices_[0]->allocator().statistics();
  EXPECT_EQ(statistics.device_local.live(), 0u);
  EXPECT_EQ(statistics.host_local.live(), 0u);
}

// What a call leaves behind in a session meets the next: command buffers that
// are recorded once, storage that is taken again.
TEST_P(VulkanTest, ManyCallsOnOneSession) {
  for (const Json& module : Modules()) {
    if (module["source"] == "counter.mlir" ||
        module["source"] == "fences.mlir") {
      continue;  // their results tell how often they were called
    }
    const SessionOr session = NewSession(LoadPrograms(module));
    for (int round = 0; round < 2; ++round) {
      for (const Json& entry : module["cases"]) {
        EXPECT_EQ(RunCase(module, entry, session), "");
      }
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
