// Parses the system's files about processors, and chooses threads.
#include "hal/cpu/task/topology.h"

#include <map>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

std::string Text(const absl::StatusOr<std::vector<int>>& list) {
  return list.ok() ? absl::StrJoin(*list, " ") : StatusText(list);
}

TEST(Topology, CpuLists) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case kCases[] = {
      {"0", "0"},
      {"0-3,8\n", "0 1 2 3 8"},
      {"8,1-2,2", "1 2 8"},
      {"",
       "INVALID_ARGUMENT: '' in '' is neither a processor nor a range of "
       "processors."},
      {"1,,2",
       "INVALID_ARGUMENT: '' in '1,,2' is neither a processor nor a range of "
       "processors."},
      {"3-1",
       "INVALID_ARGUMENT: '3-1' in '3-1' is neither a processor nor a range of "
       "processors."},
      {"1-2-3",
       "INVALID_ARGUMENT: '1-2-3' in '1-2-3' is neither a processor nor a "
       "range of processors."},
      {"-1",
       "INVALID_ARGUMENT: '-1' in '-1' is neither a processor nor a range of "
       "processors."},
      {"0-99999999",
       "INVALID_ARGUMENT: '0-99999999' in '0-99999999' names processor "
       "99999999; the last one that there can be is 65535."},
      {"65536",
       "INVALID_ARGUMENT: '65536' in '65536' names processor 65536; the last "
       "one that there can be is 65535."},
      {"99999999999",
       "INVALID_ARGUMENT: '99999999999' in '99999999999' is neither a "
       "processor nor a range of processors."},
  };
  for (const Case& c : kCases) EXPECT_EQ(Text(ParseCpuList(c.text)), c.want);
}

TEST(Topology, Quotas) {
  struct Case {
    const char* cpu_max;
    double want;
  };
  const Case kCases[] = {
      {"max 100000\n", 0},   {"200000 100000\n", 2},
      {"50000 100000", 0.5}, {"", 0},
      {"100000", 0},         {"-1 100000", 0},
      {"100000 0", 0},       {"nan 1", 0},
      {"inf 1", 0},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(ParseCpuMax(c.cpu_max), c.want) << c.cpu_max;
  }
  EXPECT_EQ(ParseCpuQuota("-1\n", "100000\n"), 0);
  EXPECT_EQ(ParseCpuQuota("150000\n", "100000\n"), 1.5);
}

using Files = std::map<std::string, std::string>;

std::optional<std::string> Look(const Files& files, const std::string& path) {
  const auto found = files.find(path);
  if (found == files.end()) return std::nullopt;
  return found->second;
}

