// The processor's floating-point mode while kernels run: denormal numbers are
// read and written as zero, as IREE's compilers expect.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_FLOAT_STATE_H_
#define EYRIE_HAL_CPU_FLOAT_STATE_H_

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cstdint>

namespace eyrie::hal::cpu {

// Sets the mode of this thread and restores the old one on destruction. Does
// nothing on a processor without this mode.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) {
    if ((before_ & kBits) != kBits) _mm_setcsr(before_ | kBits);
  }
  ~FlushDenormals() {
    if ((before_ & kBits) != kBits) _mm_setcsr(before_);
  }
#elif defined(__aarch64__)
  FlushDenormals() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
    __asm__ volatile("msr fpcr, %0" : : "r"(before_ | kBits));
  }
  ~FlushDenormals() { __asm__ volatile("msr fpcr, %0" : : "r"(before_)); }
#else
  FlushDenormals() = default;
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kBits = 0x8040;  // FTZ and DAZ
  uint32_t before_;
#elif defined(__aarch64__)
  static constexpr uint64_t kBits = 0x1080000;
  uint64_t before_;
#endif
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_FLOAT_STATE_H_
