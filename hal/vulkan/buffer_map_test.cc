// Tests host access to device memory that the host cannot see: maps are copies,
// and Unmap writes them back.
#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

using memory_access::kDiscardWrite;
using memory_access::kRead;
using memory_access::kWrite;

class BufferMap : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanOptions options;
    options.hide_device_memory = true;
    Open(options);
    if (device_ == nullptr) return;
    buffer_ = NewBuffer(*device_, 8);
    ASSERT_EQ(buffer_->host_data(), nullptr);
    Set("abcdefgh");
  }

  // Returns the device's contents by way of a host-visible buffer.
  std::string Device() {
    BufferParams params;
    params.type = memory_type::kHostLocal;
    const Ref<hal::Buffer> seen = *device_->allocator().Allocate(params, 8);
    const auto copy = [&](const QueueFences& fences) {
      return device_->QueueCopy(fences, Whole(buffer_), Whole(seen));
    };
    EXPECT_EQ(StatusText(Finish(*device_, copy)), "OK");
    return std::string(reinterpret_cast<char*>(seen->host_data()), 8);
  }
  void Set(absl::string_view text) {
    const auto update = [&](const QueueFences& fences) {
      return device_->QueueUpdate(
          fences, {reinterpret_cast<const uint8_t*>(text.data()), text.size()},
          Whole(buffer_));
    };
    EXPECT_EQ(StatusText(Finish(*device_, update)), "OK");
  }

  Ref<hal::Buffer> buffer_;
};

std::string Text(std::span<uint8_t> bytes) {
  return std::string(bytes.begin(), bytes.end());
}
void Put(std::span<uint8_t> bytes, absl::string_view text) {
  std::copy(text.begin(), text.end(), bytes.begin());
}

// A step: "map", "unmap", "put" (into the map of this number) or "set" (on the
// device), and the expected bytes of the map or the device.
TEST_F(BufferMap, Steps) {
  struct Step {
    const char* what;
    uint64_t offset, length;
    MemoryAccess access;
    const char* text;
    const char* want;
  };
  struct Case {
    const char* name;
    std::vector<Step> steps;
  };
  const Case kCases[] = {
      {"read",
       {{"map", 2, 3, kRead, "", "cde"}, {"unmap", 2, 3, 0, "", "abcdefgh"}}},
      {"write",
       {{"map", 2, 3, kWrite, "", "cde"},
        {"put", 0, 0, 0, "XY", "abcdefgh"},
        {"unmap", 2, 3, 0, "", "abXYefgh"}}},
      {"whole",
       {{"map", 0, kWholeBuffer, kWrite, "", "abcdefgh"},
        {"put", 0, 0, 0, "X", "abcdefgh"},
        {"unmap", 0, kWholeBuffer, 0, "", "Xbcdefgh"}}},
      {"a map for reading is not written back",
       {{"map", 0, 8, kRead, "", "abcdefgh"},
        {"set", 0, 0, 0, "ABCDEFGH", "ABCDEFGH"},
        {"unmap", 0, 8, 0, "", "ABCDEFGH"}}},
      {"a map that begins later sees what came between",
       {{"map", 0, 4, kRead, "", "abcd"},
        {"set", 0, 0, 0, "ABCDEFGH", "ABCDEFGH"},
        {"map", 0, 4, kRead, "", "ABCD"},
        {"unmap", 0, 4, 0, "", "ABCDEFGH"},
        {"unmap", 0, 4, 0, "", "ABCDEFGH"}}},
      {"a second map sees what the first has written",
       {{"map", 0, 4, kWrite, "", "abcd"},
        {"put", 0, 0, 0, "XY", "abcdefgh"},
        {"map", 0, 4, kRead, "", "XYcd"},
        {"unmap", 0, 4, 0, "", "XYcdefgh"},
        {"put", 0, 0, 0, "Z", "XYcdefgh"},
        {"unmap", 0, 4, 0, "", "ZYcdefgh"}}},
      {"two ranges",
       {{"map", 0, 2, kWrite, "", "ab"},
        {"map", 4, 2, kWrite, "", "ef"},
        {"put", 0, 0, 0, "X", "abcdefgh"},
        {"put", 1, 0, 0, "Y", "abcdefgh"},
        {"unmap", 4, 2, 0, "", "abcdYfgh"},
        {"unmap", 0, 2, 0, "", "XbcdYfgh"}}},
      {"both at once",
       {{"map", 0, 2, kWrite, "", "ab"},
        {"map", 4, 2, kWrite, "", "ef"},
        {"put", 0, 0, 0, "X", "abcdefgh"},
        {"put", 1, 0, 0, "Y", "abcdefgh"},
        {"unmap", 0, 8, 0, "", "XbcdYfgh"}}},
      {"in parts",
       {{"map", 0, 8, kWrite, "", "abcdefgh"},
        {"put", 0, 0, 0, "STUVWXYZ", "abcdefgh"},
        {"unmap", 1, 2, 0, "", "aTUdefgh"},
        {"unmap", 5, 3, 0, "", "aTUdeXYZ"},
        {"unmap", 0, 8, 0, "", "STUVWXYZ"}}},
      {"old contents need not be read, and no other data is visible",
       {{"map", 1, 4, kDiscardWrite, "", "zeros"},
        {"put", 0, 0, 0, "WXYZ", "abcdefgh"},
        {"unmap", 1, 4, 0, "", "aWXYZfgh"}}},
      {"nothing",
       {{"map", 8, 0, kWrite, "", ""}, {"unmap", 8, 0, 0, "", "abcdefgh"}}},
      {"not mapped", {{"unmap", 0, 8, 0, "", "abcdefgh"}}},
  };
  for (const Case& c : kCases) {
    Set("abcdefgh");
    std::vector<std::span<uint8_t>> maps;
    for (const Step& step : c.steps) {
      SCOPED_TRACE(absl::StrCat(c.name, ", step ", &step - c.steps.data()));
      const absl::string_view what = step.what;
      std::string got;
      if (what == "map") {
        const auto map = buffer_->Map(step.access, step.offset, step.length);
        ASSERT_EQ(StatusText(map), "OK");
        maps.push_back(*map);
        got = Text(*map);
        if (got == std::string(4, '\0')) got = "zeros";
      } else {
        if (what == "put") Put(maps[step.offset], step.text);
        if (what == "set") Set(step.text);
        if (what == "unmap") {
          EXPECT_EQ(StatusText(buffer_->Unmap(step.offset, step.length)), "OK");
        }
        got = Device();
      }
      EXPECT_EQ(got, step.want);
    }
  }
}

