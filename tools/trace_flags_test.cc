// Checks the table of --profile.
#include "tools/trace_flags.h"

#include <gtest/gtest.h>

#include <string>

namespace eyrie::tools {
namespace {

TEST(TraceFlagsTest, ProfileText) {
  const trace::DispatchTotals kRows[] = {
      {"matmul", 4, 64, 1.5e6},
      {"add\x1b[31m\n", 12, 12, 4800},
      {"rest of a shared one", 0, 3, 12.5},
      {"long", 1, 1, 0.25},
  };
  EXPECT_EQ(ProfileText(kRows, 3e6),
            "Dispatches: 17 of 4 kernels, 1.505 ms on all threads; 3 ms "
            "passed\n"
            "    count   workgroups      total       mean   share  kernel\n"
            "        4           64     1.5 ms     375 us   50.0%  matmul\n"
            "       12           12     4.8 us     400 ns    0.2%  add?[31m?\n"
            "        0            3    12.5 ns    12.5 ns    0.0%  rest of a "
            "shared one\n"
            "        1            1    0.25 ns    0.25 ns    0.0%  long\n");
  EXPECT_EQ(ProfileText({}, 2.5e9),
            "Dispatches: 0 of 0 kernels, 0 ns on all threads; 2.5 s passed\n");
}

}  // namespace
}  // namespace eyrie::tools
