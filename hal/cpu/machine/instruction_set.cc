// The machines that the rules are known for.
#include "hal/cpu/machine/instruction_set.h"

#include "base/elf_machine.h"

namespace eyrie::hal::cpu {

const InstructionSet* FindInstructionSet(uint16_t machine) {
  for (const InstructionSet* set : {&kAArch64, &kRiscv64, &kX86_64}) {
    if (set->machine == machine) return set;
  }
  return nullptr;
}

const InstructionSet& ThisInstructionSet() {
  static const InstructionSet& set = *FindInstructionSet(ThisElfMachine());
  return set;
}

}  // namespace eyrie::hal::cpu
