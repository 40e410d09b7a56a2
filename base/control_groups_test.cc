// Tests the limits of control groups.
#include "base/control_groups.h"

#include <map>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(ControlGroups, Memory) {
  struct Case {
    std::map<std::string, std::string> files;
    std::optional<uint64_t> want;
  };
  const Case kCases[] = {
      {{}, std::nullopt},
      {{{"/proc/self/cgroup", "0::/\n"}}, std::nullopt},
      {{{"/proc/self/cgroup", "0::/a\n"},
        {"/sys/fs/cgroup/a/memory.max", "max\n"}},
       std::nullopt},
      {{{"/proc/self/cgroup", "0::/a/b\n"},
        {"/sys/fs/cgroup/a/b/memory.max", "67108864\n"}},
       67108864},
      // The parent's limit is smaller.
      {{{"/proc/self/cgroup", "0::/a/b\n"},
        {"/sys/fs/cgroup/a/b/memory.max", "67108864\n"},
        {"/sys/fs/cgroup/a/memory.max", "4096\n"}},
       4096},
      {{{"/proc/self/cgroup", "3:cpu:/c\n9:memory:/docker/c\n"},
        {"/sys/fs/cgroup/memory/docker/c/memory.limit_in_bytes", "8192\n"},
        {"/sys/fs/cgroup/cpu/c/memory.limit_in_bytes", "1\n"}},
       8192},
      {{{"/proc/self/cgroup", "nonsense\n::\n0::no/slash\n"},
        {"/sys/fs/cgroup/memory.max", "18446744073709551616"}},
       std::nullopt},
  };
  for (const Case& c : kCases) {
    const auto read =
        [&](const std::string& path) -> std::optional<std::string> {
      const auto found = c.files.find(path);
      if (found == c.files.end()) return std::nullopt;
      return found->second;
    };
    EXPECT_EQ(GroupMemory(read), c.want);
  }
}

}  // namespace
}  // namespace eyrie
