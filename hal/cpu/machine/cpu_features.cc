// The names of features and their bits for compiled code.
#include "hal/cpu/machine/cpu_features.h"

#include <elf.h>

#include "absl/strings/str_cat.h"
#include "base/elf_machine.h"

namespace eyrie::hal::cpu {
namespace {

struct FeatureRow {
  uint16_t machine;
  const char* name;
  int word_bit;
};

constexpr FeatureRow kRows[] = {
#define FEATURE(feature, name, word, ...) {EM_AARCH64, name, word},
#include "hal/cpu/machine/aarch64_features.def"
#undef FEATURE
#define FEATURE(feature, name, word, ...) {EM_RISCV, name, word},
#include "hal/cpu/machine/riscv64_features.def"
#undef FEATURE
#define FEATURE(feature, name, word, ...) {EM_X86_64, name, word},
#include "hal/cpu/machine/x86_64_features.def"
#undef FEATURE
};

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

uint64_t EncodeFeatures(FeatureSet features) {
  uint64_t word = 0;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kRows[i].word_bit < 0 || !features.Has(static_cast<Feature>(i))) {
      continue;
    }
    word |= uint64_t{1} << kRows[i].word_bit;
  }
  return word;
}

std::vector<absl::string_view> QueriedFeatures() {
  std::vector<absl::string_view> names;
  for (const FeatureRow& row : kRows) {
    if (row.word_bit < 0 || row.machine != ThisElfMachine()) continue;
    names.push_back(row.name);
  }
  return names;
}

std::optional<int64_t> CpuFeature(absl::string_view name) {
  for (size_t i = 0; i < kFeatureCount; ++i) {
    const FeatureRow& row = kRows[i];
    if (row.word_bit < 0 || name != row.name) continue;
    if (row.machine != ThisElfMachine()) continue;
    return MachineFeatures().Has(static_cast<Feature>(i)) ? 1 : 0;
  }
  return std::nullopt;
}

}  // namespace eyrie::hal::cpu
