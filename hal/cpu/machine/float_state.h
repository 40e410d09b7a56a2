// The processor's floating-point mode while kernels run: denormal numbers are
// read and written as zero, as IREE's compilers expect. Each machine has its
// own file.
//
// Tested by hal/cpu/device_test.cc.
#ifndef EYRIE_HAL_CPU_MACHINE_FLOAT_STATE_H_
#define EYRIE_HAL_CPU_MACHINE_FLOAT_STATE_H_

#include <cstdint>

namespace eyrie::hal::cpu {

// Reports whether this machine has that mode. If it does not, kernels compute
// with denormal numbers, and FlushDenormals does nothing.
bool CanFlushDenormals();

// Reports whether this thread is in that mode.
bool FlushesDenormals();

// Sets the mode of this thread and restores the old one on destruction.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  uint64_t before_;  // of the control register
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_MACHINE_FLOAT_STATE_H_
