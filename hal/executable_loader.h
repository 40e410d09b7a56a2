// What loads executables of one format for devices: who opens a device gives
// it the loaders it may use (DriverOptions).
//
// A loader makes executables of the kind that the devices run: for the CPU,
// cpu::KernelExecutable.
#ifndef EYRIE_HAL_EXECUTABLE_LOADER_H_
#define EYRIE_HAL_EXECUTABLE_LOADER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/executable.h"

namespace eyrie::hal {

// Immutable; shared by threads.
class ExecutableLoader {
 public:
  virtual ~ExecutableLoader() = default;

  // As modules ask for it by hal.executable.format: "vmvx-bytecode-fb".
  virtual absl::string_view format() const = 0;

  // Loads an executable of this format. INVALID_ARGUMENT: damaged;
  // UNIMPLEMENTED: a version or feature that is not here.
  virtual absl::StatusOr<Ref<Executable>> Load(
      const ExecutableParams& params) const = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_LOADER_H_
