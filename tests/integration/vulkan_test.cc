// Runs every call of tests/modules/manifest.json that is compiled to SPIR-V on
// this machine's Vulkan device: as it is, with memory that the host cannot see,
// and with Vulkan's validation layer and SPIRV-Tools. Without a device or a
// layer, the tests are skipped with the driver's message.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "hal/vulkan/instance.h"
#include "nlohmann/json.hpp"
#include "tests/integration/manifest_cases.h"
#include "tests/support/campaign_size.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

using Devices = std::vector<Ref<hal::Device>>;

enum class Mode { kPlain, kHiddenMemory, kValidated };

// Programs in which two commands use separate parts of one buffer, but one of
// them binds all of it; its kernel uses only its part. The layer assumes that
// the kernel uses the whole binding and reports a hazard.
constexpr const char* kSideBySide[] = {"3.9/reductions.", "/workload.",
                                       "/checks."};

constexpr const char* kReleases[] = {"3.3.0", "3.9.0", "3.11.0", "3.12.0",
                                     "3.13.0"};

bool IsSideBySide(const std::string& file, const std::string& message) {
  return absl::StrContains(message, "SYNC-HAZARD-") &&
         std::any_of(
             std::begin(kSideBySide), std::end(kSideBySide),
             [&](const char* part) { return absl::StrContains(file, part); });
}

class VulkanTest
    : public ::testing::TestWithParam<std::tuple<Mode, const char*>> {
 protected:
  // Mesa may cache compiled code for this process only.
  static void SetUpTestSuite() {
    setenv("MESA_SHADER_CACHE_DIR", testing::TempDir().c_str(), 1);
  }

  void SetUp() override {
    if (mode() != Mode::kPlain && !IsOldestOrNewest() && !RunsAll()) {
      GTEST_SKIP() << "Only './eyrie test --all' runs this.";
    }
    ChooseLavapipe();
    hal::DriverOptions options;
    auto& own = options.Of<hal::vulkan::VulkanOptions>();
    own.hide_device_memory = mode() == Mode::kHiddenMemory;
    own.validation_layer = mode() == Mode::kValidated;
    own.validate_spirv = mode() == Mode::kValidated;
    // Keeps the layer loaded, so that its allocations are not reported as leaks
    // of unknown origin.
    if (mode() == Mode::kValidated) {
      dlopen("libVkLayer_khronos_validation.so", RTLD_NOW | RTLD_NODELETE);
    }
    auto device = abi::OpenDevice("vulkan", options);
    if (absl::IsNotFound(device.status()) ||
        absl::IsUnavailable(device.status())) {
      GTEST_SKIP() << device.status().message();
    }
    ASSERT_TRUE(device.ok()) << device.status();
    devices_.push_back(*std::move(device));
    if (mode() != Mode::kValidated) return;
    auto instance = hal::vulkan::Instance::Get(/*validation_layer=*/true);
    ASSERT_TRUE(instance.ok()) << instance.status();
    instance_ = *std::move(instance);
  }

  // All memory is released, and the layer has reported nothing.
  void TearDown() override {
    if (devices_.empty()) return;
    const auto statistics = devices_[0]->allocator().statistics();
    EXPECT_EQ(statistics.device_local.live(), 0u);
    EXPECT_EQ(statistics.host_local.live(), 0u);
    ExpectNoMessages("at the end");
    devices_.clear();
    ExpectNoMessages("of a device that ends");
  }

  void ExpectNoMessages(const std::string& where) {
    if (instance_ == nullptr) return;
    for (const std::string& message : instance_->TakeMessages()) {
      if (IsSideBySide(where, message)) continue;
      ADD_FAILURE() << where << ": " << message;
    }
  }

  Mode mode() const { return std::get<0>(GetParam()); }

  bool IsOldestOrNewest() const {
    const absl::string_view release = std::get<1>(GetParam());
    return release == kReleases[0] || release == *std::rbegin(kReleases);
  }

  // Returns the modules of the release.
  std::vector<Json> Modules() const {
    std::vector<Json> modules;
    for (Json& module : VulkanModules()) {
      if (module["release"] == std::get<1>(GetParam())) {
        modules.push_back(std::move(module));
      }
    }
    return modules;
  }

  // Creates a session on the device, or on new ones if the programs need
  // several.
  SessionOr NewSession(const ProgramsOr& programs) const {
    const bool own = programs.ok() && programs->devices.size() > 1;
    return tests::NewSession(programs, own ? Devices() : devices_);
  }

  Devices devices_;

 private:
  std::shared_ptr<hal::vulkan::Instance> instance_;
};

INSTANTIATE_TEST_SUITE_P(
    Releases, VulkanTest,
    ::testing::Combine(::testing::Values(Mode::kPlain, Mode::kHiddenMemory,
                                         Mode::kValidated),
                       ::testing::ValuesIn(kReleases)));

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
    ExpectNoMessages(module["file"]);
  }
  EXPECT_GT(total, 0);
  std::printf("%d of %d cases pass\n", passed, total);
}

// All calls on one session: reuses command buffers that are recorded once, and
// storage.
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
    ExpectNoMessages(module["file"]);
  }
}

}  // namespace
}  // namespace eyrie::tests
