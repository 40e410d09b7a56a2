// Runs dispatches in order in another process, while the caller goes on.
//
// A thread takes a stream from an executable, posts dispatches, and finishes
// it. Thread-compatible.
// Tested by isolate/isolate_test.cc.
#ifndef EYRIE_HAL_CPU_DISPATCH_STREAM_H_
#define EYRIE_HAL_CPU_DISPATCH_STREAM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/work_budget.h"
#include "hal/cpu/dispatch_abi.h"

namespace eyrie::hal::cpu {

class KernelExecutable;

class DispatchStream {
 public:
  // Posts all workgroups of a dispatch, which needs no local memory. Copies the
  // state and its arrays; the bindings, and the executable, must live until
  // Finish. Binding i is not written if bit i of `read_only` is set. Errors are
  // those of the dispatch, or of one before it.
  virtual absl::Status Post(const KernelExecutable& executable,
                            uint32_t ordinal, const DispatchState& state,
                            uint64_t read_only, WorkBudget* work) = 0;
  // Waits for the dispatches and gives the stream back: it must not be used
  // again. Returns the error of the first that failed.
  virtual absl::Status Finish(WorkBudget* work) = 0;

 protected:
  ~DispatchStream() = default;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DISPATCH_STREAM_H_
