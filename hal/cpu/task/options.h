// The options of "local-task".
//
// Tested by topology_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_OPTIONS_H_
#define EYRIE_HAL_CPU_TASK_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::hal::cpu {

// The threads of "local-task": their number and processors. By default both
// depend on the machine. Driver::Open validates the values.
struct TaskOptions {
  // The unit to count if `group_count` is 0: "physical_cores" or
  // "logical_cores".
  std::string mode = "physical_cores";
  int64_t group_count = 0;       // number of threads; 0: count them
  int64_t max_group_count = 64;  // upper limit if counted
  // Sets of processors ("0-3,8"). Each processor in their union gets one
  // thread, bound to it. Empty: the system places threads.
  std::vector<std::string> cpu_ids;
  int64_t spin_us = 50;     // how long an idle thread polls at most
  int64_t stack_bytes = 0;  // minimum per thread; 0: system default
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_OPTIONS_H_
