// Instruction set extensions of processors: reads them from CPUID, passes them
// to compiled code, and compares them with those that code uses.
//
// Tested by code_scan_test.cc.
#ifndef EYRIE_HAL_CPU_CPU_FEATURES_H_
#define EYRIE_HAL_CPU_CPU_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "hal/cpu/dispatch_abi.h"

namespace eyrie::hal::cpu {

// The rows of cpu_features.def, in their order.
enum class Feature : uint8_t {
#define FEATURE(name, ...) k##name,
#include "hal/cpu/cpu_features.def"
#undef FEATURE
};

inline constexpr size_t kFeatureCount = 0
#define FEATURE(...) +1
#include "hal/cpu/cpu_features.def"
#undef FEATURE
    ;
static_assert(kFeatureCount < 64, "A FeatureSet is one word.");

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  static constexpr FeatureSet All() {
    return FeatureSet((uint64_t{1} << kFeatureCount) - 1);
  }

  constexpr bool Has(Feature feature) const {
    return (bits_ & Bit(feature)) != 0;
  }
  constexpr void Add(Feature feature) { bits_ |= Bit(feature); }
  constexpr void Remove(Feature feature) { bits_ &= ~Bit(feature); }
  constexpr bool empty() const { return bits_ == 0; }

  // Return the union of two sets, and the features of `a` that are not in `b`.
  friend constexpr FeatureSet operator|(FeatureSet a, FeatureSet b) {
    return FeatureSet(a.bits_ | b.bits_);
  }
  friend constexpr FeatureSet operator-(FeatureSet a, FeatureSet b) {
    return FeatureSet(a.bits_ & ~b.bits_);
  }
  friend constexpr bool operator==(FeatureSet a, FeatureSet b) = default;

  // Returns LLVM's names, for example "avx512f, avx512vl", or "none".
  std::string ToString() const;

 private:
  explicit constexpr FeatureSet(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t Bit(Feature feature) {
    return uint64_t{1} << static_cast<unsigned>(feature);
  }

  uint64_t bits_ = 0;
};

// Returns the features that this processor has and whose registers the system
// saves; empty if it is not x86-64. Cached. Thread-safe.
FeatureSet MachineFeatures();

// Returns the words that compiled code reads to choose a code path.
ProcessorData EncodeProcessorData(FeatureSet features);

// Returns 1 or 0 for a feature that modules may query by LLVM's name, or
// nullopt for any other name.
std::optional<int64_t> CpuFeature(absl::string_view name);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_CPU_FEATURES_H_
