// Kernels that attack their host, and the sentences that they end with.
#ifndef EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_ROWS_H_
#define EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_ROWS_H_

#include <cstdint>
#include <vector>

#include "hal/cpu/isolate/testing/hostile_code.h"

namespace eyrie::hal::cpu::isolate {

// Memory of the host that rows try to read and write.
extern uint64_t host_word;

// The message of a row that does not end within 100 ms.
extern const char kPastDeadline[];

std::vector<HostileRow> HostileRows();

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_ROWS_H_
