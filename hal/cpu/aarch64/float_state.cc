// The bits FZ and FZ16 of FPCR.
#include "hal/cpu/machine/float_state.h"

namespace eyrie::hal::cpu {
namespace {

// FZ16 reads as 0 if the processor does not compute with half floats.
constexpr uint64_t kFz = uint64_t{1} << 24;
constexpr uint64_t kFz16 = uint64_t{1} << 19;
constexpr uint64_t kBits = kFz | kFz16;

uint64_t Read() {
  uint64_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}

void Write(uint64_t state) { __asm__ volatile("msr fpcr, %0" : : "r"(state)); }

}  // namespace

bool CanFlushDenormals() { return true; }

bool FlushesDenormals() { return (Read() & kFz) != 0; }

FlushDenormals::FlushDenormals() : before_(Read()) {
  if ((before_ & kBits) != kBits) Write(before_ | kBits);
}

FlushDenormals::~FlushDenormals() {
  if ((before_ & kBits) != kBits) Write(before_);
}

}  // namespace eyrie::hal::cpu
