// Tests parameters through the embedding API.
#include <cstdio>
#include <string>
#include <vector>

#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "hal/parameters/irpa_writer.h"

namespace eyrie {
namespace {

// Writes an archive to the test's folder with the parameters of
// tests/modules/parameters.mlir: "w" is four times 2, all others are zeros.
// Returns its path.
std::string WriteParameters() {
  hal::ParameterSource w;
  w.key = "w";
  w.length = 16;
  w.content = hal::ParameterSource::Content::kFill;
  w.splat = {{0, 0, 0, 0x40}, 4};
  hal::ParameterSource b = w;
  b.key = "b";
  b.splat = {{}, 4};
  hal::ParameterSource m = b;
  m.key = "m";
  m.length = 32768;
  const hal::ParameterSource sources[] = {w, b, m};
  const std::string path = testing::TempDir() + "/parameters.irpa";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const absl::Status status =
      hal::WriteIrpa(sources, 64, [&](std::span<const uint8_t> bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(std::fclose(file), 0);
  return path;
}

TEST(RuntimeParameters, AreFoundByScope) {
  const std::string path = WriteParameters();
  auto device = Device::Open("local-sync");
  auto module = Module::Load("tests/modules/3.13/parameters.vmfb");
  ASSERT_TRUE(device.ok() && module.ok());
  auto context = Context::Create(*device, *module,
                                 {.parameter_files = {path, "model=" + path}});
  ASSERT_TRUE(context.ok()) << context.error().message();
  auto x = Value::Array({4}, std::vector<float>{1, 2, 3, 4});
  ASSERT_TRUE(x.ok());
  auto results = context->Call("scale", {*x});
  ASSERT_TRUE(results.ok()) << results.error().message();
  const auto scaled = results->front().elements<float>();
  ASSERT_TRUE(scaled.ok());
  EXPECT_EQ(std::vector<float>(scaled->begin(), scaled->end()),
            std::vector<float>({2, 4, 6, 8}));

  auto none = Context::Create(*device, *module);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message().substr(0, 51),
            "There are no parameters of the scope 'model'; none ");
  auto missing = Context::Create(*device, *module,
                                 {.parameter_files = {"/nowhere/w.irpa"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(),
            "Cannot open /nowhere/w.irpa: No such file or directory.");
}

}  // namespace
}  // namespace eyrie
