// Where the parts of an ELF file go in memory.
//
// Checked against the file and one another before anything is mapped. No byte
// of the file is trusted to be in range.
// Tested by elf_loader_test.cc, elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_LAYOUT_H_
#define EYRIE_HAL_CPU_ELF_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/cpu/elf_format.h"

namespace eyrie::hal::cpu {

struct ElfLayout {
  std::vector<elf::ProgramHeader> segments;  // to load, ascending, apart
  std::optional<elf::ProgramHeader> dynamic;
  std::optional<elf::ProgramHeader> relro;
  uint64_t begin = 0;  // of the image, page-aligned, as the file counts
  uint64_t size = 0;   // bytes, whole pages
  uint64_t alignment = 0;
};

// INVALID_ARGUMENT: not an ELF file, or damaged. UNIMPLEMENTED: the file is for
// another machine, or of an unsupported kind. RESOURCE_EXHAUSTED: over 2 GiB.
absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LAYOUT_H_
