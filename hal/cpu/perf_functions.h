// Lists the functions of a loaded library for perf: its kernels, and the
// functions in its file's symbol table.
//
// Tested by perf_functions_test.cc.
#ifndef EYRIE_HAL_CPU_PERF_FUNCTIONS_H_
#define EYRIE_HAL_CPU_PERF_FUNCTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/perf_map.h"
#include "hal/cpu/library_executable.h"

namespace eyrie::hal::cpu {

// Returns functions in the order of their addresses, inside the code and
// without overlaps. A function of unknown size reaches to the next one, or to
// the end of the code. After a function of known size, a gap that is too large
// for padding becomes a function of its own. `file` must be the file of the
// executable.
std::vector<PerfMap::Function> PerfFunctions(const LibraryExecutable& library,
                                             std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_PERF_FUNCTIONS_H_
