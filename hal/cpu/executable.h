// Executables for the CPU: libraries of native kernels, in the formats
// "embedded-elf-x86_64" and "system-elf-x86_64".
//
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_CPU_EXECUTABLE_H_
#define EYRIE_HAL_CPU_EXECUTABLE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/driver.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {

// Returns the formats that LoadExecutable takes with these options.
std::vector<absl::string_view> SupportedFormats(const DriverOptions& options);
bool SupportsFormat(absl::string_view format, const DriverOptions& options);

// Loads an executable for a processor with the given features.
//
// INVALID_ARGUMENT: the file is damaged, or the number of specialization
// constants is wrong. UNIMPLEMENTED: `options` do not allow the format, or the
// format, machine, library version or a CPU feature is not supported.
// NOT_FOUND: the file imports a function that no plug-in provides, or does not
// export the query function. RESOURCE_EXHAUSTED: a limit is exceeded, or memory
// ran out.
//
// Before code of the executable runs, its CPU features are checked, except for
// initializers of a system executable, which the system's linker runs.
absl::StatusOr<Ref<hal::Executable>> LoadExecutable(
    const ExecutableParams& params, const DriverOptions& options,
    FeatureSet machine = MachineFeatures());

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_EXECUTABLE_H_
