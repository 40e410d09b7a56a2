// Reads the processor's features from CPUID. The C library calls CPUID when a
// process starts. Calling it again would take tens of microseconds in a virtual
// machine.
//
// Tested by detect_features_test.cc.
// The header uses _Bool, which clang does not define in strict C++.
#define _Bool bool
#include <sys/platform/x86.h>
#undef _Bool

#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

// Register state that the system must save, as bits of XCR0.
enum State : uint64_t {
  kNone = 0,
  kYmm = 0x6,       // SSE, AVX
  kZmm = 0xE6,      // kYmm, mask registers, upper ZMM state
  kTile = 0x60000,  // AMX configuration and tiles
  kApx = 0x80000,   // the upper general registers
};

enum Register : uint8_t { kEax, kEbx, kEcx, kEdx };
enum LeafName : uint8_t { kLeaf1, kLeaf7, kLeaf7s, kLeafE };

struct CpuidRow {
  Feature feature;
  LeafName leaf;
  Register reg;
  int bit;
  State state;
};

constexpr CpuidRow kRows[] = {
#define FEATURE(feature, name, word, leaf, reg, bit, state) \
  {Feature::k##feature, k##leaf, k##reg, bit, k##state},
#include "hal/cpu/machine/x86_64_features.def"
#undef FEATURE
};

// The four registers of a CPUID leaf; zeros if the processor lacks the leaf.
using Leaf = const unsigned int (&)[4];

Leaf LeafAt(unsigned int index) {
  return __x86_get_cpuid_feature_leaf(index)->cpuid_array;
}

// Returns XCR0, the register state that the system saves.
uint64_t ReadSavedState() {
  constexpr uint32_t kHasXgetbv = 1u << 27;
  if ((LeafAt(CPUID_INDEX_1)[kEcx] & kHasXgetbv) == 0) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

FeatureSet DetectFeatures() {
  FeatureSet features;
  // Indexed by LeafName.
  constexpr unsigned int kIndices[] = {
      CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_7_ECX_1, CPUID_INDEX_80000001};
  const uint64_t saved = ReadSavedState();
  for (const CpuidRow& row : kRows) {
    if ((LeafAt(kIndices[row.leaf])[row.reg] >> row.bit & 1) == 0) continue;
    if ((saved & row.state) != row.state) continue;
    features.Add(row.feature);
  }
  return features;
}

}  // namespace eyrie::hal::cpu
