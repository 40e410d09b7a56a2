// An instruction of machine code: the instruction set extensions that it needs
// and where it jumps. Otherwise a kernel for a newer processor would end the
// process with SIGILL; docs/executables.md compares this with a library.
//
// Tested by hal/cpu/code_scan_test.cc.
#ifndef EYRIE_HAL_CPU_MACHINE_INSTRUCTION_H_
#define EYRIE_HAL_CPU_MACHINE_INSTRUCTION_H_

#include <cstdint>

#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {

// The effect of an instruction on control flow.
enum class Flow : uint8_t {
  kNext,     // nothing
  kPadding,  // nothing at all: a no-op
  kTrap,     // ends the process; linkers fill gaps between functions with it
  kCall,     // to `target` or through a pointer, and back
  kBranch,   // to `target`, or not
  kJump,     // to `target`
  kSwitch,   // through a register or memory: a jump table, or elsewhere
  kStop,     // elsewhere: a return, a trap
};

// One instruction. Its length is 0 if the bytes are not a known instruction.
struct Instruction {
  uint8_t length = 0;  // bytes
  Flow flow = Flow::kNext;
  // True for direct calls and jumps, and for an instruction that forms an
  // address of the code: `target` is known.
  bool has_target = false;
  int32_t target = 0;  // relative to the end of the instruction
  FeatureSet needs;

  // Sets the target, relative to the start of the instruction, whose length is
  // set. One too far for `target` stays unknown.
  void SetTarget(int64_t from_start) {
    const int64_t from_end = from_start - length;
    target = static_cast<int32_t>(from_end);
    has_target = target == from_end;
    if (!has_target) target = 0;
  }
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_MACHINE_INSTRUCTION_H_
