// Loads "system ELF" executables: shared objects that the system's own linker
// loads, with whatever system libraries they ask for.
//
// Their code runs as they are loaded, with all the rights of this process:
// only for users who asked for it.
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_
#define EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "hal/cpu/image.h"

namespace eyrie::hal::cpu {

// Loads a file from memory, which is not needed afterwards. The codes of
// ReadElfLayout; INVALID_ARGUMENT: the linker refuses it, in its own words.
absl::StatusOr<std::unique_ptr<Image>> LoadSystemLibrary(
    std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_
