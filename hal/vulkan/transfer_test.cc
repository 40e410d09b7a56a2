// Tests fills, updates and copies on Vulkan devices for all byte alignments;
// Vulkan's own commands support only words.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

using Bytes = std::vector<uint8_t>;

class TransferTest : public EachVulkanDevice {
 protected:
  Bytes Read(hal::Buffer& buffer) {
    Bytes bytes(buffer.byte_length());
    EXPECT_TRUE(buffer.Read(0, std::span<uint8_t>(bytes)).ok());
    return bytes;
  }
  void Write(hal::Buffer& buffer, const Bytes& bytes) {
    EXPECT_TRUE(buffer.Write(0, std::span<const uint8_t>(bytes)).ok());
  }
  void Run(const Ref<CommandBuffer>& commands) {
    EXPECT_TRUE(commands->Finalize().ok());
    EXPECT_EQ(StatusText(Execute(*device_, commands, {})), "OK");
  }
  Ref<CommandBuffer> NewCommands() {
    return *device_->CreateCommandBuffer(command_buffer_mode::kOneShot,
                                         kAnyQueue, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, TransferTest, AllVulkanKinds(),
                         NameOfVulkanKind);

// Returns the bytes 1, 2, 3, ...
Bytes Count(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i + 1);
  return bytes;
}

constexpr uint64_t kPattern = 0x8877665544332211;

// Fills bytes on the host.
void FillBytes(Bytes& bytes, size_t offset, size_t length, size_t pattern) {
  for (size_t i = 0; i < length; ++i) {
    bytes[offset + i] = static_cast<uint8_t>(kPattern >> (i % pattern * 8));
  }
}

// All offsets and lengths, each in its own cell, in one submission per pattern.
TEST_P(TransferTest, FillsOfAllOffsetsAndLengths) {
  constexpr size_t kMax = 21;
  constexpr size_t kCell = 64;
  for (const size_t pattern : {1, 2, 4, 8}) {
    SCOPED_TRACE(absl::StrCat("a pattern of ", pattern));
    const Ref<hal::Buffer> buffer = NewBuffer(*device_, kMax * kMax * kCell);
    Bytes want = Count(buffer->byte_length());
    Write(*buffer, want);
    const Ref<CommandBuffer> commands = NewCommands();
    for (size_t offset = 0; offset < kMax; ++offset) {
      for (size_t length = 0; length < kMax; length += pattern) {
        const size_t at = (offset * kMax + length) * kCell + offset;
        FillBytes(want, at, length, pattern);
        // In a span, so that the fill itself is aligned.
        const Ref<hal::Buffer> span = *hal::Buffer::Subspan(buffer, at, length);
        ASSERT_EQ(StatusText(commands->Fill(Whole(span),
                                            BytesOf(kPattern).first(pattern))),
                  "OK");
      }
    }
    Run(commands);
    EXPECT_EQ(Read(*buffer), want);
  }
}

// Fills of adjacent bytes in one word.
TEST_P(TransferTest, FillsOfNeighbours) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 64);
  const Ref<CommandBuffer> commands = NewCommands();
  for (uint8_t i = 0; i < 64; ++i) {
    EXPECT_TRUE(commands->Fill({buffer, 0, i, 1}, BytesOf(i)).ok());
  }
  Run(commands);
  Bytes want(64);
  for (uint8_t i = 0; i < 64; ++i) want[i] = i;
  EXPECT_EQ(Read(*buffer), want);
}

TEST_P(TransferTest, LongFills) {
  struct Case {
    size_t size, offset, length, pattern;
  };
  const Case kCases[] = {
      {70000, 3, 69990, 1},
      {70000, 2, 69996, 2},
      // More than one dispatch of the fill shader.
      {size_t{34} << 20, 5, (size_t{17} << 20) + 24, 8},
      {size_t{34} << 20, 64, (size_t{33} << 20), 8},
  };
  for (const Case& c : kCases) {
    const Ref<hal::Buffer> buffer = NewBuffer(*device_, c.size);
    const Ref<hal::Buffer> span =
        *hal::Buffer::Subspan(buffer, c.offset, c.length);
    const auto fill = [&](const QueueFences& fences) {
      return device_->QueueFill(fences, Whole(span),
                                BytesOf(kPattern).first(c.pattern));
    };
    EXPECT_EQ(StatusText(Finish(*device_, fill)), "OK");
    Bytes want(c.size);
    FillBytes(want, c.offset, c.length, c.pattern);
    EXPECT_TRUE(Read(*buffer) == want) << &c - kCases;
  }
}

