// Kernels that attack their host, and the sentences that they end with.
#ifndef EYRIE_HAL_CPU_ISOLATE_HOSTILE_ROWS_H_
#define EYRIE_HAL_CPU_ISOLATE_HOSTILE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hal/cpu/isolate/hostile_library.h"

namespace eyrie::hal::cpu::isolate {

// Code of a kernel, which finds its environment, dispatch and workgroup in rdi,
// rsi and rdx.
struct HostileRow {
  const char* name;
  Code code;
  std::string want;             // in the message
  bool needs_dispatch = false;  // it differs, or is absent, in other functions
};

// Memory of the host that rows try to read and write.
extern uint64_t host_word;

// The message of a row that does not end within 100 ms.
extern const char kPastDeadline[];

std::vector<HostileRow> HostileRows();

// A kernel that adds the constant to the word of each workgroup.
void AddKernel(asmjit::x86::Assembler& a);
// Code that never ends, but says that it has.
void CountsItselfDone(asmjit::x86::Assembler& a);
// Code that never ends.
void Spin(asmjit::x86::Assembler& a);

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_HOSTILE_ROWS_H_
