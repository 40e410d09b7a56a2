// The functions of a loaded library to report to perf: its kernels, and the
// functions in its file's symbol table.
//
// Tested by perf_functions_test.cc.
#ifndef EYRIE_HAL_CPU_PERF_FUNCTIONS_H_
#define EYRIE_HAL_CPU_PERF_FUNCTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/perf_map.h"
#include "hal/cpu/executable.h"

namespace eyrie::hal::cpu {

// By address, apart, each within the code. A function whose size nobody says
// reaches to the next one, or to the end of the code; what lies behind one
// whose size is known, and is no padding, is unnamed code. `file` is what the
// executable was loaded from.
std::vector<PerfMap::Function> PerfFunctions(const LibraryExecutable& library,
                                             std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_PERF_FUNCTIONS_H_
