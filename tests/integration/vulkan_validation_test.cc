// Programs of the oldest release and the newest on a Vulkan device that
// Khronos' validation layer watches: it has nothing to say.
#include <memory>
#include <string>
#include <vector>

#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/vulkan/instance.h"
#include "nlohmann/json.hpp"
#include "tests/integration/manifest_cases.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

using hal::vulkan::Instance;

class VulkanValidationTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Releases, VulkanValidationTest,
                         ::testing::Values("3.3.0", "3.13.0"));

TEST_P(VulkanValidationTest, NoMessages) {
  ChooseLavapipe();
  // Held beyond the device: the layer speaks also while that goes.
  const auto instance = Instance::Get(/*validation_layer=*/true);
  if (absl::IsUnavailable(instance.status())) {
    GTEST_SKIP() << instance.status().message();
  }
  ASSERT_TRUE(instance.ok()) << instance.status();
  hal::DriverOptions options;
  options.vulkan.validation_layer = true;
  int total = 0;
  {
    const auto device = abi::OpenDevice("vulkan", options);
    ASSERT_TRUE(device.ok()) << device.status();
    const std::vector<Ref<hal::Device>> devices = {*device};
    for (const Json& module : VulkanModules()) {
      if (module["release"] != GetParam()) continue;
      const ProgramsOr programs = LoadPrograms(module);
      if (programs.ok() && programs->devices.size() > 1) continue;
      for (const Json& entry : module["cases"]) {
        EXPECT_EQ(RunCase(module, entry, NewSession(programs, devices)), "");
        const std::vector<std::string> said = (*instance)->TakeMessages();
        EXPECT_TRUE(said.empty())
            << module["file"] << ": " << absl::StrJoin(said, "\n");
        ++total;
      }
    }
  }
  EXPECT_GT(total, 0);
  EXPECT_EQ(absl::StrJoin((*instance)->TakeMessages(), "\n"), "");
}

}  // namespace
}  // namespace eyrie::tests
