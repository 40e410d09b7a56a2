// Tests that isolated devices commit, clear and copy only what a call pays for
// and what its context may hold.
#include <elf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/protocol.h"
#include "hal/cpu/isolate/testing/hostile_library.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/executable.h"
#include "tests/support/device_helpers.h"
#include "tests/support/isolated_device.h"
#include "tests/support/program_headers.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu::isolate {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint64_t kMiB = uint64_t{1} << 20;

Bytes WithSlack() {
  return tests::WithProgramHeaders(LibraryOf(Adds()), [](Elf64_Phdr& segment) {
    if (segment.p_type == PT_LOAD) segment.p_align = 64 * kMiB;
  });
}

// Its tables end with zeros that the file does not have.
Bytes WithZeros() {
  return tests::WithProgramHeaders(LibraryOf(Adds()), [](Elf64_Phdr& segment) {
    if (segment.p_type == PT_GNU_RELRO) segment.p_memsz = kMiB;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      segment.p_memsz = kMiB;
    }
  });
}

// Its kernel has the most local memory, 256 MiB.
Bytes WithLocalMemory() {
  constexpr size_t kAttributes = 2 * kPage + 0x200;  // hostile_library.cc
  Bytes file = LibraryOf(Adds());
  const uint16_t pages = 0xFFFF;
  std::memcpy(file.data() + kAttributes +
                  offsetof(DispatchAttributesV6, local_memory_pages),
              &pages, sizeof(pages));
  return file;
}

// The limits of one call; 0: none.
struct Limits {
  int64_t units = 0;
  uint64_t bytes = 0;

  std::shared_ptr<WorkBudget> NewWork() const {
    auto work = std::make_shared<WorkBudget>();
    if (units != 0) work->Refill(units);
    return work;
  }
  std::shared_ptr<MemoryMeter> NewMemory() const {
    return std::make_shared<MemoryMeter>(bytes == 0 ? ~uint64_t{0} : bytes);
  }
};

absl::StatusOr<Ref<Executable>> LoadWithin(hal::Device& device,
                                           const Bytes& file, WorkBudget& work,
                                           const Limits& limits) {
  ExecutableParams params;
  params.format = ThisInstructionSet().embedded_format;
  params.data = file;
  params.caller = &work;
  params.memory = limits.NewMemory();
  return device.CreateExecutable(params);
}

SharedStatistics StatisticsOf(hal::Device& device) {
  return device.allocator().statistics().shared.value_or(SharedStatistics());
}

TEST(IsolateLimits, Loads) {
  constexpr int64_t kUnits = 2000;  // 2 MiB
  const struct {
    const char* what;
    Bytes file;
    Limits limits;
    const char* want;
  } kRows[] = {
      {"plain", LibraryOf(Adds()), {kUnits, kMiB}, "OK"},
      {"its work", LibraryOf(Adds()), {20}, "units of fuel, its limit"},
      {"its image", LibraryOf(Adds()), {0, 100}, "an executable's image"},
      {"slack", WithSlack(), {kUnits, kMiB}, "OK"},
      {"zeros", WithZeros(), {4 * kUnits, 2 * kMiB}, "OK"},
      {"the work for zeros", WithZeros(), {200}, "units of fuel, its limit"},
      {"the image with zeros",
       WithZeros(),
       {0, kMiB / 2},
       "an executable's image exceed the context's memory limit"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.what);
    const Ref<hal::Device> device = Open();
    const auto work = row.limits.NewWork();
    const std::string status =
        StatusText(LoadWithin(*device, row.file, *work, row.limits));
    EXPECT_TRUE(absl::StrContains(status, row.want)) << status;
    EXPECT_LT(StatisticsOf(*device).most_committed, 2 * kMiB);
    EXPECT_EQ(StatisticsOf(*device).committed, 0u);
  }
}

