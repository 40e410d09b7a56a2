// Finds the processor's features, which cpu_features.def lists. The C library
// calls CPUID when a process starts. Calling it again would take tens of
// microseconds in a virtual machine.
#include "hal/cpu/cpu_features.h"

#if defined(__x86_64__)
// The header uses _Bool, which clang does not define in strict C++.
#define _Bool bool
#include <sys/platform/x86.h>
#undef _Bool
#endif

#include "absl/strings/str_cat.h"

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

struct FeatureRow {
  const char* name;
  int word_bit;
  LeafName leaf;
  Register reg;
  int bit;
  State state;
};

constexpr FeatureRow kRows[] = {
#define FEATURE(feature, name, word, leaf, reg, bit, state) \
  {name, word, k##leaf, k##reg, bit, k##state},
#include "hal/cpu/cpu_features.def"
#undef FEATURE
};

#if defined(__x86_64__)

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

FeatureSet DetectFeatures() {
  FeatureSet features;
  // Indexed by LeafName.
  constexpr unsigned int kIndices[] = {
      CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_7_ECX_1, CPUID_INDEX_80000001};
  const uint64_t saved = ReadSavedState();
  for (size_t i = 0; i < kFeatureCount; ++i) {
    const FeatureRow& row = kRows[i];
    if ((LeafAt(kIndices[row.leaf])[row.reg] >> row.bit & 1) == 0) continue;
    if ((saved & row.state) != row.state) continue;
    features.Add(static_cast<Feature>(i));
  }
  return features;
}

#else

FeatureSet DetectFeatures() { return FeatureSet(); }

#endif

}  // namespace

std::string FeatureSet::ToString() const {
  std::string text;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (!Has(static_cast<Feature>(i))) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", kRows[i].name);
  }
  return text.empty() ? "none" : text;
}

FeatureSet MachineFeatures() {
  static const FeatureSet features = DetectFeatures();
  return features;
}

ProcessorData EncodeProcessorData(FeatureSet features) {
  ProcessorData processor = {};
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kRows[i].word_bit < 0 || !features.Has(static_cast<Feature>(i))) {
      continue;
    }
    processor.data[0] |= uint64_t{1} << kRows[i].word_bit;
  }
  return processor;
}

std::optional<int64_t> CpuFeature(absl::string_view name) {
#if defined(__x86_64__)
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kRows[i].word_bit < 0 || name != kRows[i].name) continue;
    return MachineFeatures().Has(static_cast<Feature>(i)) ? 1 : 0;
  }
#endif
  return std::nullopt;
}

}  // namespace eyrie::hal::cpu
