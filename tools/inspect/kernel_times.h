// The times of kernels, from a trace of `eyrie run --trace=FILE` or a recording
// of this process.
//
// Tested by kernel_times_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_KERNEL_TIMES_H_
#define EYRIE_TOOLS_INSPECT_KERNEL_TIMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/trace_recorder.h"

namespace eyrie::tools {

struct KernelTime {
  uint64_t count = 0;  // of dispatches
  double ns = 0;       // of all of them, on all threads
  // The nanoseconds of each dispatch, in the order of time; empty if the
  // recording does not have all of them.
  std::vector<double> each;
};

// By the name of the kernel in the trace.
using KernelTimes = std::map<std::string, KernelTime>;

// INVALID_ARGUMENT: the file is not such a trace. RESOURCE_EXHAUSTED: it names
// more than 100,000 kernels. Otherwise fails as MappedFile::Open does.
absl::StatusOr<KernelTimes> ReadKernelTimes(const std::string& path);

// Returns the times of a recording of events, which must have been stopped.
// RESOURCE_EXHAUSTED: not all events fit, or there are too many kernels.
absl::StatusOr<KernelTimes> TimesOf(const trace::Recorder& recorder);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_KERNEL_TIMES_H_
