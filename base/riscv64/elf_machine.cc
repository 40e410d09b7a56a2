// The number of this machine.
#include "base/elf_machine.h"

#include <elf.h>

namespace eyrie {

uint16_t ThisElfMachine() { return EM_RISCV; }

}  // namespace eyrie
