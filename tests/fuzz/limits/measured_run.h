// Runs a program in its own process and measures its resources.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_
#define EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

struct Usage {
  int status = 0;          // as waitpid gives it
  double cpu_seconds = 0;  // of all threads, user and system
  // The largest resident size, or size of memory shared with a worker.
  uint64_t memory_bytes = 0;
  uint64_t output_bytes = 0;  // written to stdout and stderr
  std::string last_output;    // the end of it, at most 1000 bytes
};

// Runs command[0] with the other elements as its arguments. Kills the process
// after `wall_seconds`. Aborts if it cannot be started.
Usage RunMeasured(const std::vector<std::string>& command, double wall_seconds);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_MEASURED_RUN_H_
