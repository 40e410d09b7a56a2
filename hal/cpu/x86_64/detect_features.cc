// Reads the processor's features from CPUID. glibc calls CPUID when a process
// starts. Calling it again would take tens of microseconds in a virtual
// machine.
//
// Tested by detect_features_test.cc.
#if __has_include(<sys/platform/x86.h>)
// The header uses _Bool, which clang does not define in strict C++.
#define _Bool bool
#include <sys/platform/x86.h>
#undef _Bool
#else
#include <cpuid.h>
#endif

#include <array>

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
using Leaf = std::array<unsigned int, 4>;

#if __has_include(<sys/platform/x86.h>)
Leaf LeafAt(LeafName name) {
  // Indexed by LeafName.
  constexpr unsigned int kIndices[] = {
      CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_7_ECX_1, CPUID_INDEX_80000001};
  return std::to_array(
      __x86_get_cpuid_feature_leaf(kIndices[name])->cpuid_array);
}
#else
Leaf LeafAt(LeafName name) {
  // Numbers of leaves and their parts, indexed by LeafName.
  constexpr unsigned int kNumbers[][2] = {
      {1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
  Leaf leaf = {};
  __get_cpuid_count(kNumbers[name][0], kNumbers[name][1], &leaf[kEax],
                    &leaf[kEbx], &leaf[kEcx], &leaf[kEdx]);
  return leaf;
}
#endif

// Returns XCR0, the register state that the system saves.
uint64_t ReadSavedState() {
  constexpr uint32_t kHasXgetbv = 1u << 27;
  if ((LeafAt(kLeaf1)[kEcx] & kHasXgetbv) == 0) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

FeatureSet DetectFeatures() {
  FeatureSet features;
  const Leaf leaves[] = {LeafAt(kLeaf1), LeafAt(kLeaf7), LeafAt(kLeaf7s),
                         LeafAt(kLeafE)};
  const uint64_t saved = ReadSavedState();
  for (const CpuidRow& row : kRows) {
    if ((leaves[row.leaf][row.reg] >> row.bit & 1) == 0) continue;
    if ((saved & row.state) != row.state) continue;
    features.Add(row.feature);
  }
  return features;
}

}  // namespace eyrie::hal::cpu