TEST(Topology, QuotasOfControlGroups) {
  struct Case {
    Files files;
    double want;
  };
  const Case kCases[] = {
      {{}, 0},
      {{{"/proc/self/cgroup", "0::/\n"},
        {"/sys/fs/cgroup/cpu.max", "300000 100000"}},
       3},
      // The parent's quota is smaller.
      {{{"/proc/self/cgroup", "0::/a/b\n"},
        {"/sys/fs/cgroup/a/b/cpu.max", "max 100000"},
        {"/sys/fs/cgroup/a/cpu.max", "150000 100000"},
        {"/sys/fs/cgroup/cpu.max", "900000 100000"}},
       1.5},
      {{{"/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/c\n"},
        {"/sys/fs/cgroup/cpu/docker/c/cpu.cfs_quota_us", "200000"},
        {"/sys/fs/cgroup/cpu/docker/c/cpu.cfs_period_us", "100000"}},
       2},
      {{{"/proc/self/cgroup", "4:cpu:/c\n"},
        {"/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
       0.5},
      {{{"/proc/self/cgroup", "nonsense\n::\n"}}, 0},
  };
  for (const Case& c : kCases) {
    const auto read = [&](const std::string& path) {
      return Look(c.files, path);
    };
    EXPECT_EQ(CpuQuota(read), c.want);
  }
}

TEST(Topology, PhysicalCores) {
  const auto siblings = [](int cpu) {
    return absl::StrCat("/sys/devices/system/cpu/cpu", cpu,
                        "/topology/thread_siblings_list");
  };
  const Files files = {{siblings(0), "0,4"},   {siblings(1), "1,5"},
                       {siblings(4), "0,4"},   {siblings(5), "1,5"},
                       {siblings(6), "what"},  {siblings(8), "8"},
                       {siblings(10), "9-11"}, {siblings(11), "9-11"}};
  const auto read = [&](const std::string& path) { return Look(files, path); };
  struct Case {
    std::vector<int> cpus;
    const char* want;
  };
  const Case kCases[] = {
      {{0, 1, 4, 5}, "0 1"},
      {{4, 5}, "4 5"},
      {{1, 4, 5}, "1 4"},
      {{6, 7}, "6 7"},
      {{}, ""},
      {{4, 0}, "0"},
      // The lists of siblings contradict each other.
      {{9, 10, 11}, "9"},
      {{10, 9, 11}, "9"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Text(PhysicalCores(c.cpus, read)), c.want);
  }
  // The files of a core's second thread are not read. If no core has two, only
  // those of the first core are read.
  int reads = 0;
  std::string active = "1\n";
  const auto counted = [&](const std::string& path) {
    ++reads;
    if (path == "/sys/devices/system/cpu/smt/active") {
      return std::optional<std::string>(active);
    }
    return Look(files, path);
  };
  EXPECT_EQ(Text(PhysicalCores({0, 1, 4, 5}, counted)), "0 1");
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(Text(PhysicalCores({8, 9, 10}, counted)), "8 9");
  EXPECT_EQ(reads, 6);
  active = "0\n";
  EXPECT_EQ(Text(PhysicalCores({8, 9, 10}, counted)), "8 9 10");
  EXPECT_EQ(reads, 8);
  // A kernel that cannot tell reports "0", too. The lists of siblings count.
  EXPECT_EQ(Text(PhysicalCores({0, 1, 4, 5}, counted)), "0 1");
}

TEST(Topology, Choices) {
  struct Case {
    TaskOptions options;
    Machine machine;
    const char* want;
  };
  const Machine four = {{0, 1, 4, 5}, {0, 1}, 0};
  const Machine half = {{0, 1, 4, 5}, {0, 1}, 0.5};
  const Machine large = {std::vector<int>(200), std::vector<int>(100), 0};
  const auto with = [](auto change) {
    TaskOptions options;
    change(options);
    return options;
  };
  const Case kCases[] = {
      {{}, four, "2:"},
      {{}, half, "1:"},
      {{}, {}, "1:"},
      {{}, large, "64:"},
      {with([](auto& o) { o.mode = "logical_cores"; }), four, "4:"},
      {with([](auto& o) { o.max_group_count = 70; }), large, "70:"},
      // An explicit choice counts, even if the machine has fewer processors.
      {with([](auto& o) { o.group_count = 7; }), half, "7:"},
      {with([](auto& o) { o.cpu_ids = {"4-5", "0"}; }), four, "3: 0 4 5"},
      {with([](auto& o) { o.cpu_ids = {"2"}; }), four,
       "INVALID_ARGUMENT: The task topology names processor 2, which this "
       "process may not use; it may use 4 from 0 to 5."},
      {with([](auto& o) { o.cpu_ids = {"x"}; }), four,
       "INVALID_ARGUMENT: 'x' in 'x' is neither a processor nor a range of "
       "processors. (the task topology's processors)"},
      {with([](auto& o) { o.mode = "sockets"; }), four,
       "INVALID_ARGUMENT: The task topology's mode 'sockets' is neither "
       "physical_cores nor logical_cores."},
      {with([](auto& o) { o.group_count = -1; }), four,
       "INVALID_ARGUMENT: The task topology's group count (-1) is not between "
       "0 and 1024."},
      {with([](auto& o) { o.max_group_count = 0; }), four,
       "INVALID_ARGUMENT: The task topology's maximal group count (0) is not "
       "between 1 and 1024."},
      {with([](auto& o) { o.spin_us = -5; }), four,
       "INVALID_ARGUMENT: The task workers' spinning time in microseconds (-5) "
       "is not between 0 and 1000000."},
      {with([](auto& o) { o.stack_bytes = int64_t{1} << 40; }), four,
       "INVALID_ARGUMENT: The task workers' stack size in bytes "
       "(1099511627776) is not between 0 and 1073741824."},
  };
  for (const Case& c : kCases) {
    const auto chosen = ChooseTopology(c.options, c.machine);
    std::string text =
        chosen.ok() ? absl::StrCat(chosen->threads, ":") : StatusText(chosen);
    if (chosen.ok() && !chosen->cpus.empty()) {
      absl::StrAppend(&text, " ", absl::StrJoin(chosen->cpus, " "));
    }
    EXPECT_EQ(text, c.want);
  }
}

TEST(Topology, ThisMachine) {
  const Machine machine = ThisMachine();
  EXPECT_FALSE(machine.cpus.empty());
  EXPECT_FALSE(machine.cores.empty());
  EXPECT_LE(machine.cores.size(), machine.cpus.size());
  EXPECT_GE(ChooseTopology({}, machine)->threads, 1);
}

}  // namespace
}  // namespace eyrie::hal::cpu