// Dispatches on 4 MiB of the host's memory, which the meter does not count.
TEST(IsolateLimits, DispatchesOnTheHost) {
  constexpr int64_t kCopies = 3 * 4096;  // commits, copies, and writes back
  const struct {
    const char* what;
    Bytes file;
    Limits limits;
    const char* want;
    size_t offset = 0;  // of a read-only binding; 0: it is written
    bool is_isolated = true;
  } kRows[] = {
      {"copies", LibraryOf(Adds()), {kCopies, 6 * kMiB}, "OK"},
      {"their work", LibraryOf(Adds()), {kCopies - 1}, "of fuel, its limit"},
      {"their bytes",
       LibraryOf(Adds()),
       {0, 4 * kMiB},
       "copies of bindings for an isolated worker exceed"},
      {"local memory",
       WithLocalMemory(),
       {0, 64 * kMiB},
       "a kernel's local memory exceed"},
      {"the work for local memory",
       WithLocalMemory(),
       {100000},
       "allocation for an isolated worker"},
      {"unaligned", LibraryOf(Returns(0)), {5000, 6 * kMiB}, "OK", 4, false},
      {"their work",
       LibraryOf(Returns(0)),
       {4000},
       "(copy of a binding of 4194304 bytes, 0 of them done)",
       4,
       false},
      {"their bytes",
       LibraryOf(Returns(0)),
       {0, 2 * kMiB},
       "copy of a binding exceed",
       4,
       false},
      {"local memory in this process",
       WithLocalMemory(),
       {0, 64 * kMiB},
       "a kernel's local memory exceed",
       0,
       false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.what);
    const Ref<hal::Device> device =
        row.is_isolated ? Open() : *OpenDevice("local-sync", DriverOptions());
    const Limits loading;
    auto executable =
        LoadWithin(*device, row.file, *loading.NewWork(), row.limits);
    ASSERT_EQ(StatusText(executable), "OK");
    Bytes memory(4 * kMiB + 128);
    const size_t past = reinterpret_cast<uintptr_t>(memory.data()) % 64;
    const HostBinding binding = {memory.data() + 64 - past + row.offset,
                                 4 * kMiB, row.offset != 0};
    const uint32_t constant = 3;
    const auto work = row.limits.NewWork();
    const std::string status =
        StatusText((*executable)
                       ->RunOnHost({.ordinal = 0,
                                    .workgroup_count = {1, 1, 1},
                                    .constants = {&constant, 1},
                                    .bindings = {&binding, 1},
                                    .work = work.get()}));
    EXPECT_TRUE(absl::StrContains(status, row.want)) << status;
  }
}

BufferParams PaidBy(WorkBudget* work) {
  BufferParams params;
  params.work = work;
  return params;
}

TEST(IsolateLimits, Allocations) {
  const Ref<hal::Device> device = Open();
  constexpr uint64_t kSize = 40 * kMiB;
  const auto allocate = [&](WorkBudget& work) {
    return device->allocator().Allocate(PaidBy(&work), kSize);
  };
  WorkBudget work;
  work.Refill(16 * 1024);
  EXPECT_EQ(StatusText(allocate(work)),
            "RESOURCE_EXHAUSTED: The device's work for the call takes more "
            "than 16384 units of fuel, its limit. (allocation for an isolated "
            "worker of 41943040 bytes, 16777216 of them done)");
  WorkBudget stopped;
  stopped.Stop(absl::StatusCode::kCancelled);
  EXPECT_EQ(allocate(stopped).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(StatisticsOf(*device).most_committed, 0u);
  work.Refill(2 * kSize / 1024);  // commits, and clears
  auto buffer = allocate(work);
  EXPECT_EQ(StatusText(buffer), "OK");
  EXPECT_EQ(StatisticsOf(*device).committed, kSize);
  EXPECT_TRUE(absl::StrContains(
      device->allocator().statistics().ToString(),
      "   COMMITTED:     41943040B peak /     41943040B live for buffers, "
      "executables and copies\n"));
}

// Threads do not wait while pages of another's block are committed or returned.
TEST(IsolateLimits, WaitForNoOneElsesPages) {
  const Ref<hal::Device> device = Open();
  std::atomic<int> state{0};
  std::thread large([&] {
    state = 1;
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(
          device->allocator().Allocate(BufferParams(), 64 * kMiB + i).ok());
    }
    state = 2;
  });
  while (state == 0) std::this_thread::yield();
  int done = 0;
  std::vector<Ref<hal::Buffer>> small;
  for (; state == 1 && done < 10000; ++done) {
    small.push_back(NewBuffer(*device, 100));
  }
  large.join();
  EXPECT_GT(done, 100);
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate
