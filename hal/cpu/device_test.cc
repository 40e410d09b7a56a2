// Tests command buffers on every CPU device, queries, and drivers.
#include "hal/cpu/device.h"

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/machine/float_state.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "tests/devices/each_device.h"
#include "tests/support/cpu_device.h"
#include "tests/support/fake_executable.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {

std::vector<DeviceMaker> DeviceMakers() {
  std::vector<DeviceMaker> makers;
  for (const cpu::DeviceKind& kind : cpu::kDeviceKinds) {
    makers.push_back({kind.name, [kind]() -> absl::StatusOr<Ref<Device>> {
                        return cpu::NewDevice(kind);
                      }});
  }
  return makers;
}

}  // namespace eyrie::hal

namespace eyrie::hal::cpu {
namespace {

// binding 1 += binding 0 + constant 0, at the word of workgroup x.
int AddKernel(const Environment*, const DispatchState* dispatch,
              const WorkgroupState* workgroup) {
  const auto* source = static_cast<uint32_t*>(dispatch->binding_pointers[0]);
  auto* target = static_cast<uint32_t*>(dispatch->binding_pointers[1]);
  const size_t x = workgroup->workgroup_id_x;
  if ((x + 1) * 4 > dispatch->binding_lengths[1]) return 3;
  target[x] += source[x] + dispatch->constants[0];
  return 0;
}

// The max_concurrency that kernels must get.
int expected_concurrency = 1;

// Writes x + 10 y + 100 z to word (z * ny + y) * nx + x.
int IdKernel(const Environment* environment, const DispatchState* dispatch,
             const WorkgroupState* workgroup) {
  auto* target = static_cast<uint32_t*>(dispatch->binding_pointers[0]);
  const size_t x = workgroup->workgroup_id_x;
  const size_t y = workgroup->workgroup_id_y;
  const size_t z = workgroup->workgroup_id_z;
  target[(z * dispatch->workgroup_count_y + y) * dispatch->workgroup_count_x +
         x] = static_cast<uint32_t>(x + 10 * y + 100 * z);
  return environment == nullptr ||
         dispatch->max_concurrency != expected_concurrency ||
         dispatch->workgroup_size_x != 1 || dispatch->workgroup_size_z != 1;
}

int FailKernel(const Environment*, const DispatchState*,
               const WorkgroupState* workgroup) {
  return workgroup->workgroup_id_x == 2 ? 42 : 0;
}

// Uses its local memory and reports its size. Also reports whether an empty
// binding has an address.
int LocalKernel(const Environment*, const DispatchState* dispatch,
                const WorkgroupState* workgroup) {
  std::memset(workgroup->local_memory, 0xAB, workgroup->local_memory_size);
  auto* target = static_cast<uint32_t*>(dispatch->binding_pointers[0]);
  if (workgroup->workgroup_id_x == 0) {
    target[0] = workgroup->local_memory_size;
    target[1] = dispatch->binding_pointers[1] != nullptr;
    target[2] = static_cast<uint32_t>(dispatch->binding_lengths[1]);
  }
  return reinterpret_cast<uintptr_t>(workgroup->local_memory) % 64 != 0;
}

// Halves the smallest normal number. The result is zero if denormals are
// flushed.
int DenormalKernel(const Environment*, const DispatchState* dispatch,
                   const WorkgroupState*) {
  volatile float tiny = std::numeric_limits<float>::min();
  volatile float half = tiny / 2;
  *static_cast<uint32_t*>(dispatch->binding_pointers[0]) = half == 0 ? 1 : 2;
  return 0;
}

enum Export : uint32_t { kAdd, kIds, kFail, kLocal, kDenormal };

Ref<hal::Executable> NewExecutable() {
  return CreateFakeExecutable({
      {"add", 1, 2, AddKernel},
      {"ids", 0, 1, IdKernel},
      {"fail", 0, 0, FailKernel},
      {"local", 0, 2, LocalKernel, 8192},
      {"denormal", 0, 1, DenormalKernel},
  });
}

class ExecuteTest : public EachDevice {
 protected:
  ExecuteTest() { expected_concurrency = GetParam().threads; }
};
INSTANTIATE_TEST_SUITE_P(Devices, ExecuteTest, AllDeviceKinds(), NameOfKind);

TEST_P(ExecuteTest, RecordedOnceRunTwice) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<hal::Buffer> fixed = NewBuffer(*device, 16);
  SetWords(*fixed, {1, 2, 3, 4});
  const Ref<CommandBuffer> commands =
      *device->CreateCommandBuffer(0, kAnyQueue, 2);
  const std::array<uint32_t, 1> constants = {100};
  const std::array<BufferRef, 2> bindings = {
      BufferRef{fixed, 0, 0, kWholeBuffer}, BufferRef{nullptr, 1, 0, 16}};
  EXPECT_TRUE(
      commands->Fill({nullptr, 1, 0, kWholeBuffer}, BytesOf(1000u)).ok());
  EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
  EXPECT_TRUE(
      commands->Dispatch(NewExecutable(), kAdd, {3, 1, 1}, constants, bindings)
          .ok());
  EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
  EXPECT_TRUE(commands->Copy({nullptr, 1, 0, 4}, {nullptr, 0, 4, 4}).ok());
  EXPECT_TRUE(commands->Finalize().ok());
  for (int round = 0; round < 2; ++round) {
    const Ref<hal::Buffer> zero = NewBuffer(*device, 8);
    const Ref<hal::Buffer> one = NewBuffer(*device, 128);
    const BufferBinding table[] = {{zero.get(), 0, kWholeBuffer},
                                   {one.get(), 64, 16}};
    EXPECT_EQ(StatusText(device->QueueExecute({}, commands, table)), "OK");
    EXPECT_EQ(Words(**hal::Buffer::Subspan(one, 64, 20)),
              "1101 1102 1103 1000 0");
    EXPECT_EQ(Words(*zero), "0 1101");
  }
  EXPECT_EQ(StatusText(device->QueueExecute({}, commands, {})),
            "OUT_OF_RANGE: The binding table has 0 slots; the commands use 2.");
}

TEST_P(ExecuteTest, Deferred) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<Semaphore> gate = *device->CreateSemaphore(0);
  const Ref<Semaphore> done = *device->CreateSemaphore(0);
  const Ref<Fence> wait = Fence::ForPoint(gate, 1);
  const Ref<hal::Buffer> result = NewBuffer(*device, size_t{24} * 4);
  {
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    const Ref<CommandBuffer> commands =
        *device->CreateCommandBuffer(0, kAnyQueue, 1);
    const BufferRef bindings[] = {{nullptr, 0, 0, kWholeBuffer}};
    EXPECT_TRUE(
        commands->Dispatch(NewExecutable(), kIds, {2, 3, 4}, {}, bindings)
            .ok());
    EXPECT_TRUE(commands->Finalize().ok());
    const BufferBinding table[] = {{result.get(), 0, kWholeBuffer}};
    EXPECT_TRUE(
        device->QueueExecute({wait.get(), signal.get()}, commands, table).ok());
    EXPECT_TRUE(device->QueueExecute({wait.get(), nullptr}, nullptr, {}).ok());
  }
  EXPECT_EQ(State(*done), "0");
  EXPECT_TRUE(gate->Signal(1).ok());
  EXPECT_EQ(StateAt(*done, 1), "1");
  EXPECT_EQ(Words(*result),
            "0 1 10 11 20 21 100 101 110 111 120 121 200 201 210 211 220 221 "
            "300 301 310 311 320 321");
}

