// A Vulkan device through the embedding API: runs the digits sample next to its
// CPU module, and loads a file's parameters onto the device.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "hal/parameters/irpa_writer.h"
#include "tests/support/files.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

using Floats = std::vector<float>;

class VulkanRuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ChooseLavapipe();
    auto device = Device::Open("vulkan");
    if (!device.ok() && (device.error().code() == EYRIE_NOT_FOUND ||
                         device.error().code() == EYRIE_UNAVAILABLE)) {
      GTEST_SKIP() << device.error().message();
    }
    ASSERT_TRUE(device.ok()) << device.error().message();
    device_.emplace(*std::move(device));
  }

  std::optional<Device> device_;
};

// Reads the floats of a .npy file of version 1 with a 128-byte header.
Floats ReadPicture(const std::string& path) {
  const std::string bytes = FileText(path);
  EXPECT_EQ(bytes.size(), 128 + 64 * sizeof(float));
  Floats floats(64);
  std::memcpy(floats.data(), bytes.data() + 128, floats.size() * sizeof(float));
  return floats;
}

Floats Call(Context& context, const std::string& function,
            const std::vector<Value>& arguments) {
  auto results = context.Call(function, arguments);
  EXPECT_TRUE(results.ok()) << results.error().message();
  if (!results.ok()) return {};
  const auto elements = results->front().elements<float>();
  EXPECT_TRUE(elements.ok());
  return Floats(elements->begin(), elements->end());
}

Floats Classify(Device& device, const std::string& path) {
  auto picture = Value::Array({8, 8}, ReadPicture("samples/digits/seven.npy"));
  auto module = Module::Load(path);
  EXPECT_TRUE(picture.ok() && module.ok());
  auto context = Context::Create(device, *module);
  EXPECT_TRUE(context.ok()) << context.error().message();
  if (!context.ok()) return {};
  return Call(*context, "classify", {*picture});
}

TEST_F(VulkanRuntimeTest, TheSampleSeesASeven) {
  auto cpu = Device::Open("local-sync");
  ASSERT_TRUE(cpu.ok());
  const Floats want = Classify(*cpu, "samples/digits/digits.vmfb");
  const Floats got = Classify(*device_, "samples/digits/digits_vulkan.vmfb");
  ASSERT_EQ(want.size(), 10u);
  ASSERT_EQ(got.size(), 10u);
  EXPECT_GT(got[7], 0.9);
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], 1e-5) << i;
  }
}

// Notices, which are not errors, are reported once per device.
TEST_F(VulkanRuntimeTest, NoticesReachTheEmbedder) {
  std::vector<std::string> told;
  std::vector<std::string> logged;
  {
    DeviceOptions options;
    options.notice = [&told](const std::string& text) { told.push_back(text); };
    options.log = [&logged](Severity severity, std::string_view text) {
      EXPECT_EQ(severity, Severity::kNote);
      logged.emplace_back(text);
    };
    auto device = Device::Open("vulkan", options);
    auto module = Module::Load("tests/modules/3.13/reductions.vulkan.vmfb");
    ASSERT_TRUE(device.ok() && module.ok());
    for (int i = 0; i < 2; ++i) {
      const auto context = Context::Create(*device, *module);
      EXPECT_TRUE(context.ok()) << context.error().message();
    }
  }
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find(" uses subgroups "), std::string::npos) << told[0];
  EXPECT_EQ(logged, told);
}

// Writes the parameters of tests/modules/parameters.mlir: `w` is four times 2,
// the others are zeros.
std::string WriteParameters() {
  std::vector<hal::ParameterSource> sources(3);
  for (hal::ParameterSource& source : sources) {
    source.content = hal::ParameterSource::Content::kFill;
    source.splat = {{}, 4};
  }
  sources[0].key = "b";
  sources[0].length = 16;
  sources[1].key = "m";
  sources[1].length = 32768;
  sources[2].key = "w";
  sources[2].length = 16;
  sources[2].splat = {{0, 0, 0, 0x40}, 4};
  const std::string path = testing::TempDir() + "/vulkan_parameters.irpa";
  std::ofstream file(path, std::ios::binary);
  const absl::Status status =
      hal::WriteIrpa(sources, 64, [&](std::span<const uint8_t> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return path;
}

TEST_F(VulkanRuntimeTest, ParametersReachTheDevice) {
  const std::string path = WriteParameters();
  for (const std::string release : {"3.3", "3.13"}) {
    SCOPED_TRACE(release);
    auto module =
        Module::Load("tests/modules/" + release + "/parameters.vulkan.vmfb");
    ASSERT_TRUE(module.ok()) << module.error().message();
    auto x = Value::Array({4}, Floats{1, 2, 3, 4});
    ASSERT_TRUE(x.ok());
    // A parameter that is changed in place belongs to the context.
    for (int contexts = 0; contexts < 2; ++contexts) {
      auto context = Context::Create(
          *device_, *module, {.parameter_files = {path, "model=" + path}});
      ASSERT_TRUE(context.ok()) << context.error().message();
      EXPECT_EQ(Call(*context, "scale", {*x}), Floats({2, 4, 6, 8}));
      EXPECT_EQ(Call(*context, "count", {}), Floats({1, 1}));
      EXPECT_EQ(Call(*context, "count", {}), Floats({2, 2}));
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
