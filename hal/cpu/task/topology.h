// Chooses the number of threads of a device and their processors, from the
// user's options and the limits of this process.
//
// The system is read through a function, and every text by a function of its
// own, so that tests bring theirs.
// Tested by topology_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_TOPOLOGY_H_
#define EYRIE_HAL_CPU_TASK_TOPOLOGY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// The maximum number of threads.
inline constexpr int kMaxThreads = 1024;

struct Topology {
  int threads = 1;        // in all, the caller's included
  std::vector<int> cpus;  // one per thread that is bound; empty: none is
};

// The processors that the system allows this process.
struct Machine {
  std::vector<int> cpus;   // logical processors it may run on
  std::vector<int> cores;  // those that are the first of their physical core
  double quota = 0;        // processors' worth of time; 0: no limit
};

// Returns the content of a small file, or nullopt if it does not exist.
using ReadText =
    absl::FunctionRef<std::optional<std::string>(const std::string& path)>;

// "0-3,8": {0, 1, 2, 3, 8}. INVALID_ARGUMENT: no such list, or a number above
// 65535.
absl::StatusOr<std::vector<int>> ParseCpuList(absl::string_view text);

// Of a control group's cpu.max ("200000 100000") or, before that format, its
// quota and period: processors' worth of time, 0 for no limit or no such text.
double ParseCpuMax(absl::string_view text);
double ParseCpuQuota(absl::string_view quota, absl::string_view period);

// The least quota of the control groups that hold this process, by
// /proc/self/cgroup.
double CpuQuota(ReadText read);

// Returns the first of the given logical processors on each physical core.
std::vector<int> PhysicalCores(const std::vector<int>& cpus, ReadText read);

// This machine.
Machine ThisMachine();

// INVALID_ARGUMENT: an option that is out of its range, or a processor that
// this process may not use.
absl::StatusOr<Topology> ChooseTopology(const TaskOptions& options,
                                        const Machine& machine);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_TOPOLOGY_H_
