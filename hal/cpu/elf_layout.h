// The layout of an ELF file in memory.
//
// Offsets and sizes are checked against the file and each other before anything
// is mapped. No byte of the file is trusted.
// Tested by elf_loader_test.cc, testing/elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_LAYOUT_H_
#define EYRIE_HAL_CPU_ELF_LAYOUT_H_

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {

// The use of a file. A file that is only read may be for any machine whose
// InstructionSet is known, and none of it becomes executable.
enum class ElfUse : uint8_t { kRun, kRead };

// The smallest page size of the systems that run any known machine's code. A
// file that is only read is laid out in such pages.
inline constexpr uint64_t kSmallestPage = 4096;

struct ElfLayout {
  const InstructionSet* instruction_set = nullptr;
  // The segments to load, ascending, without common pages.
  std::vector<Elf64_Phdr> segments;
  std::optional<Elf64_Phdr> dynamic;
  std::optional<Elf64_Phdr> relro;
  uint64_t begin = 0;      // the image's address in the file; page-aligned
  uint64_t size = 0;       // bytes, whole pages
  uint64_t alignment = 0;  // of the image; bytes

  // Returns the bytes from a multiple of the alignment to the image.
  uint64_t lead() const { return alignment == 0 ? 0 : begin & (alignment - 1); }
};

// Reads and checks the headers. `page` is the size of the pages in which the
// segments must not meet. INVALID_ARGUMENT: the file is not an ELF file, is
// damaged, or needs smaller pages. UNIMPLEMENTED: it is for another machine, or
// of an unsupported kind. RESOURCE_EXHAUSTED: the image is over 2 GiB, there
// are more than 64 segments, or memory ran out.
absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file,
                                        ElfUse use, uint64_t page);

// Reads the layout as above. The page is this system's; for kRead, it is
// kSmallestPage.
absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file,
                                        ElfUse use);

// Checks a file of `file_size` bytes for an isolated worker, whose executables
// it cannot write. UNIMPLEMENTED: the file has data that its code may write
// after relocation. RESOURCE_EXHAUSTED: it needs much more memory than it has
// bytes, all of which would exist from the start.
absl::Status CheckForWorker(const ElfLayout& layout, uint64_t file_size);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LAYOUT_H_
