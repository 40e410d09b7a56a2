// The machine code within a module file, which no loader can check.
#ifndef EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_
#define EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::tests {

// For each byte of a file, whether it is machine code of an ELF file within,
// or says where such code begins: the fields of its program header, symbols
// and relocations with addresses in it. A wrong address there is code that
// begins in the middle of an instruction.
std::vector<bool> FindMachineCode(std::span<const uint8_t> file);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_MACHINE_CODE_H_
