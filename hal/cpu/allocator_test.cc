// Tests the CPU driver's memory: sizes, reuse, imports and statistics.
#include "hal/cpu/allocator.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/memory_meter.h"
#include "base/sanitized.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/pooled_allocator.h"
#include "tests/support/cpu_device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

BufferParams Owned(uint64_t owner) {
  BufferParams params;
  params.owner = owner;
  return params;
}

TEST(Allocator, Sizes) {
  const Ref<hal::Device> device = NewDevice();
  for (uint64_t size : {0, 1, 63, 64, 65, 80, 81, 127, 128, 129, 4095, 4096,
                        300000, 4 << 20, (4 << 20) + 1, 20 << 20}) {
    for (int round = 0; round < 2; ++round) {
      const Ref<hal::Buffer> buffer = NewBuffer(*device, size);
      EXPECT_EQ(buffer->byte_length(), size);
      EXPECT_NE(buffer->host_data(), nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->host_data()) % 64, 0u);
      if (size == 0) continue;
      EXPECT_EQ(buffer->host_data()[0] | buffer->host_data()[size - 1], 0);
      buffer->host_data()[0] = buffer->host_data()[size - 1] = 0xFF;
    }
  }
  for (uint64_t size : {uint64_t{1} << 60, ~uint64_t{0}}) {
    const std::string text =
        StatusText(device->allocator().Allocate(BufferParams(), size));
    EXPECT_EQ(text.substr(0, text.find(" cannot")),
              absl::StrCat("RESOURCE_EXHAUSTED: A buffer of ", size, " bytes"));
  }
}

// So that the system can use large pages.
TEST(Allocator, LargeBlocksAreAligned) {
  const Ref<hal::Device> device = NewDevice();
  std::vector<Ref<hal::Buffer>> buffers;
  for (const uint64_t size : {2 << 20, (2 << 20) + 1, 7 << 20, 64 << 20}) {
    buffers.push_back(NewBuffer(*device, size));
    const hal::Buffer& buffer = *buffers.back();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.host_data()) % (2 << 20), 0u);
    EXPECT_EQ(buffer.host_data()[0] | buffer.host_data()[size - 1], 0);
    buffer.host_data()[size - 1] = 1;
  }
}

TEST(Allocator, SmallMemoryIsAlwaysClear) {
  const Ref<hal::Device> device = NewDevice();
  const uint64_t owner = device->allocator().NewOwner();
  for (int round = 0; round < 2; ++round) {
    const Ref<hal::Buffer> buffer =
        *device->allocator().Allocate(Owned(owner), 8);
    EXPECT_EQ(Words(*buffer), "0 0");
    SetWords(*buffer, {7, 7});
  }
}

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(Allocator, LargeMemoryIsUsedAgain) {
  const auto allocator = MakeRef<Allocator>(nullptr, 256 * kMiB);
  const auto allocate = [&](uint64_t owner, uint64_t size) {
    return *allocator->Allocate(Owned(owner), size);
  };
  const uint64_t owner = allocator->NewOwner();
  // So much is in use that no idle block has to go.
  const Ref<hal::Buffer> in_use = allocate(owner, 400 * kMiB);
  Ref<hal::Buffer> buffer = allocate(owner, 20 * kMiB);
  const uint8_t* const first = buffer->host_data();
  buffer->host_data()[19 * kMiB] = 7;
  buffer.reset();
  EXPECT_EQ(allocator->statistics().idle, 20 * kMiB);
  struct Case {
    uint64_t owner;
    uint64_t size;
    bool is_first;  // if the first buffer's memory is used
    int byte;       // what is read at 19 MiB
  };
  const Case kCases[] = {
      {owner, 20 * kMiB, true, 7},
      {owner, 20 * kMiB - 4096, true, 7},
      {owner, 20 * kMiB + 1, false, 0},
      {owner, 2 * kMiB, false, -1},  // a tenth would waste the rest
      {kOverwritten, 20 * kMiB, true, -1},
      {allocator->NewOwner(), 20 * kMiB, true, 0},
      {owner, 20 * kMiB, true, 0},  // the other owner's byte is not seen
  };
  for (const Case& c : kCases) {
    const Ref<hal::Buffer> again = allocate(c.owner, c.size);
    EXPECT_EQ(again->host_data() == first, c.is_first) << c.size;
    if (c.byte >= 0) {
      EXPECT_EQ(again->host_data()[19 * kMiB], c.byte) << c.size;
    }
    if (c.is_first)
      again->host_data()[19 * kMiB] = static_cast<uint8_t>(c.byte);
  }
}

