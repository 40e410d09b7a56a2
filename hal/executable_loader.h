// What loads executables of one format for devices: who opens a device gives
// it the loaders it may use (DriverOptions).
//
// A loader makes executables of the kind that the devices run: for the CPU,
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

  // What an executable of this format holds, without running any of it. Fails
  // as Load, as far as that can be told so.
  virtual absl::StatusOr<ExecutableFacts> Describe(
      std::span<const uint8_t> data) const = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_LOADER_H_
