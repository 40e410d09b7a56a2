// Tests base/file_growth.h.
#include "base/file_growth.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie {
namespace {

TEST(FileGrowth, MostText) {
  const struct {
    uint64_t file;
    uint64_t want;
  } kRows[] = {
      {0, uint64_t{64} << 20},
      {1 << 20, uint64_t{64} << 20},
      {(1 << 20) + 1, (uint64_t{64} << 20) + 64},
      {UINT64_MAX / 64, UINT64_MAX / 64 * 64},
      {UINT64_MAX, UINT64_MAX},
  };
  for (const auto& row : kRows) EXPECT_EQ(MostTextOf(row.file), row.want);
}

TEST(FileGrowth, DecodingBudget) {
  const struct {
    uint64_t file;
    uint64_t entries;
    uint64_t bytes;
    const char* want;
  } kRows[] = {
      {0, 1024, 0, "OK"},
      {100, 1000, 2304, "OK"},
      {100, 1000, 2305,
       "RESOURCE_EXHAUSTED: The tables name the same bytes too often: they "
       "would decode to more than 98304 bytes, the limit for 100 bytes of a "
       "file."},
      {1 << 20, 0, 8 << 20, "OK"},
      {1 << 20, 87381, 32, "OK"},
      {1 << 20, 87382, 0,
       "RESOURCE_EXHAUSTED: The tables name the same bytes too often: they "
       "would decode to more than 8388608 bytes, the limit for 1048576 bytes "
       "of a file (8 times as many)."},
      {UINT64_MAX, UINT64_MAX / 96, 63, "OK"},
      {1, UINT64_MAX, 0,
       "RESOURCE_EXHAUSTED: The tables name the same bytes too often: they "
       "would decode to more than 98304 bytes, the limit for 1 bytes of a "
       "file."},
  };
  for (const auto& row : kRows) {
    DecodingBudget budget(row.file);
    absl::Status status = budget.TakeEntries(row.entries, "The tables");
    if (status.ok()) status = budget.TakeBytes(row.bytes, "The tables");
    EXPECT_EQ(StatusText(status), row.want) << "row " << &row - kRows;
  }
}

}  // namespace
}  // namespace eyrie
