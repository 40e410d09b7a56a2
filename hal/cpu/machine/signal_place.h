// The instruction at which a signal stopped a thread. Each machine has its own
// file.
//
// Tested by hal/cpu/isolate/isolate_test.cc, tools/fault_report_test.txt.
#ifndef EYRIE_HAL_CPU_MACHINE_SIGNAL_PLACE_H_
#define EYRIE_HAL_CPU_MACHINE_SIGNAL_PLACE_H_

#include <cstdint>

namespace eyrie::hal::cpu {

// Returns the instruction's address. `context` is the third argument of a
// handler with SA_SIGINFO.
uint64_t SignalPlace(const void* context);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_MACHINE_SIGNAL_PLACE_H_
