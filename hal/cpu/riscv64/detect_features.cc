// Asks the kernel for the processor's features with riscv_hwprobe. Kernels
// before 6.4 do not have this system call and report only extensions with names
// of one letter.
//
// Tested by detect_features_test.cc.
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t Bit(int bit) { return uint64_t{1} << bit; }

constexpr long kHwprobe = 258;  // the system call
constexpr int64_t kExtensions = 4;
// The bit of V in AT_HWCAP, which has one bit for each letter.
constexpr uint64_t kVector = Bit('V' - 'A');

struct ProbeRow {
  Feature feature;
  uint64_t bits;
};

constexpr ProbeRow kRows[] = {
#define FEATURE(feature, name, word, bits) {Feature::k##feature, bits},
#include "hal/cpu/machine/riscv64_features.def"
#undef FEATURE
};

// The layout of struct riscv_hwprobe.
struct ProbePair {
  int64_t key;
  uint64_t value;
};

}  // namespace

FeatureSet DetectFeatures() {
  FeatureSet features;
  if ((getauxval(AT_HWCAP) & kVector) != 0) features.Add(Feature::kRiscvV);
  ProbePair pair = {kExtensions, 0};
  // All processors, without flags. An unknown key becomes -1.
  if (syscall(kHwprobe, &pair, 1, 0, nullptr, 0) != 0 || pair.key < 0) {
    return features;
  }
  for (const ProbeRow& row : kRows) {
    if ((pair.value & row.bits) != 0) features.Add(row.feature);
  }
  return features;
}

}  // namespace eyrie::hal::cpu
