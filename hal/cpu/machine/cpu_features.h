// Instruction set extensions of processors: finds those of this one, passes
// them to compiled code, and compares them with those that code uses.
//
// Tested by hal/cpu/code_scan_test.cc, hal/cpu/x86_64/detect_features_test.cc.
#ifndef EYRIE_HAL_CPU_MACHINE_CPU_FEATURES_H_
#define EYRIE_HAL_CPU_MACHINE_CPU_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::hal::cpu {

// The rows of each machine's table, in their order. A set usually
// has features of one machine only.
enum class Feature : uint8_t {
#define FEATURE(name, ...) k##name,
#include "hal/cpu/machine/aarch64_features.def"
#include "hal/cpu/machine/riscv64_features.def"
#include "hal/cpu/machine/x86_64_features.def"
#undef FEATURE
};

inline constexpr size_t kFeatureCount = 0
#define FEATURE(...) +1
#include "hal/cpu/machine/aarch64_features.def"
#include "hal/cpu/machine/riscv64_features.def"
#include "hal/cpu/machine/x86_64_features.def"
#undef FEATURE
    ;
static_assert(kFeatureCount <= 128, "A FeatureSet has two words.");

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature feature : features) Add(feature);
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
  using Bits = unsigned __int128;
  explicit constexpr FeatureSet(Bits bits) : bits_(bits) {}
  static constexpr Bits Bit(Feature feature) {
    return Bits{1} << static_cast<unsigned>(feature);
  }

  Bits bits_ = 0;
};

// Returns the features that this processor has and whose registers the system
// saves. Cached. Thread-safe.
FeatureSet MachineFeatures();

// Asks the processor and the system for these features at each call. Each
// machine has its own file.
FeatureSet DetectFeatures();

// Returns the word that compiled code reads to choose a code path.
uint64_t EncodeFeatures(FeatureSet features);

// Returns 1 or 0 for a feature that modules may query by LLVM's name, or
// nullopt for any other name.
std::optional<int64_t> CpuFeature(absl::string_view name);
// Returns the names of these features, in the order of their bits.
std::vector<absl::string_view> QueriedFeatures();

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_MACHINE_CPU_FEATURES_H_
