// Tests dispatches on Vulkan devices: bindings, workgroup counts, errors;
// commands that are submitted again; damaged and foreign executables.
#include "hal/vulkan/device.h"

#include <array>
#include <optional>
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

constexpr char kFormat[] = "vulkan-spirv-fb";

class DeviceTest : public EachVulkanDevice {
 protected:
  void SetUp() override {
    EachVulkanDevice::SetUp();
    if (device_ != nullptr) grid_ = Load(GridParts().Build());
  }

  Ref<hal::Executable> Load(std::span<const uint8_t> data,
                            std::span<const uint32_t> constants = {}) {
    auto loaded = device_->CreateExecutable({kFormat, data, constants});
    EXPECT_EQ(StatusText(loaded), "OK");
    return loaded.ok() ? *std::move(loaded) : nullptr;
  }
  // Creates a device buffer of words, filled by copies.
  Ref<hal::Buffer> NewWords(std::vector<uint32_t> words) {
    Ref<hal::Buffer> buffer = NewBuffer(*device_, words.size() * 4);
    SetWords(*buffer, std::move(words));
    return buffer;
  }
  Ref<CommandBuffer> NewCommands(uint32_t slots, CommandBufferMode mode = 0) {
    return *device_->CreateCommandBuffer(mode, kAnyQueue, slots);
  }
  // Runs one dispatch and returns the target's words, or the error.
  std::string Dispatch(const Ref<hal::Executable>& executable,
                       const uint32_t (&count)[3],
                       std::span<const uint32_t> constants,
                       std::span<const BufferRef> bindings) {
    const Ref<CommandBuffer> commands = NewCommands(0);
    absl::Status status =
        commands->Dispatch(executable, 0, count, constants, bindings);
    if (status.ok()) status = commands->Finalize();
    if (status.ok()) status = Execute(*device_, commands, {});
    return status.ok() ? Words(*bindings[0].buffer) : StatusText(status);
  }

  Ref<hal::Executable> grid_;
};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, AllVulkanKinds(),
                         NameOfVulkanKind);

TEST_P(DeviceTest, Dispatches) {
  const Ref<hal::Buffer> addend = NewWords({100, 0, 0, 0});
  struct Case {
    uint32_t workgroups[3];
    uint32_t first, count;
    const char* want;
  };
  const Case kCases[] = {
      {{2, 1, 1}, 0, 4, "100 101 102 103 0 0 0 0"},
      {{1, 2, 1}, 0, 4, "100 101 102 103 0 0 0 0"},
      {{1, 1, 3}, 2, 6, "0 0 100 101 102 103 104 105"},
      {{1, 2, 2}, 0, 8, "100 101 102 103 104 105 106 107"},
      {{4, 1, 1}, 7, 1, "0 0 0 0 0 0 0 100"},
      {{0, 1, 1}, 0, 8, "0 0 0 0 0 0 0 0"},
      {{1, 0, 1}, 0, 8, "0 0 0 0 0 0 0 0"},
      {{65535, 1, 1}, 0, 2, "100 101 0 0 0 0 0 0"},
      {{1, 1, 65535}, 0, 2, "100 101 0 0 0 0 0 0"},
  };
  for (const Case& c : kCases) {
    const BufferRef bindings[] = {Whole(NewWords({0, 0, 0, 0, 0, 0, 0, 0})),
                                  Whole(addend)};
    EXPECT_EQ(
        Dispatch(grid_, c.workgroups, std::array{c.first, c.count}, bindings),
        c.want)
        << &c - kCases;
  }
}

