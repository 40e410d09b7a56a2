// Fails each allocation of an attempt in turn.
#include <cstdint>
#include <cstdio>

#include "base/allocate.h"
#include "gtest/gtest.h"
#include "tests/support/failing_allocations.h"

namespace eyrie::tests {
namespace {

// Returns the number of allocations that can fail.
uint64_t FailEachOf(const MemoryRow& row, bool onwards) {
  const absl::Status before = row.attempt();
  EXPECT_TRUE(before.ok()) << row.name << ": " << before;
  for (uint64_t n = 1; before.ok(); ++n) {
    uint64_t failed = 0;
    const absl::Status result = [&] {
      const FailingAllocations failing(kSmallBytes, n, onwards);
      absl::Status attempted = row.attempt();
      failed = failing.failed();
      return attempted;
    }();
    if (failed == 0) {
      EXPECT_TRUE(result.ok()) << row.name << ": " << result;
      return n - 1;
    }
    EXPECT_TRUE(result.ok() || absl::IsResourceExhausted(result))
        << row.name << ", allocation " << n << ": " << result;
    const absl::Status after = row.attempt();
    EXPECT_TRUE(after.ok()) << row.name << ", after " << n << ": " << after;
  }
  return 0;
}

}  // namespace

void FailEach(const std::vector<MemoryRow>& rows) {
  for (const MemoryRow& row : rows) {
    for (const bool onwards : {false, true}) {
      std::printf("%s, %s: ", row.name.c_str(),
                  onwards ? "one and all after it" : "one");
      std::fflush(stdout);
      const uint64_t count = FailEachOf(row, onwards);
      std::printf("%llu allocations\n", static_cast<unsigned long long>(count));
      EXPECT_GE(count, row.least) << row.name;
    }
  }
}

}  // namespace eyrie::tests
