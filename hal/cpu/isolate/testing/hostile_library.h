// A library whose machine code a test writes.
#ifndef EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_LIBRARY_H_
#define EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_LIBRARY_H_

#include <cstdint>
#include <vector>

#include "hal/cpu/isolate/testing/hostile_code.h"

namespace eyrie::hal::cpu::isolate {

// Returns a library of version 6 with one export, "hostile", of 1 constant and
// 1 binding. `query` runs before the library's tables are returned.
std::vector<uint8_t> LibraryOf(const Code& kernel, const Code& query = {});

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_LIBRARY_H_
