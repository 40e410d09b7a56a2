// Runs the device tests under Khronos' validation layer, including its
// synchronization checks; a message fails the test in which it arrives. Two
// deliberate errors prove that the layer is active.
#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/physical_device.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

// Collects messages for the whole run, because some arrive while devices close.
std::shared_ptr<Instance>& Watched() {
  static std::shared_ptr<Instance> instance;
  return instance;
}

class Listener final : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override {
    for (const std::string& message : Watched()->TakeMessages()) {
      ADD_FAILURE() << message;
    }
  }
};

class Watch final : public ::testing::Environment {
  void SetUp() override {
    ChooseLavapipe();
    // For the same reason as drivers: see lavapipe.cc.
    dlopen("libVkLayer_khronos_validation.so", RTLD_NOW | RTLD_NODELETE);
    const auto instance = Instance::Get(/*validation_layer=*/true);
    if (absl::IsUnavailable(instance.status())) {
      GTEST_SKIP() << StatusText(instance);
    }
    ASSERT_EQ(StatusText(instance), "OK");
    Watched() = *instance;
    IsWatched() = true;
    ::testing::UnitTest::GetInstance()->listeners().Append(new Listener());
  }
  void TearDown() override { Watched().reset(); }
};

[[maybe_unused]] const auto* const kWatch =
    ::testing::AddGlobalTestEnvironment(new Watch());

class Validation : public VulkanTest {
 protected:
  static std::string Messages() {
    return absl::StrJoin(Watched()->TakeMessages(), "\n");
  }
};

TEST_F(Validation, HearsMisuse) {
  const auto physical = SelectDevice(*FindDevices(*Watched()), "");
  ASSERT_EQ(StatusText(physical), "OK");
  const auto device =
      LogicalDevice::Open(Watched(), *physical, DriverOptions());
  ASSERT_EQ(StatusText(device), "OK");
  EXPECT_EQ(Messages(), "");
  // An empty buffer, which is an error.
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  const VkResult result = (*device)->fn().vkCreateBuffer(
      (*device)->handle(), &info, nullptr, &buffer);
  if (result == VK_SUCCESS) {
    (*device)->fn().vkDestroyBuffer((*device)->handle(), buffer, nullptr);
  }
  const std::string messages = Messages();
  EXPECT_TRUE(absl::StrContains(messages, "VUID-VkBufferCreateInfo-size-00912"))
      << messages;
}

// Two writes without a barrier, which compilers never produce.
TEST_F(Validation, HearsHazards) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 64);
  const Ref<CommandBuffer> commands =
      *device_->CreateCommandBuffer(0, kAnyQueue, 0);
  EXPECT_TRUE(commands->Fill(Whole(buffer), BytesOf(1u)).ok());
  EXPECT_TRUE(commands->Fill(Whole(buffer), BytesOf(2u)).ok());
  EXPECT_TRUE(commands->Finalize().ok());
  EXPECT_EQ(StatusText(Execute(*device_, commands, {})), "OK");
  const std::string messages = Messages();
  EXPECT_TRUE(absl::StrContains(messages, "SYNC-HAZARD-WRITE-AFTER-WRITE"))
      << messages;
}

}  // namespace
}  // namespace eyrie::hal::vulkan
