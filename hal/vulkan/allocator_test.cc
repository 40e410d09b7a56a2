// Tests the Vulkan allocator: sizes, reuse, imports, statistics, blocks, and
// memory that the host accesses by copies.
#include "hal/vulkan/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

class AllocatorTest : public EachVulkanDevice {
 protected:
  hal::Allocator& allocator() { return device_->allocator(); }
  bool is_hidden() const { return GetParam().hide_device_memory; }
};
INSTANTIATE_TEST_SUITE_P(Devices, AllocatorTest, AllVulkanKinds(),
                         NameOfVulkanKind);

// Returns the byte at an offset, as the host reads it.
int ByteAt(hal::Buffer& buffer, uint64_t offset) {
  uint8_t byte = 0xEE;
  EXPECT_EQ(StatusText(buffer.Read(offset, {&byte, 1})), "OK");
  return byte;
}

TEST_P(AllocatorTest, Sizes) {
  for (uint64_t size :
       {uint64_t{0}, uint64_t{1}, uint64_t{63}, uint64_t{64}, uint64_t{65},
        uint64_t{129}, uint64_t{4095}, uint64_t{4096}, uint64_t{300000},
        4 * kMiB, 16 * kMiB, 16 * kMiB + 1, 65 * kMiB}) {
    for (int round = 0; round < 2; ++round) {
      SCOPED_TRACE(absl::StrCat(size, " bytes, round ", round));
      const Ref<hal::Buffer> buffer = NewBuffer(*device_, size);
      EXPECT_EQ(buffer->byte_length(), size);
      EXPECT_EQ(buffer->host_data() == nullptr, is_hidden());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->host_data()) % 64, 0u);
      EXPECT_TRUE(allocator().CanUse(*buffer));
      if (size == 0) continue;
      EXPECT_EQ(ByteAt(*buffer, 0) | ByteAt(*buffer, size - 1), 0);
      EXPECT_TRUE(buffer->Write(0, BytesOf(uint8_t{0xFF})).ok());
      EXPECT_TRUE(buffer->Write(size - 1, BytesOf(uint8_t{0xFE})).ok());
      EXPECT_EQ(ByteAt(*buffer, size - 1), 0xFE);
    }
  }
}

TEST_P(AllocatorTest, TooMuch) {
  for (uint64_t size : {uint64_t{1} << 45, uint64_t{1} << 60, ~uint64_t{0}}) {
    const std::string text =
        StatusText(allocator().Allocate(BufferParams(), size));
    EXPECT_EQ(text.substr(0, text.find(';')),
              absl::StrCat("RESOURCE_EXHAUSTED: A buffer of ", size,
                           " bytes cannot be allocated"));
    EXPECT_NE(text.find("the device allocates at most "), std::string::npos)
        << text;
    EXPECT_EQ(text.substr(text.size() - 15), " bytes at once.");
  }
}

// Each request gets the expected memory type and usage.
TEST_P(AllocatorTest, Resolves) {
  struct Case {
    MemoryType type;
    const char* want;    // host-visible device memory
    const char* hidden;  // with device memory hidden
  };
  const Case kCases[] = {
      {memory_type::kDeviceLocal, "seen, device", "unseen, device"},
      {0, "seen, device", "unseen, device"},
      {memory_type::kDeviceLocal | memory_type::kHostVisible, "seen, device",
       "seen, host"},
      {memory_type::kHostVisible, "seen, device", "seen, host"},
      {memory_type::kHostLocal, "seen, device", "seen, host"},
  };
  for (const Case& c : kCases) {
    BufferParams params;
    params.type = c.type;
    const Ref<hal::Buffer> buffer = *allocator().Allocate(params, 64);
    const MemoryType type = buffer->memory_type();
    const bool seen = (type & memory_type::kHostVisible) != 0;
    const bool device = (type & memory_type::kDeviceLocal) ==
                        static_cast<MemoryType>(memory_type::kDeviceLocal);
    EXPECT_EQ(absl::StrCat(seen ? "seen" : "unseen", ", ",
                           device ? "device" : "host"),
              is_hidden() ? c.hidden : c.want)
        << c.type;
    EXPECT_EQ(seen, buffer->host_data() != nullptr);
    EXPECT_EQ(StatusText(buffer->CheckMemoryType(memory_type::kDeviceVisible)),
              "OK");
    EXPECT_EQ(StatusText(buffer->CheckUsage(buffer_usage::kTransfer |
                                            buffer_usage::kMapping)),
              "OK");
  }
}