TEST_P(DeviceTest, Refusals) {
  const Ref<hal::Buffer> addend = NewWords({100, 0, 0, 0});
  const Ref<hal::Buffer> target = NewBuffer(*device_, 1024);
  const std::array<uint32_t, 2> none = {0, 0};
  const BufferRef whole = Whole(target);
  const auto sentence = [&](const uint32_t(&count)[3],
                            std::vector<BufferRef> bindings) {
    return Dispatch(grid_, count, none, bindings);
  };
  EXPECT_EQ(
      sentence({1, 1, 1}, {{target, 0, 2, 64}, Whole(addend)}).substr(0, 75),
      "INVALID_ARGUMENT: Binding 0 cannot be bound: it begins 2 bytes "
      "past a multi");
  const std::string count = sentence({65536, 1, 1}, {whole, Whole(addend)});
  // The result depends on the device.
  EXPECT_TRUE(count.substr(0, 4) == "0 0 " ||
              count ==
                  "RESOURCE_EXHAUSTED: The workgroup count 65536 in x exceeds "
                  "the device's limit of 65535. (dispatch 'main')")
      << count;
  EXPECT_EQ(sentence({1, 1, 65536}, {whole, Whole(addend)}),
            "INVALID_ARGUMENT: A dispatch of 1x1x65536 workgroups exceeds the "
            "limits (65535 in z, 2147483648 in all).");
}

// Empty bindings may be anywhere, also past the end.
TEST_P(DeviceTest, BindingsOfNoBytes) {
  for (const uint64_t size : {0, 4, 64, 1024}) {
    const Ref<hal::Buffer> target = NewBuffer(*device_, size);
    const Ref<hal::Buffer> addend = NewWords({100, 0, 0, 0});
    for (const uint64_t offset : {uint64_t{0}, size / 2, size}) {
      SCOPED_TRACE(absl::StrCat(size, " bytes at ", offset));
      const BufferRef bindings[] = {{target, 0, offset, 0}, Whole(addend)};
      const std::string got =
          Dispatch(grid_, {1, 1, 1}, std::array{0u, 0u}, bindings);
      EXPECT_EQ(got, Words(*target));
    }
  }
}