// Runs single dispatches. Expects the error, or the first words of `target`.
TEST_P(ExecuteTest, Dispatches) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<hal::Executable> executable = NewExecutable();
  const Ref<hal::Buffer> target = NewBuffer(*device, 128);
  const BufferRef whole = {target, 0, 0, kWholeBuffer};
  const BufferRef none = {target, 0, 4, 0};
  struct Case {
    std::string want;
    Export ordinal;
    uint32_t x;
    std::vector<uint32_t> constants;
    std::vector<BufferRef> bindings;
  };
  const Case kCases[] = {
      {"0 1 2 3", kIds, 4, {}, {whole}},
      {"5 5 0 0", kAdd, 2, {5}, {{target, 0, 64, 64}, whole}},
      {"8192 1 0 0", kLocal, 3, {}, {whole, none}},
      {cpu::CanFlushDenormals() ? "1 0 0 0" : "2 0 0 0",
       kDenormal,
       1,
       {},
       {whole}},
      {"0 0 0 0", kFail, 2, {}, {}},
      {"INTERNAL: Dispatch 'fail' failed with code 42.", kFail, 3, {}, {}},
      {"INTERNAL: Dispatch 'add' failed with code 3.",
       kAdd,
       20,
       {5},
       {whole, {target, 0, 64, 64}}},
      {"INVALID_ARGUMENT: Binding 0 begins 8 bytes past a multiple of 64; "
       "kernels take aligned memory. (dispatch 'ids')",
       kIds,
       1,
       {},
       {{target, 0, 8, 64}}},
  };
  const bool flushes = cpu::FlushesDenormals();
  for (const Case& c : kCases) {
    std::memset(target->host_data(), 0, 128);
    const Ref<CommandBuffer> commands =
        *device->CreateCommandBuffer(0, kAnyQueue, 0);
    ASSERT_EQ(StatusText(commands->Dispatch(executable, c.ordinal, {c.x, 1, 1},
                                            c.constants, c.bindings)),
              "OK");
    ASSERT_TRUE(commands->Finalize().ok());
    const absl::Status status = Execute(*device, commands, {});
    EXPECT_EQ(status.ok() ? Words(**hal::Buffer::Subspan(target, 0, 16))
                          : StatusText(status),
              c.want);
  }
  EXPECT_EQ(cpu::FlushesDenormals(), flushes);
}

