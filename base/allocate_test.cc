// Tests that failed allocations are errors and leave the container unchanged.
#include "base/allocate.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sanitized.h"
#include "base/short_row.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// More than any system can allocate, but a size that does not overflow.
constexpr size_t kTooMuch = size_t{1} << 60;

TEST(AllocateTest, GrowsAndKeepsTheElements) {
  std::vector<std::unique_ptr<int>> vector;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(PushBack(vector, std::make_unique<int>(i), "numbers").ok());
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(*vector[i], i);
  ASSERT_TRUE(Resize(vector, 2000, "numbers").ok());
  EXPECT_EQ(vector.size(), 2000);
  EXPECT_EQ(*vector[999], 999);
  EXPECT_EQ(vector[1999], nullptr);
  vector.push_back(nullptr);  // it is still an ordinary std::vector
  vector.shrink_to_fit();
  EXPECT_EQ(vector.size(), 2001);
}

TEST(AllocateTest, ReservesExactlyButGrowsByDoubling) {
  std::vector<uint64_t> vector;
  ASSERT_TRUE(Reserve(vector, 100, "words").ok());
  EXPECT_EQ(vector.capacity(), 100);
  ASSERT_TRUE(Reserve(vector, 50, "words").ok());
  EXPECT_EQ(vector.capacity(), 100);
  vector.resize(100);
  ASSERT_TRUE(ReserveMore(vector, 1, "words").ok());
  EXPECT_EQ(vector.capacity(), 200);
}

TEST(AllocateTest, ShortRows) {
  for (const size_t count : {0, 1, 4, 5, 1000}) {
    auto counted = std::make_shared<int>(0);
    ShortRow<std::shared_ptr<int>, 4> row;
    ASSERT_TRUE(row.Resize(count, "numbers").ok());
    EXPECT_EQ(row.size(), count);
    for (std::shared_ptr<int>& element : row) {
      EXPECT_EQ(element, nullptr);
      element = counted;
    }
    EXPECT_EQ(counted.use_count(), count + 1);
  }
  ShortRow<uint64_t, 4> row;
  const absl::Status status = row.Resize(kTooMuch, "numbers");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(row.size(), 0);
}

struct alignas(128) Wide {
  int value = 7;
};

TEST(AllocateTest, AlignsWideElements) {
  std::vector<Wide> vector;
  ASSERT_TRUE(Resize(vector, 3, "wide ones").ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(vector.data()) % 128, 0);
  EXPECT_EQ(vector[2].value, 7);
}

TEST(AllocateTest, RefusesWithASentenceAndKeepsTheContainer) {
  std::vector<uint64_t> vector = {1, 2, 3};
  const absl::Status refused = Resize(vector, kTooMuch / 8, "the test's words");
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "Cannot allocate 1152921504606846976 bytes for the test's words.");
  EXPECT_THAT(vector, ElementsAre(1, 2, 3));
  EXPECT_THAT(Reserve(vector, SIZE_MAX, "words").message(),
              HasSubstr("18446744073709551615 times 8 bytes for words"));
  EXPECT_FALSE(ReserveMore(vector, SIZE_MAX, "words").ok());
  EXPECT_THAT(vector, ElementsAre(1, 2, 3));
  EXPECT_EQ(NewArray<uint64_t>(kTooMuch), nullptr);
}

TEST(AllocateTest, TextsToo) {
  if (kIsSanitized) {
    GTEST_SKIP() << "The sanitizers' operator new ends the process.";
  }
  std::string text = "abc";
  for (const size_t size : {kTooMuch, size_t{SIZE_MAX}}) {
    const absl::Status refused = Resize(text, size, "a text");
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(refused.message(), HasSubstr(" bytes for a text."));
    EXPECT_EQ(text, "abc");
  }
  ASSERT_TRUE(Assign(text, std::string(100000, 'x'), "a text").ok());
  EXPECT_EQ(text, std::string(100000, 'x'));
  ASSERT_TRUE(Resize(text, 3, "a text").ok());
  EXPECT_EQ(text, "xxx");
}

}  // namespace
}  // namespace eyrie
