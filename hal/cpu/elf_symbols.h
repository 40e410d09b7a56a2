// The functions that an ELF file names in its symbol table, which need not be
// loaded: for profilers.
//
// Tested by perf_functions_test.cc, elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_SYMBOLS_H_
#define EYRIE_HAL_CPU_ELF_SYMBOLS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::hal::cpu {

struct ElfFunction {
  absl::string_view name;  // in the file
  uint64_t address;        // as the file counts
  uint64_t size;           // bytes; 0 if unknown
};

// Returns the functions in ".symtab" or, without one, ".dynsym": at most 65536,
// and none if the table is damaged. `file` may be any bytes.
std::vector<ElfFunction> ReadElfFunctions(std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_SYMBOLS_H_
