// Decodes x86-64 machine code just far enough to tell which instruction set
// extensions it needs and where it jumps.
//
// Tested by ../code_scan_test.cc.
#ifndef EYRIE_HAL_CPU_X86_64_INSTRUCTION_H_
#define EYRIE_HAL_CPU_X86_64_INSTRUCTION_H_

#include <cstdint>
#include <span>

#include "hal/cpu/machine/instruction.h"

namespace eyrie::hal::cpu {

// InstructionSet::decode.
Instruction DecodeX86(std::span<const uint8_t> code, uint64_t address);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_X86_64_INSTRUCTION_H_
