// Executables for the CPU: libraries of native kernels, in the formats
// "embedded-elf-x86_64" and "system-elf-x86_64".
//
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_CPU_EXECUTABLE_H_
#define EYRIE_HAL_CPU_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/cpu/cpu_features.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/image.h"
#include "hal/cpu/library.h"
#include "hal/cpu/native_executable.h"
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
// NOT_FOUND: the file imports a function, or does not export the query
// function. RESOURCE_EXHAUSTED: a limit is exceeded, or memory ran out.
//
// Before code of the executable runs, its CPU features are checked, except for
// initializers of a system executable, which the system's linker runs.
absl::StatusOr<Ref<hal::Executable>> LoadExecutable(
    const ExecutableParams& params, const DriverOptions& options,
    FeatureSet machine = MachineFeatures());

// A loaded library. The names and addresses of its kernels point into image().
class LibraryExecutable final : public NativeExecutable {
 public:
  std::span<const ExportInfo> exports() const override { return exports_; }

  absl::string_view name() const { return name_; }
  const Image& image() const { return *image_; }

 private:
  friend class LibraryLoader;

  LibraryExecutable() = default;

  std::unique_ptr<Image> image_;
  absl::string_view name_;  // points into the image
  std::vector<uint32_t> constants_;
  std::vector<ImportFunction> import_functions_;
  std::vector<void*> import_contexts_;
  Environment library_environment_ = {};
  std::vector<ExportInfo> exports_;
  std::vector<Kernel> export_kernels_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_EXECUTABLE_H_