TEST_P(ExecuteTest, IndirectCounts) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<hal::Buffer> counts = NewBuffer(*device, 16);
  const Ref<hal::Buffer> target = NewBuffer(*device, 64);
  const Ref<CommandBuffer> commands =
      *device->CreateCommandBuffer(0, kAnyQueue, 1);
  const BufferRef bindings[] = {{target, 0, 0, kWholeBuffer}};
  EXPECT_TRUE(commands
                  ->DispatchIndirect(NewExecutable(), kIds, {nullptr, 0, 4, 12},
                                     {}, bindings)
                  .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  const BufferBinding table[] = {{counts.get(), 0, kWholeBuffer}};
  struct Case {
    std::vector<uint32_t> counts;  // the first is not read
    const char* want;
  };
  const Case kCases[] = {
      {{9, 2, 2, 1}, "0 1 10 11"},
      {{9, 0, 2, 1}, "0 0 0 0"},
      {{9, 1, 1, 65536},
       "INVALID_ARGUMENT: A dispatch of 1x1x65536 workgroups exceeds the "
       "limits (65535 in z, 2147483648 in all)."},
  };
  for (const Case& c : kCases) {
    SetWords(*target, {0, 0, 0, 0});
    SetWords(*counts, c.counts);
    const absl::Status status = device->QueueExecute({}, commands, table);
    EXPECT_EQ(status.ok() ? Words(**hal::Buffer::Subspan(target, 0, 16))
                          : StatusText(status),
              c.want);
  }
}

TEST_P(ExecuteTest, CopiesOfSlots) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 16);
  const Ref<CommandBuffer> commands =
      *device->CreateCommandBuffer(0, kAnyQueue, 2);
  EXPECT_TRUE(
      commands
          ->Copy({nullptr, 0, 0, kWholeBuffer}, {nullptr, 1, 0, kWholeBuffer})
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  SetWords(*buffer, {1, 2, 3, 4});
  const BufferBinding overlap[] = {{buffer.get(), 0, 12},
                                   {buffer.get(), 4, 12}};
  EXPECT_EQ(StatusText(device->QueueExecute({}, commands, overlap)), "OK");
  EXPECT_EQ(Words(*buffer), "1 1 2 3");
  const BufferBinding unequal[] = {{buffer.get(), 0, 8}, {buffer.get(), 4, 12}};
  EXPECT_EQ(StatusText(device->QueueExecute({}, commands, unequal)),
            "INVALID_ARGUMENT: A copy's source has 8 bytes and its target 12.");
}

