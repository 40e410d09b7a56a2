// Makes "embedded-elf-x86_64" executables of machine code, for tests.
#ifndef EYRIE_HAL_CPU_ISOLATE_HOSTILE_LIBRARY_H_
#define EYRIE_HAL_CPU_ISOLATE_HOSTILE_LIBRARY_H_

#include <asmjit/x86.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace eyrie::hal::cpu::isolate {

using Code = std::function<void(asmjit::x86::Assembler&)>;

// Returns a library of version 6 with one export, "hostile", of 1 constant and
// 1 binding. `query` runs before the library's tables are returned.
std::vector<uint8_t> LibraryOf(const Code& kernel, const Code& query = nullptr);

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_HOSTILE_LIBRARY_H_
