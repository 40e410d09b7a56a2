// Loads "system ELF" executables: shared objects that the system's own linker
// loads, with the system libraries that they need.
//
// Their code runs during loading, with all rights of this process. Load them
// only if the user asked for it.
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_
#define EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "hal/cpu/image.h"

namespace eyrie::hal::cpu {

// Loads a file from memory. Its bytes are not needed afterwards. Fails as
// ReadElfLayout does. INVALID_ARGUMENT: the linker refuses the file; the
// message is the linker's. INTERNAL: the file cannot be stored in memory.
absl::StatusOr<std::unique_ptr<Image>> LoadSystemLibrary(
    std::span<const uint8_t> file);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_SYSTEM_LIBRARY_H_