TEST_F(BufferMap, RangesAndAccess) {
  EXPECT_EQ(StatusText(buffer_->Map(kRead, 4, 5)),
            "OUT_OF_RANGE: The range of 5 bytes at offset 4 passes the end of "
            "the buffer (8 bytes).");
  EXPECT_EQ(StatusText(buffer_->Unmap(9, 0)),
            "OUT_OF_RANGE: Offset 9 is past the end of the buffer (8 bytes).");
  // Spans map the allocation's bytes.
  const Ref<hal::Buffer> span = *hal::Buffer::Subspan(buffer_, 4, 4);
  const auto map = span->Map(kWrite, 1, 2);
  ASSERT_EQ(StatusText(map), "OK");
  EXPECT_EQ(Text(*map), "fg");
  Put(*map, "FG");
  EXPECT_EQ(StatusText(span->Unmap(1, 2)), "OK");
  EXPECT_EQ(Device(), "abcdeFGh");
}

// An unfinished map ends with the buffer, and the next buffer does not see it.
TEST_F(BufferMap, EndsWithTheBuffer) {
  Ref<hal::Buffer> buffer = NewBuffer(*device_, 2048);
  const auto map = buffer->Map(kWrite, 0, 2048);
  ASSERT_EQ(StatusText(map), "OK");
  std::fill(map->begin(), map->end(), uint8_t{7});
  const void* const before = buffer.get();
  buffer.reset();
  buffer = NewBuffer(*device_, 2048);
  EXPECT_EQ(buffer.get(), before);
  EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)), "0 0");
  EXPECT_EQ(StatusText(buffer->Unmap(0, kWholeBuffer)), "OK");
  EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)), "0 0");
}

// Threads read one range, each through its own map.
TEST_F(BufferMap, ThreadsReadTheSame) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        uint8_t bytes[8] = {};
        EXPECT_TRUE(buffer_->Read(0, bytes).ok());
        EXPECT_EQ(Text(bytes), "abcdefgh");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// While the device copies for a map, it may find that other work is complete
// and run callbacks, which may map the same buffer.
TEST_F(BufferMap, CallbacksMapToo) {
  for (int round = 0; round < 20; ++round) {
    const Ref<Semaphore> done = *device_->CreateSemaphore(0);
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    EXPECT_TRUE(device_
                    ->QueueFill({nullptr, signal.get()}, Whole(buffer_),
                                BytesOf(uint8_t{'x'}))
                    .ok());
    std::string seen;
    std::promise<void> called;
    done->OnReached(1, [&](const absl::Status&) {
      uint8_t bytes[8] = {};
      EXPECT_TRUE(buffer_->Read(0, bytes).ok());
      seen = Text(bytes);
      called.set_value();
    });
    uint8_t bytes[8] = {};
    EXPECT_TRUE(buffer_->Read(0, bytes).ok());
    EXPECT_EQ(StateAt(*done, 1), "1");
    // The callback may run on the queue's thread.
    ASSERT_EQ(called.get_future().wait_for(std::chrono::minutes(1)),
              std::future_status::ready);
    EXPECT_EQ(seen, "xxxxxxxx");
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
