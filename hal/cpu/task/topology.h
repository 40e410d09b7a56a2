// Chooses the number of threads of a device and their processors, from the
// user's options and the limits of this process.
//
// The system's files are read through a function, and each format has its own
// parser, so that tests can pass their own text.
// Tested by topology_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_TOPOLOGY_H_
#define EYRIE_HAL_CPU_TASK_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/control_groups.h"
#include "hal/cpu/task/options.h"

namespace eyrie::hal::cpu {

// The maximum number of threads.
inline constexpr int kMaxThreads = 1024;

struct Topology {
  int threads = 1;        // in total, including the caller
  std::vector<int> cpus;  // thread i is bound to cpus[i]; empty: not bound
};

// The processors that the system allows this process.
struct Machine {
  std::vector<int> cpus;   // logical processors it may run on
  std::vector<int> cores;  // the first of them on each physical core
  double quota = 0;        // of CPU time, in processors; 0: no limit
};

// Parses a list of processors: "0-3,8" gives {0, 1, 2, 3, 8}. The result is
// sorted. INVALID_ARGUMENT: the text is not a list of numbers and ranges, or a
// number is above 65535.
absl::StatusOr<std::vector<int>> ParseCpuList(absl::string_view text);

// Returns a control group's quota of CPU time in processors, or 0 if there is
// no limit or the text is malformed. ParseCpuMax takes the content of cpu.max
// ("200000 100000"); ParseCpuQuota takes the quota and the period of cgroup v1.
double ParseCpuMax(absl::string_view text);
double ParseCpuQuota(absl::string_view quota, absl::string_view period);

// Returns the smallest quota of this process's control groups, which
// /proc/self/cgroup lists, and of their parents; 0 if there is no limit.
double CpuQuota(ReadText read);

// Returns the first of the given logical processors on each physical core.
std::vector<int> PhysicalCores(const std::vector<int>& cpus, ReadText read);

// Reads the processors and the quota of this process from the system.
Machine ThisMachine();

// Chooses the processors that `options` name, else the number of threads that
// they name, else a thread per core or processor of `machine` within its quota.
// INVALID_ARGUMENT: an option is out of range, or names a processor that this
// process may not use.
absl::StatusOr<Topology> ChooseTopology(const TaskOptions& options,
                                        const Machine& machine);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_TOPOLOGY_H_
