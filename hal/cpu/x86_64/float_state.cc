// The bits FTZ and DAZ of MXCSR.
#include "hal/cpu/machine/float_state.h"

#include <xmmintrin.h>

namespace eyrie::hal::cpu {
namespace {

constexpr unsigned kBits = 0x8040;

bool Flushes(uint64_t state) { return (state & kBits) == kBits; }

}  // namespace

bool CanFlushDenormals() { return true; }

bool FlushesDenormals() { return Flushes(_mm_getcsr()); }

FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) {
  if (!Flushes(before_)) _mm_setcsr(static_cast<unsigned>(before_) | kBits);
}

FlushDenormals::~FlushDenormals() {
  if (!Flushes(before_)) _mm_setcsr(static_cast<unsigned>(before_));
}

}  // namespace eyrie::hal::cpu