// Kernels may read a last, partial word, which must not have another's bytes.
TEST(Allocator, BytesAfterTheEndAreClear) {
  for (const uint64_t first : {uint64_t{0}, uint64_t{1}, kOverwritten}) {
    for (const uint64_t second : {uint64_t{0}, uint64_t{2}, kOverwritten}) {
      const auto allocator = MakeRef<Allocator>(nullptr);
      Ref<hal::Buffer> buffer = *allocator->Allocate(Owned(first), 4096);
      const uint8_t* const memory = buffer->host_data();
      std::memset(buffer->host_data(), 7, 4096);
      buffer.reset();
      buffer = *allocator->Allocate(Owned(second), 4093);
      ASSERT_EQ(buffer->host_data(), memory);
      EXPECT_EQ(memory[4093] | memory[4094] | memory[4095], 0)
          << first << " " << second;
    }
  }
}

TEST(Allocator, IdleMemoryIsLimited) {
  struct Case {
    uint64_t max_idle;
    std::vector<uint64_t> sizes;
    uint64_t want;
  };
  const Case kCases[] = {
      {0, {64, 4096, 32 * kMiB}, 0},
      {32 * kMiB, {32 * kMiB}, 32 * kMiB},
      {32 * kMiB, {32 * kMiB + 1}, 0},
      {32 * kMiB, {20 * kMiB, 16 * kMiB, 1 * kMiB}, 21 * kMiB},
  };
  for (const Case& c : kCases) {
    const auto allocator = MakeRef<Allocator>(nullptr, c.max_idle);
    std::vector<Ref<hal::Buffer>> buffers;
    for (const uint64_t size : c.sizes) {
      buffers.push_back(*allocator->Allocate(BufferParams(), size));
    }
    for (Ref<hal::Buffer>& buffer : buffers) buffer.reset();
    EXPECT_EQ(allocator->statistics().idle, c.want);
    allocator->Trim();
    EXPECT_EQ(allocator->statistics().idle, 0u);
  }
}

// Idle memory is an eighth of the limit of the context that used it, so memory
// in use and idle memory stay near the limit.
TEST(Allocator, ContextsWithALimitLeaveLittleIdle) {
  const std::pair<uint64_t, uint64_t> kRows[] = {
      {64 * kMiB, 0}, {255 * kMiB, 0}, {256 * kMiB, 32 * kMiB}};
  for (const auto& [limit, idle] : kRows) {
    const auto allocator = MakeRef<Allocator>(nullptr, 1024 * kMiB);
    const auto meter = std::make_shared<MemoryMeter>(limit);
    for (int i = 0; i < 2; ++i) {
      const auto buffer = *allocator->AllocateCharged(
          meter, "a buffer", BufferParams(), 32 * kMiB);
    }
    EXPECT_EQ(allocator->statistics().idle, idle) << limit;
  }
}

TEST(Allocator, MemoryThatIsNotUsedIsFreed) {
  const auto allocator =
      MakeRef<Allocator>(nullptr, 256 * kMiB, absl::Milliseconds(10));
  for (int round = 0; round < 2; ++round) {
    {
      const auto buffer = *allocator->Allocate(BufferParams(), 64 * kMiB);
    }
    {
      const auto small = *allocator->Allocate(BufferParams(), 4096);
    }
    for (int i = 0; i < 1000 && allocator->statistics().idle != 0; ++i) {
      absl::SleepFor(absl::Milliseconds(10));
    }
    EXPECT_EQ(allocator->statistics().idle, 0u);
  }
  // The allocator may be destroyed while memory is being freed.
  {
    const auto buffer = *allocator->Allocate(BufferParams(), 64 * kMiB);
  }
}

