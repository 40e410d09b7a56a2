// Reads the functions in an ELF file's symbol table, for profilers. Section
// headers locate the table; it need not be loaded.
//
// Tested by perf_functions_test.cc, testing/elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_SYMBOLS_H_
#define EYRIE_HAL_CPU_ELF_SYMBOLS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::hal::cpu {

struct ElfFunction {
  absl::string_view name;  // points into the file
  uint64_t address;        // in the file; add Image::bias() for memory
  uint64_t size;           // bytes; 0 if unknown
};

// Returns the named functions among the first 65536 symbols of ".symtab" or,
// without one, of ".dynsym". Returns none if the table is damaged. `file` may
// be any bytes.
std::vector<ElfFunction> ReadElfFunctions(std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_SYMBOLS_H_
