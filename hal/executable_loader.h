// Loads executables of one format. Devices use the loaders that DriverOptions
// lists.
//
// A loader must create executables that the devices can run: for CPU devices,
// cpu::KernelExecutable.
#ifndef EYRIE_HAL_EXECUTABLE_LOADER_H_
#define EYRIE_HAL_EXECUTABLE_LOADER_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/executable.h"
#include "hal/executable_facts.h"

namespace eyrie::hal {

// Immutable; may be shared by threads.
class ExecutableLoader {
 public:
  virtual ~ExecutableLoader() = default;

  // Returns the format's name, as modules query it by hal.executable.format:
  // "vmvx-bytecode-fb".
  virtual absl::string_view format() const = 0;

  // Loads an executable of this format. INVALID_ARGUMENT: damaged data;
  // UNIMPLEMENTED: a version or feature that is not supported.
  virtual absl::StatusOr<Ref<Executable>> Load(
      const ExecutableParams& params) const = 0;

  // Describes an executable of this format without running any of it. Returns
  // the errors of Load that can be found without loading it.
  virtual absl::StatusOr<ExecutableFacts> Describe(
      std::span<const uint8_t> data) const = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_LOADER_H_
