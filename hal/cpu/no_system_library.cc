// In place of system_library.cc in a program that loads no shared libraries.
//
// Tested by tools/static_test.sh.
#include "hal/cpu/system_library.h"

namespace eyrie::hal::cpu {

absl::StatusOr<std::unique_ptr<Image>> LoadSystemLibrary(
    std::span<const uint8_t>) {
  return absl::UnimplementedError(
      "This program loads no executables of the system's format.");
}

}  // namespace eyrie::hal::cpu
