// Memory of every device: owners see only their own bytes or zeros.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/devices/each_device.h"
#include "tests/support/device_helpers.h"

namespace eyrie::hal {
namespace {

using DeviceMemory = EachDevice;
INSTANTIATE_TEST_SUITE_P(Devices, DeviceMemory,
                         ::testing::ValuesIn(DeviceMakers()), NameOfDevice);

TEST_P(DeviceMemory, IsReusedButNeverSeen) {
  Allocator& allocator = device_->allocator();
  const uint64_t a = allocator.NewOwner();
  const uint64_t b = allocator.NewOwner();
  ASSERT_NE(a, b);
  struct Case {
    uint64_t owner;
    uint64_t size;  // all are in one size class
    std::string want;
  };
  // Each row reuses the block of the previous row, reads its words, then writes
  // 7 everywhere.
  const Case kCases[] = {
      {a, 2048, "0 0 0 0"}, {a, 2040, "7 7 7 7"}, {b, 2036, "0 0 0 0"},
      {b, 2048, "7 7 7 0"}, {0, 2048, "0 0 0 0"}, {0, 2048, "0 0 0 0"},
      {a, 2036, "0 0 0 0"}, {a, 2048, "7 7 7 0"}, {0, 2036, "0 0 0 0"},
      {a, 2048, "0 0 0 0"},
  };
  const Buffer* block = nullptr;
  const uint8_t* data = nullptr;
  for (const Case& c : kCases) {
    SCOPED_TRACE(absl::StrCat("row ", &c - kCases));
    BufferParams params;
    params.owner = c.owner;
    const Ref<Buffer> buffer = *allocator.Allocate(params, c.size);
    if (block != nullptr) {
      EXPECT_EQ(buffer.get(), block);
      EXPECT_EQ(buffer->host_data(), data);
    }
    block = buffer.get();
    data = buffer->host_data();
    std::vector<uint32_t> words(c.size / 4);
    EXPECT_TRUE(
        buffer->Read(0, {reinterpret_cast<uint8_t*>(words.data()), c.size})
            .ok());
    // The first word, a middle one, the last of the shortest size, the last of
    // all.
    EXPECT_EQ(absl::StrCat(words[0], " ", words[200], " ", words[508], " ",
                           words.size() > 511 ? words[511] : words[508]),
              c.want);
    SetWords(*buffer, std::vector<uint32_t>(words.size(), 7));
  }
}

}  // namespace
}  // namespace eyrie::hal
