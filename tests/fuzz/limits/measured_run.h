// Runs a program as a process of its own and measures what it uses.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_
#define EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

struct Usage {
  int status = 0;             // as waitpid gives it
  double cpu_seconds = 0;     // of all threads, user and system
  uint64_t memory_bytes = 0;  // the largest resident size
  uint64_t output_bytes = 0;  // written to stdout and stderr
  std::string last_output;    // the end of it, at most 1000 bytes
};

// Runs command[0] with the rest as its arguments. A process that lives longer
// than `wall_seconds` is killed. Aborts if the process cannot be started.
Usage RunMeasured(const std::vector<std::string>& command, double wall_seconds);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_