// If the size is not a multiple of a word, the last bytes are zero, too.
TEST_P(AllocatorTest, OddSizesAreClear) {
  for (uint64_t size : {1, 2, 3, 5, 61, 1021, 4097}) {
    for (int round = 0; round < 2; ++round) {
      const Ref<hal::Buffer> buffer = NewBuffer(*device_, size);
      std::vector<uint8_t> bytes(size, 0xEE);
      EXPECT_TRUE(buffer->Read(0, std::span<uint8_t>(bytes)).ok());
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), int64_t(size));
      std::fill(bytes.begin(), bytes.end(), uint8_t{0xFF});
      EXPECT_TRUE(buffer->Write(0, std::span<const uint8_t>(bytes)).ok());
    }
  }
}

TEST_P(AllocatorTest, BuffersOutliveTheDevice) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 64);
  const Ref<hal::Buffer> span = *hal::Buffer::Subspan(buffer, 8, 8);
  device_.reset();
  SetWords(*span, {1, 2});
  EXPECT_EQ(Words(*span), "1 2");
}

// Host pages that are freed at the end.
class Pages {
 public:
  explicit Pages(size_t size)
      : bytes_(static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
               size) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(bytes_.data(), bytes_.size()); }
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  std::span<uint8_t> bytes_;
};

TEST_P(AllocatorTest, Imports) {
  constexpr uint64_t kSize = 256 << 10;
  const Pages pages(kSize);
  int released = 0;
  const auto import = [&](uint64_t offset, uint64_t length) {
    return allocator().ImportHost(BufferParams(),
                                  pages.bytes().subspan(offset, length),
                                  [&] { ++released; });
  };
  if (is_hidden()) {
    EXPECT_EQ(
        StatusText(import(0, kSize)),
        "UNAVAILABLE: The device cannot import 262144 bytes of host memory.");
    return;
  }
  // Small or misaligned memory is not imported.
  EXPECT_EQ(StatusText(import(0, 4096)),
            "UNAVAILABLE: The device cannot import 4096 bytes of host memory.");
  const std::string odd = StatusText(import(4, kSize - 4));
  EXPECT_EQ(odd.substr(0, odd.find(" to ")),
            "UNAVAILABLE: Memory that is not aligned");
  EXPECT_EQ(released, 0);
  // Whole pages, and a range in them with an odd end.
  for (const uint64_t offset : {0, 128}) {
    SCOPED_TRACE(offset);
    released = 0;
    auto imported = import(offset, kSize - offset - 13);
    if (absl::IsUnavailable(imported.status())) {
      GTEST_SKIP() << StatusText(imported);
    }
    ASSERT_EQ(StatusText(imported), "OK");
    Ref<hal::Buffer> buffer = *std::move(imported);
    EXPECT_EQ(buffer->host_data(), pages.bytes().data() + offset);
    EXPECT_EQ(buffer->byte_length(), kSize - offset - 13);
    // Device and host see each other's writes.
    const auto fill = [&](const QueueFences& fences) {
      return device_->QueueFill(fences, {buffer, 0, 65, 6},
                                BytesOf(uint8_t{9}));
    };
    EXPECT_EQ(StatusText(Finish(*device_, fill)), "OK");
    EXPECT_EQ(pages.bytes()[offset + 64], 0);
    EXPECT_EQ(pages.bytes()[offset + 65], 9);
    EXPECT_EQ(pages.bytes()[offset + 70], 9);
    EXPECT_EQ(pages.bytes()[offset + 71], 0);
    pages.bytes()[offset + 71] = 8;
    const Ref<hal::Buffer> copy = NewBuffer(*device_, 4);
    const auto read = [&](const QueueFences& fences) {
      return device_->QueueCopy(fences, {buffer, 0, 69, 4}, Whole(copy));
    };
    EXPECT_EQ(StatusText(Finish(*device_, read)), "OK");
    EXPECT_EQ(Words(*copy), absl::StrCat(0x00080909));
    EXPECT_EQ(released, 0);
    std::fill(pages.bytes().begin(), pages.bytes().end(), uint8_t{0});
    buffer.reset();
    EXPECT_EQ(released, 1);
  }
}

TEST_P(AllocatorTest, Statistics) {
  BufferParams host;
  host.type = memory_type::kHostLocal;
  {
    const Ref<hal::Buffer> a = *allocator().Allocate(host, 16);
    const Ref<hal::Buffer> b = NewBuffer(*device_, 100);
    Ref<hal::Buffer> c = NewBuffer(*device_, 4096);
    c.reset();
    c = NewBuffer(*device_, 10);
    const AllocatorStatistics now = allocator().statistics();
    EXPECT_EQ(now.device_local.live() + now.host_local.live(), 126u);
    EXPECT_EQ(now.host_local.live(), 16u);
    EXPECT_FALSE(allocator().Allocate(host, uint64_t{1} << 60).ok());
  }
  const AllocatorStatistics now = allocator().statistics();
  EXPECT_EQ(now.device_local.live() + now.host_local.live(), 0u);
  EXPECT_EQ(now.device_local.freed + now.host_local.freed, 4222u);
  // The usage is at least the counted size, because of alignment.
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{64},
                              uint64_t{1000}, uint64_t{100000}, 20 * kMiB}) {
    EXPECT_GE(allocator().Footprint(size), std::max(size, uint64_t{64}));
    EXPECT_LE(allocator().Footprint(size), size + size / 4 + 1024);
  }
  EXPECT_EQ(allocator().Footprint(~uint64_t{0}), ~uint64_t{0});
}

