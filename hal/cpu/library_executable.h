// Executables of libraries of native kernels.
//
// Tested by executable_test.cc, perf_functions_test.cc.
#ifndef EYRIE_HAL_CPU_LIBRARY_EXECUTABLE_H_
#define EYRIE_HAL_CPU_LIBRARY_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/cpu/code_places.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/image.h"
#include "hal/cpu/kernel_plugin.h"
#include "hal/cpu/library.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/cpu/native_executable.h"

namespace eyrie::hal::cpu {

// Calls a library's own functions. By default, in this process.
class LibraryCaller {
 public:
  virtual ~LibraryCaller() = default;
  virtual absl::Status Initialize(uint64_t address);
  // Returns a pointer that must be checked, or null if the library does not
  // support the version.
  virtual absl::StatusOr<const LibraryHeader* const*> Query(
      uint64_t address, uint32_t version, const Environment& environment);
};

// A loaded library. The names and addresses of its kernels point into image().
class LibraryExecutable final : public NativeExecutable {
 public:
  std::span<const ExportInfo> exports() const override { return exports_; }

  absl::string_view name() const { return name_; }
  size_t import_count() const { return import_functions_.size(); }
  const Image& image() const { return *image_; }

 private:
  friend class LibraryLoader;

  LibraryExecutable() = default;

  // Unloaded after the image, whose code calls them.
  std::vector<std::shared_ptr<const KernelPlugin>> plugins_;
  std::unique_ptr<Image> image_;
  absl::string_view name_;  // points into the image
  std::vector<uint32_t> constants_;
  std::vector<ImportFunction> import_functions_;
  std::vector<void*> import_contexts_;
  Environment library_environment_ = {};
  std::vector<ExportInfo> exports_;
  std::vector<Kernel> export_kernels_;
  KnownCode known_code_;  // ends first
};

// Creates an executable from a loaded image: checks the CPU features that its
// code needs, then calls it for its tables. `plugins` provide its imports, the
// first that knows one. Returns the errors of LoadExecutable, and of `caller`,
// which may be null.
absl::StatusOr<Ref<LibraryExecutable>> CreateLibraryExecutable(
    std::unique_ptr<Image> image, std::span<const uint32_t> constants,
    FeatureSet machine,
    std::vector<std::shared_ptr<const KernelPlugin>> plugins = {},
    LibraryCaller* caller = nullptr);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_LIBRARY_EXECUTABLE_H_
