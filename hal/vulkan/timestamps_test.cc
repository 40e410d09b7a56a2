// Tests the dispatch times that a recorder receives from a device.
#include "hal/vulkan/timestamps.h"

#include <array>
#include <string>

#include "base/trace.h"
#include "base/trace_recorder.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/vulkan/grid_executable.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

class TimestampsTest : public EachVulkanDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, TimestampsTest, AllVulkanKinds(),
                         NameOfVulkanKind);

// Three dispatches of 2x3x1 workgroups, for repeated submission.
Ref<CommandBuffer> ThreeDispatches(hal::Device& device) {
  const std::vector<uint8_t> data = GridParts().Build();
  const Ref<hal::Executable> grid =
      *device.CreateExecutable({"vulkan-spirv-fb", data, {}});
  const Ref<hal::Buffer> target = NewBuffer(device, 64);
  const Ref<hal::Buffer> addend = NewBuffer(device, 16);
  Ref<CommandBuffer> commands = *device.CreateCommandBuffer(0, kAnyQueue, 0);
  const std::array<uint32_t, 2> range = {0, 4};
  const BufferRef bindings[] = {Whole(target), Whole(addend)};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        StatusText(commands->Dispatch(grid, 0, {2, 3, 1}, range, bindings)),
        "OK");
  }
  EXPECT_EQ(StatusText(commands->Finalize()), "OK");
  return commands;
}

std::string JsonOf(const trace::Recorder& recorder) {
  std::string json;
  EXPECT_TRUE(recorder
                  .WriteJson([&json](absl::string_view piece) {
                    json.append(piece.data(), piece.size());
                    return absl::OkStatus();
                  })
                  .ok());
  return json;
}

// Commands that are submitted twice count twice; dispatches before the trace do
// not count.
TEST_P(TimestampsTest, DispatchesAreTold) {
  const Ref<CommandBuffer> commands = ThreeDispatches(*device_);
  ASSERT_EQ(StatusText(Execute(*device_, commands, {})), "OK");

  const int64_t begin = trace::Now();
  const auto recorder = *trace::Recorder::Start({});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(StatusText(Execute(*device_, commands, {})), "OK");
  }
  recorder->Stop();
  const int64_t passed = trace::Now() - begin;

  const auto rows = recorder->Dispatches();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "main");
  EXPECT_EQ(rows[0].count, 6u);
  EXPECT_EQ(rows[0].workgroups, 36u);
  EXPECT_GT(rows[0].ns, 0);
  EXPECT_LE(rows[0].ns, static_cast<double>(passed));
  EXPECT_NE(JsonOf(*recorder).find("\"vulkan queue\""), std::string::npos);
}

// Kernels of several devices are on separate tracks.
TEST_P(TimestampsTest, EachDeviceHasItsLine) {
  const Ref<hal::Device> other = *OpenFirst(OptionsOf(GetParam()));
  const auto recorder = *trace::Recorder::Start({});
  for (const Ref<hal::Device>& device : {device_, other}) {
    ASSERT_EQ(StatusText(Execute(*device, ThreeDispatches(*device), {})), "OK");
  }
  recorder->Stop();
  const std::string json = JsonOf(*recorder);
  EXPECT_NE(json.find("\"vulkan queue\""), std::string::npos);
  EXPECT_NE(json.find("\"vulkan queue 1\""), std::string::npos);
}

}  // namespace
}  // namespace eyrie::hal::vulkan