// More blocks than one slice frees.
TEST(Allocator, OldMemoryGoesInSlices) {
  const auto allocator =
      MakeRef<Allocator>(nullptr, 256 * kMiB, absl::Milliseconds(10));
  std::vector<Ref<hal::Buffer>> buffers;
  for (int i = 0; i < 9000; ++i) {
    buffers.push_back(*allocator->Allocate(BufferParams(), i % 3 + 1));
  }
  for (int i = 0; i < 80; ++i) {
    buffers.push_back(*allocator->Allocate(BufferParams(), kMiB));
  }
  buffers.clear();
  const uint64_t idle = allocator->statistics().idle;
  EXPECT_GT(idle, 80 * kMiB);
  for (int i = 0; i < 1000 && allocator->statistics().idle != 0; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_EQ(allocator->statistics().idle, 0u);
}

// Allocates and releases buffers of random sizes, as many as a busy process
// does in an hour. All memory stays within 1.3 times the most that was in use
// at once, apart from 12 MiB.
TEST(Allocator, RandomSizesDoNotPileUp) {
  struct Case {
    double least;
    double most;
    size_t buffers;
  };
  const Case kCases[] = {{64, 64 << 20, 16},
                         {1 << 20, 64 << 20, 16},
                         {4096, 256 << 20, 16},
                         {64, 4 << 20, 400}};
  for (const Case& c : kCases) {
    const auto allocator = MakeRef<Allocator>(nullptr, uint64_t{1} << 40);
    const uint64_t owner = allocator->NewOwner();
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> log_of(std::log(c.least),
                                                  std::log(c.most));
    std::vector<Ref<hal::Buffer>> live;
    uint64_t used = 0;
    uint64_t peak = 0;
    uint64_t total = 0;
    // AddressSanitizer marks each byte that is handed out or taken back.
    const int rounds = kIsSanitized ? 3000 : 60000;
    for (int i = 0; i < rounds; ++i) {
      if (live.size() == c.buffers || (!live.empty() && random() % 2 == 0)) {
        std::swap(live[random() % live.size()], live.back());
        used -= live.back()->byte_length();
        live.pop_back();
        continue;
      }
      const auto size = static_cast<uint64_t>(std::exp(log_of(random)));
      live.push_back(*allocator->Allocate(Owned(owner), size));
      used += size;
      peak = std::max(peak, used);
      total = std::max(total, used + allocator->statistics().idle);
    }
    const auto limit = static_cast<double>(peak) * 1.3;
    EXPECT_LE(static_cast<double>(total), limit + 12 * kMiB)
        << c.least << " to " << c.most << ", " << peak;
  }
}

// Two programs whose buffers have other sizes take turns. After a few rounds,
// each finds its memory again, although it is more than was in use at once.
TEST(Allocator, SizesThatComeAgainStay) {
  const auto allocator = MakeRef<Allocator>(nullptr, uint64_t{1} << 40);
  const uint64_t owner = allocator->NewOwner();
  const std::vector<uint64_t> kPrograms[] = {
      {20 * kMiB, 20 * kMiB, 5 * kMiB, 5 * kMiB, 2 * kMiB},
      {33 * kMiB, 33 * kMiB, 7 * kMiB, 7 * kMiB, 3 * kMiB}};
  std::set<const uint8_t*> seen;
  for (int round = 0; round < 20; ++round) {
    std::vector<Ref<hal::Buffer>> buffers;
    for (const uint64_t size : kPrograms[round % 2]) {
      buffers.push_back(*allocator->Allocate(Owned(owner), size));
      const bool is_new = seen.insert(buffers.back()->host_data()).second;
      if (round >= 8) {
        EXPECT_FALSE(is_new) << round;
      }
    }
  }
  EXPECT_EQ(allocator->statistics().idle, (52 + 83) * kMiB);
}

// An allocator with two kinds of memory, of which there is none. Buffers from
// 20 MiB on are in pool 0.
class TwoPools final : public PooledAllocator {
 public:
  TwoPools()
      : PooledAllocator(
            {.pools = 2, .max_idle = uint64_t{1} << 40, .object_bytes = 0}) {}
  ~TwoPools() override { Close(); }

  absl::StatusOr<Ref<hal::Buffer>> Allocate(const BufferParams& params,
                                            uint64_t size) override {
    return AllocateFrom(size >= 20 * kMiB ? 0 : 1, params, size);
  }
  absl::StatusOr<Ref<hal::Buffer>> ImportHost(const BufferParams&,
                                              std::span<uint8_t>,
                                              std::function<void()>) override {
    return absl::UnimplementedError("");
  }
  bool CanUse(const hal::Buffer&) const override { return false; }

 private:
  struct Block final : PooledBuffer {
    Block(size_t pool, size_t capacity)
        : PooledBuffer(nullptr, capacity, pool, /*dirty=*/0) {}
  };

  absl::StatusOr<PooledBuffer*> CreateBlock(size_t pool, size_t capacity,
                                            WorkBudget*) override {
    return new Block(pool, capacity);
  }
  uint64_t TotalMemory() const override { return 0; }
};

// The third buffer would make the memory exceed 40 + 12 MiB.
TEST(Allocator, TheLargestBlockOfAllPoolsGoesFirst) {
  const auto allocator = MakeRef<TwoPools>();
  allocator->Allocate(BufferParams(), 40 * kMiB).IgnoreError();
  allocator->Allocate(BufferParams(), 5 * kMiB).IgnoreError();
  EXPECT_EQ(allocator->statistics().idle, 45 * kMiB);
  const auto buffer = allocator->Allocate(BufferParams(), 10 * kMiB);
  EXPECT_TRUE(buffer.ok());
  EXPECT_EQ(allocator->statistics().idle, 5 * kMiB);
}

// Clearing another owner's bytes is paid, and stops; bytes that are not cleared
// have no owner.
TEST(Allocator, ClearingIsPaid) {
  const auto allocator = MakeRef<Allocator>(nullptr, 256 * kMiB);
  const auto dirty = [&](uint64_t owner) {
    const auto buffer = *allocator->Allocate(Owned(owner), 40 * kMiB);
    std::memset(buffer->host_data(), 7, 40 * kMiB);
  };
  dirty(1);
  WorkBudget work;
  work.Refill(16 * 1024);
  BufferParams params = Owned(2);
  params.work = &work;
  EXPECT_EQ(StatusText(allocator->Allocate(params, 40 * kMiB)),
            "RESOURCE_EXHAUSTED: The device's work for the call takes more "
            "than 16384 units of fuel, its limit. (clearing of memory of "
            "41943040 bytes, 16777216 of them done)");
  work.Refill(40 * 1024);
  const auto buffer = *allocator->Allocate(params, 40 * kMiB);
  EXPECT_EQ(buffer->params().work, nullptr);
  EXPECT_EQ(buffer->host_data()[20 * kMiB], 0);
}

TEST(Allocator, MayBeTrimmedWhileMemoryIsFreed) {
  const auto allocator =
      MakeRef<Allocator>(nullptr, 256 * kMiB, absl::Microseconds(10));
  for (int i = 0; i < 300; ++i) {
    {
      const auto buffer = *allocator->Allocate(BufferParams(), 16 * kMiB);
    }
    if (i % 2 == 0) absl::SleepFor(absl::Microseconds(30));
    allocator->Trim();
  }
  EXPECT_EQ(allocator->statistics().idle, 0u);
}

TEST(Allocator, BuffersOutliveTheDevice) {
  Ref<hal::Device> device = NewDevice();
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 64);
  const Ref<hal::Buffer> span = *hal::Buffer::Subspan(buffer, 8, 8);
  device.reset();
  SetWords(*span, {1, 2});
  EXPECT_EQ(Words(*span), "1 2");
}

