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

// One export as code.
struct Kernel {
  DispatchFunction function = nullptr;
  uint32_t local_memory_size = 0;  // bytes of scratch per workgroup
};

class NativeExecutable : public KernelExecutable {
 public:
  // One per export, in ordinal order. What exports() says of constants and
  // bindings (at most kMaxDispatchConstants and kMaxDispatchBindings) is what
  // the functions read.
  std::span<const Kernel> kernels() const { return kernels_; }
  const Environment& environment() const { return *environment_; }

  uint32_t local_memory_size(uint32_t ordinal) const final {
    return kernels_[ordinal].local_memory_size;
  }
  // Neither allocates nor locks.
  absl::Status RunWorkgroups(uint32_t ordinal, const DispatchState& state,
                             WorkgroupRange range,
                             std::span<uint8_t> local_memory) const final;

 protected:
  NativeExecutable() = default;

  // What a subclass sets when it is made, and owns.
  std::span<const Kernel> kernels_;
  const Environment* environment_ = nullptr;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_NATIVE_EXECUTABLE_H_