TEST_P(DeviceTest, IndirectCounts) {
  const Ref<hal::Buffer> counts = NewBuffer(*device_, 16);
  const Ref<hal::Buffer> target = NewBuffer(*device_, 32);
  const Ref<hal::Buffer> addend = NewWords({1, 0, 0, 0});
  const Ref<CommandBuffer> commands = NewCommands(1);
  const BufferRef bindings[] = {Whole(target), Whole(addend)};
  EXPECT_TRUE(commands
                  ->DispatchIndirect(grid_, 0, {nullptr, 0, 4, 12},
                                     std::array{0u, 8u}, bindings)
                  .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  const BufferBinding table[] = {{counts.get(), 0, kWholeBuffer}};
  struct Case {
    std::vector<uint32_t> counts;  // the first is not read
    const char* want;
  };
  const Case kCases[] = {
      {{9, 2, 1, 1}, "1 2 3 4 0 0 0 0"},
      {{9, 1, 2, 2}, "1 2 3 4 5 6 7 8"},
      {{9, 0, 2, 1}, "0 0 0 0 0 0 0 0"},
      {{9, 1, 1, 1}, "1 2 0 0 0 0 0 0"},
  };
  for (const Case& c : kCases) {
    SetWords(*target, {0, 0, 0, 0, 0, 0, 0, 0});
    SetWords(*counts, c.counts);
    EXPECT_EQ(StatusText(Execute(*device_, commands, table)), "OK");
    EXPECT_EQ(Words(*target), c.want);
  }
}

TEST_P(DeviceTest, ConstantsOfSpecialization) {
  struct Case {
    std::vector<uint32_t> constants;
    const char* want;
  };
  const Case kCases[] = {
      {{}, "0 1 2 3"},
      {{10}, "0 10 20 30"},
      // Constants that the shader does not have are ignored.
      {{3, 4, 5}, "0 3 6 9"},
  };
  for (const Case& c : kCases) {
    const BufferRef bindings[] = {Whole(NewWords({0, 0, 0, 0})),
                                  Whole(NewWords({0, 0, 0, 0}))};
    EXPECT_EQ(Dispatch(Load(GridParts().Build(), c.constants), {2, 1, 1},
                       std::array{0u, 4u}, bindings),
              c.want);
  }
}

// Commands that are submitted again, with tables that change between runs or
// during them: the submissions do not affect each other.
TEST_P(DeviceTest, RecordedOnceRunOften) {
  const Ref<hal::Buffer> addend = NewWords({10, 0, 0, 0});
  for (const CommandBufferMode mode :
       {CommandBufferMode{0}, command_buffer_mode::kOneShot}) {
    const Ref<CommandBuffer> commands = NewCommands(2, mode);
    const BufferRef bindings[] = {{nullptr, 1, 0, 32}, Whole(addend)};
    EXPECT_TRUE(
        commands->Fill({nullptr, 1, 0, kWholeBuffer}, BytesOf(1000u)).ok());
    EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
    EXPECT_TRUE(
        commands->Dispatch(grid_, 0, {2, 1, 1}, std::array{0u, 3u}, bindings)
            .ok());
    EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
    EXPECT_TRUE(commands->Copy({nullptr, 1, 4, 4}, {nullptr, 0, 4, 4}).ok());
    EXPECT_TRUE(commands->Finalize().ok());
    std::vector<Ref<hal::Buffer>> zeros, ones;
    for (int i = 0; i < 3; ++i) {
      zeros.push_back(NewWords({0, 0}));
      ones.push_back(NewBuffer(*device_, 512));
    }
    const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
    uint64_t value = 0;
    // The same table, another one, another range of the same; in flight
    // together.
    const struct {
      size_t buffer;
      uint64_t offset;
    } kSubmissions[] = {{0, 0}, {0, 0},   {1, 0},   {1, 256}, {0, 256},
                        {2, 0}, {2, 256}, {2, 256}, {0, 0}};
    const size_t submissions = mode == 0 ? std::size(kSubmissions) : size_t{1};
    for (size_t i = 0; i < submissions; ++i) {
      const auto& s = kSubmissions[i];
      const BufferBinding table[] = {{zeros[s.buffer].get(), 0, kWholeBuffer},
                                     {ones[s.buffer].get(), s.offset, 64}};
      const Ref<Fence> wait = Fence::ForPoint(timeline, value);
      const Ref<Fence> signal = Fence::ForPoint(timeline, ++value);
      EXPECT_EQ(StatusText(device_->QueueExecute({wait.get(), signal.get()},
                                                 commands, table)),
                "OK");
    }
    EXPECT_EQ(StateAt(*timeline, value), absl::StrCat(value));
    for (size_t i = 0; i < submissions; ++i) {
      const auto& s = kSubmissions[i];
      EXPECT_EQ(Words(**hal::Buffer::Subspan(ones[s.buffer], s.offset, 20)),
                "1010 1011 1012 1000 1000");
      EXPECT_EQ(Words(*zeros[s.buffer]), "0 1011");
    }
    EXPECT_EQ(StatusText(device_->QueueExecute({}, commands, {})),
              "OUT_OF_RANGE: The binding table has 0 slots; the commands use "
              "2.");
  }
}

// Many dispatches in one recording need several descriptor pools.
TEST_P(DeviceTest, ManyDispatches) {
  constexpr uint32_t kCount = 300;
  const Ref<hal::Buffer> target = NewBuffer(*device_, size_t{kCount} * 4);
  const Ref<hal::Buffer> addend = NewWords({7, 0, 0, 0});
  const BufferRef bindings[] = {Whole(target), Whole(addend)};
  const Ref<CommandBuffer> commands = NewCommands(0);
  for (uint32_t i = 0; i < kCount; ++i) {
    EXPECT_TRUE(
        commands->Dispatch(grid_, 0, {1, 1, 1}, std::array{i, 1u}, bindings)
            .ok());
  }
  EXPECT_TRUE(commands->Finalize().ok());
  for (int round = 1; round <= 3; ++round) {
    EXPECT_EQ(StatusText(Execute(*device_, commands, {})), "OK");
    EXPECT_EQ(Words(**hal::Buffer::Subspan(target, kCount * 4 - 8, 8)),
              absl::StrCat(7 * round, " ", 7 * round));
  }
}

TEST_P(DeviceTest, Query) {
  struct Case {
    const char* category;
    const char* key;
    const char* want;
  };
  const Case kCases[] = {
      {"hal.device.id", "vulkan", "1"},
      {"hal.device.id", "vulkan*", "1"},
      {"hal.device.id", "local*", "0"},
      {"hal.executable.format", "vulkan-spirv-fb", "1"},
      {"hal.executable.format", "vulkan-spirv-fb-ptr", "0"},
      {"hal.executable.format", "vulkan-spirv-bda-raw", "0"},
      {"hal.executable.format", "embedded-elf-x86_64", "0"},
      {"hal.device", "concurrency", "1"},
      {"hal.dispatch", "no-such-key", "unknown"},
      {"eyrie.native_code", "", "0"},
      {"eyrie.native_libraries", "", "1"},
      {"other", "key", "unknown"},
  };
  for (const Case& c : kCases) {
    const std::optional<int64_t> value = device_->Query(c.category, c.key);
    EXPECT_EQ(value ? absl::StrCat(*value) : "unknown", c.want)
        << c.category << " " << c.key;
  }
  for (const char* key :
       {"compute.bitwidths.fp", "compute.bitwidths.int", "storage.bitwidths",
        "subgroup.ops", "dotprod.ops", "coopmatrix.ops", "address.mode"}) {
    EXPECT_TRUE(device_->Query("hal.dispatch", key).has_value()) << key;
  }
  for (const absl::string_view format : device_->executable_formats()) {
    EXPECT_EQ(device_->Query("hal.executable.format", format), 1);
  }
  EXPECT_EQ(device_->queue_count(), 64);
  EXPECT_EQ(device_->id(), "vulkan");
}

TEST_P(DeviceTest, ForeignObjects) {
  absl::StatusOr<Ref<hal::Device>> opened = OpenFirst();
  ASSERT_EQ(StatusText(opened), "OK");
  hal::Device& other = **opened;
  const Ref<hal::Buffer> theirs = NewBuffer(other, 64);
  EXPECT_FALSE(device_->allocator().CanUse(*theirs));
  const std::string not_ours =
      "FAILED_PRECONDITION: A buffer of 64 bytes is not in the memory of this "
      "Vulkan device.";
  const auto fill = [&](const QueueFences& fences) {
    return device_->QueueFill(fences, Whole(theirs), BytesOf(1u));
  };
  EXPECT_EQ(StatusText(Finish(*device_, fill)), not_ours);
  // In a table, where an earlier buffer may have been ours.
  const Ref<CommandBuffer> commands = NewCommands(1);
  EXPECT_TRUE(commands->Fill({nullptr, 0, 0, 64}, BytesOf(1u)).ok());
  EXPECT_TRUE(commands->Finalize().ok());
  const Ref<hal::Buffer> ours = NewBuffer(*device_, 64);
  for (int round = 0; round < 2; ++round) {
    const BufferBinding good[] = {{ours.get(), 0, kWholeBuffer}};
    const BufferBinding bad[] = {{theirs.get(), 0, kWholeBuffer}};
    EXPECT_EQ(StatusText(Execute(*device_, commands, good)), "OK");
    EXPECT_EQ(StatusText(Execute(*device_, commands, bad)), not_ours);
  }
  EXPECT_EQ(Words(**hal::Buffer::Subspan(ours, 56, 8)), "1 1");
  // Executables are rejected, too.
  const std::vector<uint8_t> bytes = GridParts().Build();
  const Ref<hal::Executable> executable =
      *other.CreateExecutable({kFormat, bytes, {}});
  const BufferRef bindings[] = {Whole(ours), Whole(ours)};
  EXPECT_EQ(Dispatch(executable, {1, 1, 1}, std::array{0u, 0u}, bindings),
            "FAILED_PRECONDITION: The executable belongs to another device.");
}

// An executable may outlive its device, but another device cannot run it.
TEST_P(DeviceTest, ExecutablesOutliveTheDevice) {
  const Ref<CommandBuffer> commands = NewCommands(2);
  const BufferRef bindings[] = {{nullptr, 0, 0, 16}, {nullptr, 1, 0, 16}};
  EXPECT_TRUE(
      commands->Dispatch(grid_, 0, {1, 1, 1}, std::array{0u, 2u}, bindings)
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  {
    const Ref<Buffer> words[] = {NewWords({0, 0, 0, 0}),
                                 NewWords({1, 0, 0, 0})};
    const BufferBinding table[] = {{words[0].get(), 0, kWholeBuffer},
                                   {words[1].get(), 0, kWholeBuffer}};
    EXPECT_EQ(StatusText(Execute(*device_, commands, table)), "OK");
  }
  device_.reset();
  EXPECT_EQ(grid_->exports()[0].name, "main");
}

}  // namespace
}  // namespace eyrie::hal::vulkan
