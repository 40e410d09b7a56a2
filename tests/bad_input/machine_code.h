// Finds machine code in a module file, which no loader can check.
#ifndef EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_
#define EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::tests {

// Returns, for each byte of a file, whether it is machine code of an ELF file
// inside, or part of an address of such code: in the program header, a symbol
// or a relocation. A wrong address there may point into an instruction.
std::vector<bool> FindMachineCode(std::span<const uint8_t> file);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_
