// Describes the library in an ELF file without running its query function.
//
// Tested by library_facts_test.cc.
#ifndef EYRIE_HAL_CPU_LIBRARY_FACTS_H_
#define EYRIE_HAL_CPU_LIBRARY_FACTS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "hal/cpu/image.h"
#include "hal/cpu/library.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/executable_facts.h"

namespace eyrie::hal::cpu {

// Searches the image's data for the tables that the query function would
// return. Nullopt: it has none, or they are damaged.
std::optional<Library> FindLibrary(const Image& image);

// Describes the library for a processor with the features of `machine`. The
// file may be for any machine whose InstructionSet is known. The result has no
// kernels if the library's tables cannot be found. Fails as ElfImage::Load
// does, or with RESOURCE_EXHAUSTED: memory ran out.
absl::StatusOr<ExecutableFacts> ReadLibraryFacts(std::span<const uint8_t> file,
                                                 FeatureSet machine);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_LIBRARY_FACTS_H_
