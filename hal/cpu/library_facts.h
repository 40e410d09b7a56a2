// Describes the library in an ELF file without running its query function.
//
// Tested by library_facts_test.cc.
#ifndef EYRIE_HAL_CPU_LIBRARY_FACTS_H_
#define EYRIE_HAL_CPU_LIBRARY_FACTS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "hal/cpu/cpu_features.h"
#include "hal/executable_facts.h"

namespace eyrie::hal::cpu {

// Fails as ElfImage::Load does. A file whose tables are not found has no
// kernels.
absl::StatusOr<ExecutableFacts> ReadLibraryFacts(std::span<const uint8_t> file,
                                                 FeatureSet machine);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_LIBRARY_FACTS_H_