TEST(Allocator, Imports) {
  const Ref<hal::Device> device = NewDevice();
  alignas(64) std::array<uint8_t, 128> bytes = {};
  int released = 0;
  const auto import = [&](std::span<uint8_t> span) {
    return device->allocator().ImportHost(BufferParams(), span,
                                          [&] { ++released; });
  };
  {
    const Ref<hal::Buffer> buffer = *import(bytes);
    EXPECT_EQ(buffer->host_data(), bytes.data());
    const Ref<hal::Buffer> span = *hal::Buffer::Subspan(buffer, 64, 4);
    SetWords(*span, {9});
    EXPECT_EQ(bytes[64], 9);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(StatusText(import(std::span<uint8_t>(bytes).subspan(32))),
            "UNAVAILABLE: Memory that is not aligned to 64 bytes cannot be "
            "imported.");
  EXPECT_EQ(released, 1);
  EXPECT_NE((*import({}))->host_data(), nullptr);
}

// A footprint covers the heap's own data, so that many small buffers do not
// exceed a limit. (The heaps of sanitizers report no sizes.)
TEST(Allocator, FootprintsCoverWhatBuffersTake) {
  const Ref<hal::Device> device = NewDevice();
  for (const uint64_t size : {0, 1, 64, 65, 1000, 5000, 100000}) {
    constexpr size_t kCount = 100;
    std::vector<Ref<hal::Buffer>> buffers;
    buffers.reserve(kCount);
    const size_t before = mallinfo2().uordblks;
    while (buffers.size() < kCount) buffers.push_back(NewBuffer(*device, size));
    const size_t taken = mallinfo2().uordblks - before;
    const uint64_t footprint = device->allocator().Footprint(size);
    EXPECT_GE(footprint * kCount, taken) << size;
    EXPECT_LE(footprint, size + size / 4 + 512) << size;
  }
  EXPECT_EQ(device->allocator().Footprint(~uint64_t{0}), ~uint64_t{0});
}

TEST(Allocator, Statistics) {
  const Ref<hal::Device> device = NewDevice();
  BufferParams host;
  host.type = memory_type::kHostLocal;
  {
    const Ref<hal::Buffer> a = *device->allocator().Allocate(host, 16);
    const Ref<hal::Buffer> b = NewBuffer(*device, 100);
    Ref<hal::Buffer> c = NewBuffer(*device, 4096);
    c.reset();
    c = NewBuffer(*device, 10);
    EXPECT_EQ(device->allocator().statistics().device_local.live(), 110u);
    EXPECT_FALSE(device->allocator().Allocate(host, uint64_t{1} << 60).ok());
  }
  EXPECT_EQ(device->allocator().statistics().ToString(),
            "  HOST_LOCAL:           16B peak /           16B allocated /      "
            "     16B freed /            0B live\n"
            "DEVICE_LOCAL:         4196B peak /         4206B allocated /      "
            "   4206B freed /            0B live\n"
            "        IDLE:          240B kept for new buffers\n");
}

TEST(Allocator, Threads) {
  const Ref<hal::Device> device = NewDevice();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&device, t] {
      for (uint32_t i = 0; i < 300; ++i) {
        const Ref<hal::Buffer> buffer = NewBuffer(*device, 64 + (i % 5) * 40);
        EXPECT_EQ(Words(*buffer).substr(0, 3), "0 0");
        SetWords(*buffer, {i, static_cast<uint32_t>(t)});
        EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)),
                  absl::StrCat(i, " ", t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(device->allocator().statistics().device_local.live(), 0u);
}

}  // namespace
}  // namespace eyrie::hal::cpu
