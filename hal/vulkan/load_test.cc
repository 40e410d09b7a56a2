// Tests executables from compilers on a device: loaded, run, rejected, and
// damaged at every byte.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/vulkan/grid_executable.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kDescriptors[] = "vulkan-spirv-fb";
constexpr char kAddresses[] = "vulkan-spirv-bda-v1";

std::vector<uint8_t> TestFile(absl::string_view name) {
  return FileBytes(absl::StrCat("hal/vulkan/testdata/", name, ".vk"));
}

class LoadTest : public EachVulkanDevice {
 protected:
  // Returns the words of a buffer after a dispatch of the first export.
  std::string Run(const Ref<hal::Executable>& executable,
                  const uint32_t (&count)[3],
                  std::span<const uint32_t> constants,
                  std::span<const BufferRef> bindings,
                  const Ref<hal::Buffer>& target) {
    const Ref<CommandBuffer> commands =
        *device_->CreateCommandBuffer(0, kAnyQueue, 0);
    EXPECT_EQ(StatusText(commands->Dispatch(executable, 0, count, constants,
                                            bindings)),
              "OK");
    EXPECT_TRUE(commands->Finalize().ok());
    const absl::Status status = Execute(*device_, commands, {});
    return status.ok() ? Words(*target) : StatusText(status);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, LoadTest, AllVulkanKinds(), NameOfVulkanKind);

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// One executable for each release that changed binding or packaging.
TEST_P(LoadTest, Adds) {
  for (const char* file : {"add_3_3", "add_3_11", "add_3_13"}) {
    SCOPED_TRACE(file);
    const std::vector<uint8_t> bytes = TestFile(file);
    const auto loaded = device_->CreateExecutable({kDescriptors, bytes, {}});
    ASSERT_EQ(StatusText(loaded), "OK");
    const Ref<hal::Buffer> a = NewBuffer(*device_, 16);
    const Ref<hal::Buffer> b = NewBuffer(*device_, 16);
    const Ref<hal::Buffer> sum = NewBuffer(*device_, 16);
    SetWords(*a, {Bits(1), Bits(2), Bits(3), Bits(4)});
    SetWords(*b, {Bits(10), Bits(20), Bits(30), Bits(40)});
    const BufferRef bindings[] = {Whole(a), Whole(b), Whole(sum)};
    EXPECT_EQ(
        Run(*loaded, {1, 1, 1}, {}, bindings, sum),
        absl::StrCat(Bits(11), " ", Bits(22), " ", Bits(33), " ", Bits(44)));
  }
}

// Doubles as many numbers as the constants say, two halves of 64 bits.
TEST_P(LoadTest, Scales) {
  for (const auto& [file, format] :
       {std::pair{"scale_3_13", kDescriptors},
        std::pair{"scale_addresses", kAddresses}}) {
    SCOPED_TRACE(file);
    if (device_->Query("hal.executable.format", format) != 1) {
      GTEST_LOG_(INFO) << "The device does not run " << format << ".";
      continue;
    }
    const std::vector<uint8_t> bytes = TestFile(file);
    const auto loaded = device_->CreateExecutable({format, bytes, {}});
    ASSERT_EQ(StatusText(loaded), "OK");
    const Ref<hal::Buffer> from = NewBuffer(*device_, 64);
    const Ref<hal::Buffer> to = NewBuffer(*device_, 32);
    SetWords(*from, {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
    const BufferRef bindings[] = {{from, 0, 32, 32}, Whole(to)};
    EXPECT_EQ(Run(*loaded, {1, 1, 1}, std::array{8u, 0u}, bindings, to),
              "2 4 6 8 10 12 14 16");
    // Empty bindings, past the end of their buffers.
    const BufferRef nothing[] = {{from, 0, 64, 0}, {to, 0, 32, 0}};
    EXPECT_EQ(Run(*loaded, {1, 1, 1}, std::array{0u, 0u}, nothing, to),
              "2 4 6 8 10 12 14 16");
  }
}

// Commands that bind by address run with different tables, some at the same
// time.
TEST_P(LoadTest, AddressesChangeWithTheTable) {
  if (device_->Query("hal.executable.format", kAddresses) != 1) {
    GTEST_SKIP() << "The device does not run " << kAddresses << ".";
  }
  const std::vector<uint8_t> bytes = TestFile("scale_addresses");
  const Ref<hal::Executable> executable =
      *device_->CreateExecutable({kAddresses, bytes, {}});
  constexpr size_t kBuffers = 6;
  std::vector<Ref<hal::Buffer>> buffers;
  for (uint32_t i = 0; i < kBuffers; ++i) {
    buffers.push_back(NewBuffer(*device_, 32));
    SetWords(*buffers[i], {i + 1, 0, 0, 0, 0, 0, 0, 10 * i});
  }
  for (const bool is_mixed : {false, true}) {
    SCOPED_TRACE(is_mixed ? "with a copy beside" : "dispatches alone");
    const Ref<CommandBuffer> commands =
        *device_->CreateCommandBuffer(0, kAnyQueue, 2);
    const BufferRef bindings[] = {{nullptr, 0, 0, 32}, {nullptr, 1, 0, 32}};
    EXPECT_TRUE(
        commands
            ->Dispatch(executable, 0, {1, 1, 1}, std::array{8u, 0u}, bindings)
            .ok());
    if (is_mixed) {
      EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
      EXPECT_TRUE(commands->Copy({nullptr, 1, 0, 4}, {nullptr, 1, 4, 4}).ok());
    }
    EXPECT_TRUE(commands->Finalize().ok());
    for (const bool waits : {true, false}) {
      std::vector<Ref<hal::Buffer>> targets;
      const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
      for (size_t i = 0; i < kBuffers; ++i) {
        targets.push_back(NewBuffer(*device_, 32));
        const BufferBinding table[] = {{buffers[i].get(), 0, kWholeBuffer},
                                       {targets[i].get(), 0, kWholeBuffer}};
        const Ref<Fence> wait = Fence::ForPoint(timeline, i);
        const Ref<Fence> signal = Fence::ForPoint(timeline, i + 1);
        EXPECT_EQ(StatusText(device_->QueueExecute({wait.get(), signal.get()},
                                                   commands, table)),
                  "OK");
        if (waits) {
          EXPECT_EQ(StateAt(*timeline, i + 1), absl::StrCat(i + 1));
        }
      }
      EXPECT_EQ(StateAt(*timeline, kBuffers), absl::StrCat(kBuffers));
      for (size_t i = 0; i < kBuffers; ++i) {
        const size_t first = 2 * (i + 1);
        EXPECT_EQ(Words(*targets[i]),
                  absl::StrCat(first, " ", is_mixed ? first : 0, " 0 0 0 0 0 ",
                               20 * i));
      }
    }
  }
}

TEST_P(LoadTest, Refusals) {
  const std::vector<uint8_t> add = TestFile("add_3_13");
  const std::vector<uint8_t> matmul = TestFile("matmul_rdna3");
  ExecutableParts large = GridParts();
  large.ranges = {{0, 1 << 20}};
  const std::vector<uint8_t> too_large = large.Build();
  const struct {
    const char* format;
    std::span<const uint8_t> data;
    const char* want;  // start of the message
  } kCases[] = {
      {"embedded-elf-x86_64", add, "UNIMPLEMENTED: The device '"},
      {"vulkan-spirv-fb-ptr", add, "UNIMPLEMENTED: The device '"},
      {"", add, "UNIMPLEMENTED: The device '"},
      {kDescriptors, {}, "INVALID_ARGUMENT: "},
      {kDescriptors, std::span(add).first(100), "INVALID_ARGUMENT: "},
      {kDescriptors, too_large, ""},
  };
  for (const auto& c : kCases) {
    const auto loaded = device_->CreateExecutable({c.format, c.data, {}});
    EXPECT_FALSE(loaded.ok());
    const std::string text = StatusText(loaded);
    EXPECT_EQ(text.substr(0, strlen(c.want)), c.want);
  }
  // The message names the missing feature; lavapipe has no cooperative
  // matrices.
  const auto loaded = device_->CreateExecutable({kDescriptors, matmul, {}});
  if (!loaded.ok()) {
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_NE(StatusText(loaded).find("CooperativeMatrix"), std::string::npos)
        << StatusText(loaded);
  }
}

// Flips bits in each byte outside of the shader: the file must load or fail
// with an error. Drivers trust the shader's bytes; testing/spirv_fuzz.cc and
// spirv_validate_test.cc test those.
TEST_F(VulkanTest, DamagedExecutables) {
  if (IsWatched()) GTEST_SKIP() << "The layer trusts shaders, too.";
  int loads = 0;
  int refusals = 0;
  for (const std::vector<uint8_t>& good :
       {TestFile("add_3_13"), GridParts().Build()}) {
    // The shader begins with SPIR-V's magic number; the preceding vector length
    // gives its size.
    const std::array<uint8_t, 4> magic = {0x03, 0x02, 0x23, 0x07};
    const auto begin =
        std::search(good.begin(), good.end(), magic.begin(), magic.end());
    ASSERT_NE(begin, good.end());
    uint32_t words;
    std::memcpy(&words, &*begin - 4, sizeof(words));
    const auto first = static_cast<size_t>(begin - good.begin());
    for (size_t i = 0; i < good.size(); ++i) {
      if (i >= first && i < first + words * size_t{4}) continue;
      for (const uint8_t flip : {0x01, 0x80, 0xFF}) {
        std::vector<uint8_t> bad = good;
        bad[i] ^= flip;
        const auto loaded = device_->CreateExecutable({kDescriptors, bad, {}});
        if (loaded.ok()) {
          ++loads;
        } else {
          ++refusals;
          EXPECT_FALSE(loaded.status().message().empty());
        }
      }
    }
    for (size_t length = 0; length < good.size(); length += 7) {
      const auto loaded = device_->CreateExecutable(
          {kDescriptors, std::span(good).first(length), {}});
      EXPECT_FALSE(loaded.ok()) << length;
    }
  }
  // Only changes to names and source locations are accepted.
  EXPECT_GT(loads, 0);
  EXPECT_GT(refusals, loads / 4);
}

}  // namespace
}  // namespace eyrie::hal::vulkan
