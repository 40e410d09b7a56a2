// Reads the system's files about processors, and chooses threads.
#include "hal/cpu/task/topology.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace eyrie::hal::cpu {
namespace {

constexpr int kMaxCpu = 65535;

bool ParseCpu(absl::string_view text, int& cpu) {
  return absl::SimpleAtoi(text, &cpu) && cpu >= 0;
}

// Returns the smaller quota, where 0 means that there is no quota.
double Least(double a, double b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  // The kernel refuses a set that is smaller than its own.
  for (int size = 1024; size <= kMaxCpu + 1; size *= 4) {
    cpu_set_t* set = CPU_ALLOC(size);
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(size);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (int cpu = 0; known && cpu < size; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) return cpus;
  }
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    cpus.push_back(cpu);
  }
  return cpus;
}

absl::Status CheckRange(absl::string_view what, int64_t value, int64_t least,
                        int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("The ", what, " (", value,
                                                 ") is not between ", least,
                                                 " and ", most, "."));
}

absl::Status CheckOptions(const TaskOptions& options) {
  if (options.mode != "physical_cores" && options.mode != "logical_cores") {
    return absl::InvalidArgumentError(
        absl::StrCat("The task topology's mode '", options.mode,
                     "' is neither physical_cores nor logical_cores."));
  }
  RETURN_IF_ERROR(CheckRange("task topology's group count", options.group_count,
                             0, kMaxThreads));
  RETURN_IF_ERROR(CheckRange("task topology's maximal group count",
                             options.max_group_count, 1, kMaxThreads));
  RETURN_IF_ERROR(CheckRange("task workers' spinning time in microseconds",
                             options.spin_us, 0, 1000000));
  return CheckRange("task workers' stack size in bytes", options.stack_bytes, 0,
                    int64_t{1} << 30);
}

// Returns the processors of all sets, sorted. INVALID_ARGUMENT: a set is
// malformed, or names a processor that this process may not use.
absl::StatusOr<std::vector<int>> ChosenCpus(
    const std::vector<std::string>& sets, const Machine& machine) {
  std::set<int> chosen;
  for (const std::string& set : sets) {
    absl::StatusOr<std::vector<int>> cpus = ParseCpuList(set);
    if (!cpus.ok()) {
      return Annotate(cpus.status(), "(the task topology's processors)");
    }
    chosen.insert(cpus->begin(), cpus->end());
  }
  for (const int cpu : chosen) {
    if (std::find(machine.cpus.begin(), machine.cpus.end(), cpu) !=
        machine.cpus.end()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "The task topology names processor ", cpu,
        ", which this process may not use; it may use ", machine.cpus.size(),
        " from ", machine.cpus.empty() ? 0 : machine.cpus.front(), " to ",
        machine.cpus.empty() ? 0 : machine.cpus.back(), "."));
  }
  return std::vector<int>(chosen.begin(), chosen.end());
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseCpuList(absl::string_view text) {
  std::set<int> cpus;
  for (absl::string_view part :
       absl::StrSplit(absl::StripAsciiWhitespace(text), ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !ParseCpu(ends.front(), first) ||
        !ParseCpu(ends.back(), last) || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part, "' in '", text,
                       "' is neither a processor nor a range of processors."));
    }
    if (last > kMaxCpu) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part, "' in '", text, "' names processor ", last,
                       "; the last one that there can be is ", kMaxCpu, "."));
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return std::vector<int>(cpus.begin(), cpus.end());
}

double ParseCpuQuota(absl::string_view quota, absl::string_view period) {
  double used = 0;
  double of = 0;
  if (!absl::SimpleAtod(quota, &used) || !absl::SimpleAtod(period, &of)) {
    return 0;
  }
  return used > 0 && of > 0 && std::isfinite(used / of) ? used / of : 0;
}

double ParseCpuMax(absl::string_view text) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(text), ' ');
  return parts.size() == 2 ? ParseCpuQuota(parts[0], parts[1]) : 0;
}

double CpuQuota(ReadText read) {
  double least = 0;
  VisitControlGroups("cpu", read, [&](const std::string& folder, bool unified) {
    if (unified) {
      least = Least(least, ParseCpuMax(read(folder + "cpu.max").value_or("")));
      return;
    }
    const std::string quota = read(folder + "cpu.cfs_quota_us").value_or("");
    if (quota.empty() || quota[0] == '-') return;
    const auto period = read(folder + "cpu.cfs_period_us");
    least = Least(least, ParseCpuQuota(quota, period.value_or("")));
  });
  return least;
}

std::vector<int> PhysicalCores(const std::vector<int>& cpus, ReadText read) {
  const std::set<int> allowed(cpus.begin(), cpus.end());
  std::set<int> others;  // processors of the cores found so far
  std::vector<int> cores;
  for (const int cpu : cpus) {
    if (others.count(cpu) != 0) continue;
    const auto siblings =
        ParseCpuList(read(absl::StrCat("/sys/devices/system/cpu/cpu", cpu,
                                       "/topology/thread_siblings_list"))
                         .value_or(""));
    // Without SMT, every processor is a core; skip the other files.
    if (cores.empty() && siblings.ok() && siblings->size() == 1 &&
        absl::StartsWith(
            read("/sys/devices/system/cpu/smt/active").value_or(""), "0")) {
      return cpus;
    }
    std::set<int> core = {cpu};
    if (siblings.ok()) core.insert(siblings->begin(), siblings->end());
    const auto is_allowed = [&](int c) { return allowed.count(c) != 0; };
    if (*std::find_if(core.begin(), core.end(), is_allowed) != cpu) continue;
    cores.push_back(cpu);
    others.insert(core.begin(), core.end());
  }
  return cores;
}

Machine ThisMachine() {
  Machine machine;
  machine.cpus = AllowedCpus();
  machine.cores = PhysicalCores(machine.cpus, ReadSystemText);
  machine.quota = CpuQuota(ReadSystemText);
  return machine;
}

absl::StatusOr<Topology> ChooseTopology(const TaskOptions& options,
                                        const Machine& machine) {
  RETURN_IF_ERROR(CheckOptions(options));
  Topology topology;
  if (!options.cpu_ids.empty()) {
    ASSIGN_OR_RETURN(topology.cpus, ChosenCpus(options.cpu_ids, machine));
    topology.threads = static_cast<int>(topology.cpus.size());
    if (topology.threads > kMaxThreads) topology.threads = kMaxThreads;
    return topology;
  }
  if (options.group_count != 0) {
    topology.threads = static_cast<int>(options.group_count);
    return topology;
  }
  const size_t counted = options.mode == "logical_cores" ? machine.cpus.size()
                                                         : machine.cores.size();
  double threads = std::min(static_cast<double>(counted),
                            static_cast<double>(options.max_group_count));
  // Round up: a fraction of a processor is worth a thread.
  if (machine.quota > 0) threads = std::min(threads, std::ceil(machine.quota));
  topology.threads = std::max(1, static_cast<int>(threads));
  return topology;
}

}  // namespace eyrie::hal::cpu
