// The machines that ELF files are built for.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_ELF_MACHINE_H_
#define EYRIE_BASE_ELF_MACHINE_H_

#include <cstdint>
#include <string>

namespace eyrie {

// Returns the number of the machine for which this program is compiled: an EM_
// constant of <elf.h>. Each machine has its own file.
uint16_t ThisElfMachine();

// Returns a name such as "x86-64", or "machine 999" if it is unknown.
std::string ElfMachineName(uint16_t machine);

}  // namespace eyrie

#endif  // EYRIE_BASE_ELF_MACHINE_H_
