// The layout of an ELF file in memory.
//
// Offsets and sizes are checked against the file and each other before anything
// is mapped. No byte of the file is trusted.
// Tested by elf_loader_test.cc, elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_LAYOUT_H_
#define EYRIE_HAL_CPU_ELF_LAYOUT_H_

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::hal::cpu {

struct ElfLayout {
  // The segments to load, ascending, without common pages.
  std::vector<Elf64_Phdr> segments;
  std::optional<Elf64_Phdr> dynamic;
  std::optional<Elf64_Phdr> relro;
  uint64_t begin = 0;      // the image's address in the file; page-aligned
  uint64_t size = 0;       // bytes, whole pages
  uint64_t alignment = 0;  // of the image; bytes
};

// Reads and checks the headers. INVALID_ARGUMENT: the file is not an ELF file,
// or is damaged. UNIMPLEMENTED: it is for another machine, or of an unsupported
// kind. RESOURCE_EXHAUSTED: the image is over 2 GiB, there are more than 64
// segments, or memory ran out.
absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LAYOUT_H_
