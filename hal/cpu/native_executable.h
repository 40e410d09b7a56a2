// An executable whose kernels are native functions. Loaders subclass it.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_NATIVE_EXECUTABLE_H_
#define EYRIE_HAL_CPU_NATIVE_EXECUTABLE_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/kernel_executable.h"

namespace eyrie::hal::cpu {

// Runs workgroups of a kernel one after another on this thread. Kernels are
// told that it runs on `processor`. Returns 0, or the code of the first
// workgroup that fails.
int RunKernel(DispatchFunction function, const Environment* environment,
              const DispatchState& state, WorkgroupRange range,
              std::span<uint8_t> local_memory, uint32_t processor);
// Returns the processor that runs this thread, or 0 if unknown.
uint32_t CurrentProcessor();
// Returns the error for a nonzero code of a kernel: INTERNAL.
absl::Status KernelFailed(const ExportInfo& info, int code);

class NativeExecutable : public KernelExecutable {
 public:
  // One per export, in ordinal order. The functions read the constants and
  // bindings that exports() declares, at most kMaxDispatchConstants and
  // kMaxDispatchBindings.
  std::span<const Kernel> kernels() const { return code_.kernels; }
  const Environment& environment() const { return *code_.environment; }

  uint32_t local_memory_size(uint32_t ordinal) const final {
    return code_.kernels[ordinal].local_memory_size;
  }
  // Does not allocate or lock.
  absl::Status RunWorkgroups(uint32_t ordinal, const DispatchState& state,
                             WorkgroupRange range,
                             std::span<uint8_t> local_memory,
                             WorkBudget* work) const final;

 protected:
  NativeExecutable() { native_code_ = &code_; }

  // A subclass must set it before use, and owns the memory that it refers to.
  NativeCode code_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_NATIVE_EXECUTABLE_H_
