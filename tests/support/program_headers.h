// Changes the program headers of ELF files.
#ifndef EYRIE_TESTS_SUPPORT_PROGRAM_HEADERS_H_
#define EYRIE_TESTS_SUPPORT_PROGRAM_HEADERS_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace eyrie::tests {

// Returns the file after change(segment) for each program header. Returns a
// file without an ELF header as it is.
template <typename Change>
std::vector<uint8_t> WithProgramHeaders(std::vector<uint8_t> file,
                                        const Change& change) {
  Elf64_Ehdr header;
  if (file.size() < sizeof(header)) return file;
  std::memcpy(&header, file.data(), sizeof(header));
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    uint8_t* const at = file.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, at, sizeof(segment));
    change(segment);
    std::memcpy(at, &segment, sizeof(segment));
  }
  return file;
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_PROGRAM_HEADERS_H_