TEST_P(TransferTest, Updates) {
  constexpr size_t kSize = 200008;
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, kSize);
  for (const size_t length : {0, 1, 2, 3, 4, 5, 7, 8, 100, 65532, 65535, 65536,
                              65537, 65540, 200000}) {
    for (const size_t offset : {0, 1, 2, 3, 4, 6, 8}) {
      SCOPED_TRACE(absl::StrCat(length, " bytes at ", offset));
      Bytes want(kSize, 0xEE);
      Write(*buffer, want);
      const Bytes bytes = Count(length);
      std::copy(bytes.begin(), bytes.end(),
                want.begin() + static_cast<ptrdiff_t>(offset));
      const auto update = [&](const QueueFences& fences) {
        return device_->QueueUpdate(fences, bytes, {buffer, 0, offset, length});
      };
      EXPECT_EQ(StatusText(Finish(*device_, update)), "OK");
      EXPECT_TRUE(Read(*buffer) == want);
    }
  }
}

// Between buffers and within one, at any byte offset.
TEST_P(TransferTest, Copies) {
  const Ref<hal::Buffer> source = NewBuffer(*device_, 64);
  const Ref<hal::Buffer> target = NewBuffer(*device_, 64);
  const Bytes bytes = Count(64);
  Write(*source, bytes);
  for (size_t from = 0; from < 5; ++from) {
    for (size_t to = 0; to < 5; ++to) {
      for (const size_t length : {0, 1, 3, 4, 9, 20}) {
        SCOPED_TRACE(absl::StrCat(length, " bytes from ", from, " to ", to));
        Bytes want(64);
        Write(*target, want);
        const Ref<CommandBuffer> commands = NewCommands();
        EXPECT_TRUE(
            commands->Copy({source, 0, from, length}, {target, 0, to, length})
                .ok());
        EXPECT_TRUE(commands->ExecutionBarrier(1, 1).ok());
        EXPECT_TRUE(
            commands
                ->Copy({target, 0, to, length}, {target, 0, to + 32, length})
                .ok());
        Run(commands);
        for (size_t i = 0; i < length; ++i) {
          want[to + i] = want[to + 32 + i] = bytes[from + i];
        }
        EXPECT_EQ(Read(*target), want);
      }
    }
  }
}

// Slots that overlap in either direction, or not at all.
TEST_P(TransferTest, CopiesOfSlots) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 16);
  const Ref<CommandBuffer> commands =
      *device_->CreateCommandBuffer(0, kAnyQueue, 2);
  EXPECT_TRUE(
      commands
          ->Copy({nullptr, 0, 0, kWholeBuffer}, {nullptr, 1, 0, kWholeBuffer})
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  struct Case {
    uint64_t from, to, length;
    const char* want;
  };
  const Case kCases[] = {
      {0, 4, 12, "1 1 2 3"}, {4, 0, 12, "2 3 4 4"}, {0, 8, 8, "1 2 1 2"},
      {8, 0, 8, "3 4 3 4"},  {4, 4, 8, "1 2 3 4"},  {0, 16, 0, "1 2 3 4"},
      {1, 0, 3, "0 2 3 4"},
  };
  for (const Case& c : kCases) {
    SetWords(*buffer, {1, 2, 3, 4});
    const BufferBinding table[] = {{buffer.get(), c.from, c.length},
                                   {buffer.get(), c.to, c.length}};
    EXPECT_EQ(StatusText(Execute(*device_, commands, table)), "OK");
    EXPECT_EQ(Words(*buffer), c.want);
  }
  const BufferBinding unequal[] = {{buffer.get(), 0, 8}, {buffer.get(), 4, 12}};
  EXPECT_EQ(StatusText(Execute(*device_, commands, unequal)),
            "INVALID_ARGUMENT: A copy's source has 8 bytes and its target 12.");
}

}  // namespace
}  // namespace eyrie::hal::vulkan
