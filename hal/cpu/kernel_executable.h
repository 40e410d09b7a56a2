// What running a dispatch needs of an executable: native functions and the
// environment they are called with. Loaders subclass it.
//
// Immutable and shared by threads, like every executable.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_
#define EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_

#include <cstdint>
#include <span>

#include "hal/cpu/dispatch_abi.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {

// One export as code.
struct Kernel {
  DispatchFunction function = nullptr;
  uint32_t local_memory_size = 0;  // bytes of scratch per workgroup
};

class KernelExecutable : public hal::Executable {
 public:
  // driver_tag() of every executable of this driver.
  static constexpr char kDriverTag = 0;

  // One per export, in ordinal order. What exports() says of constants and
  // bindings (at most kMaxDispatchConstants and kMaxDispatchBindings) is what
  // the functions read.
  std::span<const Kernel> kernels() const { return kernels_; }
  const Environment& environment() const { return *environment_; }

  const void* driver_tag() const final { return &kDriverTag; }

 protected:
  KernelExecutable() = default;

  // What a subclass sets when it is made, and owns.
  std::span<const Kernel> kernels_;
  const Environment* environment_ = nullptr;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_