TEST_P(ExecuteTest, ForeignObjects) {
  class ForeignBuffer final : public hal::Buffer {
   public:
    ForeignBuffer() : Buffer(BufferParams(), 64, nullptr) {}
  };
  class ForeignExecutable final : public hal::Executable {
   public:
    std::span<const ExportInfo> exports() const override { return exports_; }
    std::array<ExportInfo, 1> exports_;
  };
  const Ref<hal::Device> device = NewDevice();
  EXPECT_EQ(StatusText(device->QueueFill(
                {}, {MakeRef<ForeignBuffer>(), 0, 0, 4}, BytesOf(1u))),
            "FAILED_PRECONDITION: The buffer's memory is not visible to the "
            "host.");
  const Ref<CommandBuffer> commands =
      *device->CreateCommandBuffer(0, kAnyQueue, 0);
  EXPECT_TRUE(
      commands->Dispatch(MakeRef<ForeignExecutable>(), 0, {1, 1, 1}, {}, {})
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  EXPECT_EQ(StatusText(device->QueueExecute({}, commands, {})),
            "FAILED_PRECONDITION: The executable was made by another driver.");
}

TEST_P(ExecuteTest, Query) {
  const std::string threads = absl::StrCat(GetParam().threads);
  const Ref<hal::Device> device = NewDevice();
  struct Case {
    const char* category;
    absl::string_view key;
    const char* want;
  };
  const cpu::InstructionSet& set = cpu::ThisInstructionSet();
  const Case kCases[] = {
      {"hal.device.id", "local*", "1"},
      {"hal.device.id", GetParam().id, "1"},
      {"hal.device.id", "local-????", "1"},
      {"hal.device.id", "*-*?", "1"},
      {"hal.device.id", "local", "0"},
      {"hal.device.id", "vulkan*", "0"},
      {"hal.device.id", "", "0"},
      {"hal.device", "concurrency", threads.c_str()},
      {"hal.dispatch", "concurrency", threads.c_str()},
      {"hal.device", "other", "unknown"},
      {"hal.executable.format", set.embedded_format, "1"},
      {"hal.executable.format", set.system_format, "0"},
      {"hal.executable.format", "embedded-elf-x86_32", "0"},
      {"hal.executable.format", "vulkan-spirv-fb", "0"},
      {"hal.cpu", "no-such-feature", "unknown"},
      {"other", "key", "unknown"},
  };
  for (const Case& c : kCases) {
    const std::optional<int64_t> value = device->Query(c.category, c.key);
    EXPECT_EQ(value ? absl::StrCat(*value) : "unknown", c.want)
        << c.category << " " << c.key;
  }
}

TEST_P(ExecuteTest, ExecutableFormats) {
  const Ref<hal::Device> device = NewDevice();
  const absl::StatusOr<Ref<hal::Executable>> executable =
      device->CreateExecutable({"cuda-nvptx-fb", {}, {}});
  EXPECT_EQ(executable.status().code(), absl::StatusCode::kUnimplemented);
}

TEST(Driver, OpenDevice) {
  struct Case {
    const char* uri;
    const char* want;
  };
  const Case kCases[] = {
      {"local-sync", "local-sync"},
      {"local-sync://", "local-sync"},
      {"local-sync://0",
       "NOT_FOUND: The driver 'local-sync' has no device '0'; its only one is "
       "'local-sync://'."},
      {"local-task", "local-task"},
      {"local-task://1",
       "NOT_FOUND: The driver 'local-task' has no device '1'; its only one is "
       "'local-task://'."},
      {"local",
       "NOT_FOUND: Unknown driver 'local'; expected one of 'local-sync', "
       "'local-task', 'vulkan'."},
      {"",
       "NOT_FOUND: Unknown driver ''; expected one of 'local-sync', "
       "'local-task', 'vulkan'."},
  };
  for (const Case& c : kCases) {
    const absl::StatusOr<Ref<hal::Device>> device =
        OpenDevice(c.uri, DriverOptions());
    EXPECT_EQ(device.ok() ? std::string((*device)->id()) : StatusText(device),
              c.want);
  }
  std::string all;
  for (const auto& driver : AllDrivers()) {
    absl::StrAppend(&all, driver->name());
    // The list of Vulkan devices depends on the machine.
    if (driver->name() != "vulkan") {
      absl::StrAppend(&all, " ", (*driver->ListDevices())[0]);
    }
    absl::StrAppend(&all, "\n");
  }
  EXPECT_EQ(all,
            "local-sync local-sync://\nlocal-task local-task://\nvulkan\n");
  DriverOptions odd;
  odd.Of<TaskOptions>().mode = "odd";
  EXPECT_EQ(OpenDevice("local-task", odd).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace eyrie::hal::cpu