// Small buffers share blocks. A block is freed with the last buffer in it that
// is in use or idle.
TEST_P(AllocatorTest, BlocksAreGivenBack) {
  auto& own = static_cast<Allocator&>(allocator());
  const uint64_t before = own.SharedBytes();
  std::vector<Ref<hal::Buffer>> buffers;
  while (buffers.size() < 20) buffers.push_back(NewBuffer(*device_, 14 * kMiB));
  EXPECT_GE(own.SharedBytes(), before + 280 * kMiB);
  buffers.clear();
  EXPECT_GE(own.statistics().idle, 280 * kMiB);
  own.Trim();
  EXPECT_EQ(own.statistics().idle, 0u);
  EXPECT_LE(own.SharedBytes(), before + 64 * kMiB);
  // There is still room.
  EXPECT_EQ(ByteAt(*NewBuffer(*device_, 14 * kMiB), 14 * kMiB - 1), 0);
}

// A device with only small free pieces can still serve buffers that fit them.
TEST_F(VulkanTest, SmallerBlocksWhereLargeOnesCannotBeHad) {
  if (device_ == nullptr) return;
  VulkanOptions options;
  options.refuse_blocks_above = 100'000;
  const Ref<hal::Device> device = *OpenFirst(options);
  auto& own = static_cast<Allocator&>(device->allocator());
  EXPECT_EQ(ByteAt(*NewBuffer(*device, 16), 15), 0);
  EXPECT_LE(own.SharedBytes(), 100'000u);
  std::vector<Ref<hal::Buffer>> kept;
  while (kept.size() < 40) kept.push_back(NewBuffer(*device, 70'000));
  EXPECT_GE(own.SharedBytes(), 40u * 70'000);
  for (const uint64_t size : {100'001, 16'000'001, 17'000'001}) {
    const std::string text = StatusText(own.Allocate(BufferParams(), size));
    EXPECT_EQ(text.substr(0, text.find(" has ")),
              absl::StrCat("RESOURCE_EXHAUSTED: A buffer of ", size,
                           " bytes cannot be allocated; the device's memory"));
    EXPECT_NE(text.find(", of which "), std::string::npos) << text;
    EXPECT_EQ(StatusText(own.AllocateStaging(size)), text);
  }
}

// Staging memory is host memory, is not cleared, and is not in statistics.
TEST_P(AllocatorTest, Staging) {
  auto& own = static_cast<Allocator&>(allocator());
  EXPECT_EQ(own.sees_device_memory(), !is_hidden());
  const Ref<hal::Buffer> staging = *own.AllocateStaging(100);
  ASSERT_NE(staging->host_data(), nullptr);
  EXPECT_EQ(allocator().statistics().host_local.live(), 0u);
  EXPECT_EQ(allocator().statistics().device_local.live(), 0u);
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 12);
  std::memset(staging->host_data(), 5, 100);
  // Unaligned offsets and lengths.
  EXPECT_EQ(StatusText(own.CopyNow(*staging, 3, *buffer, 1, 6)), "OK");
  EXPECT_EQ(Words(*buffer), "84215040 328965 0");
  EXPECT_EQ(StatusText(own.CopyNow(*buffer, 0, *staging, 99, 0)), "OK");
  EXPECT_EQ(StatusText(own.CopyNow(*buffer, 8, *staging, 98, 2)), "OK");
  EXPECT_EQ(staging->host_data()[97], 5);
  EXPECT_EQ(staging->host_data()[98], 0);
  // Former staging memory is cleared for a new buffer.
  EXPECT_EQ(Words(*NewBuffer(*device_, 96)).substr(0, 3), "0 0");
}

TEST_P(AllocatorTest, Threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this, t] {
      for (uint32_t i = 0; i < 60; ++i) {
        const Ref<hal::Buffer> buffer = NewBuffer(*device_, 64 + (i % 5) * 40);
        EXPECT_EQ(Words(*buffer).substr(0, 3), "0 0");
        SetWords(*buffer, {i, static_cast<uint32_t>(t)});
        EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)),
                  absl::StrCat(i, " ", t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator().statistics().device_local.live(), 0u);
}

}  // namespace
}  // namespace eyrie::hal::vulkan
