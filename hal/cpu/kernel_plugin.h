// Executable plug-ins: libraries that provide the functions which executables
// import.
//
// Their interface is IREE's, version 0.1: names and offsets are from its
// runtime/src/iree/hal/local/executable_plugin.h. A plug-in is native code with
// all rights of this process. Tested by tools/native_test.txt.
#ifndef EYRIE_HAL_CPU_KERNEL_PLUGIN_H_
#define EYRIE_HAL_CPU_KERNEL_PLUGIN_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/cpu/dispatch_abi.h"

namespace eyrie::hal::cpu {

// A loaded plug-in. Thread-safe. Must outlive the executables whose imports it
// resolved.
class KernelPlugin {
 public:
  // Loads a shared library. If its name ends in ".sos" or `path` begins with
  // "embedded:", it needs no system libraries, and is loaded as an embedded
  // executable is. NOT_FOUND: no such file. INVALID_ARGUMENT: it cannot be
  // loaded, or is not a plug-in. UNIMPLEMENTED: its version is unknown, or it
  // was compiled with a sanitizer. Any code that the plug-in returns when it
  // loads.
  static absl::StatusOr<std::shared_ptr<const KernelPlugin>> Load(
      const std::string& path);

  virtual ~KernelPlugin() = default;
  KernelPlugin(const KernelPlugin&) = delete;
  KernelPlugin& operator=(const KernelPlugin&) = delete;

  // Fills the entries of `functions` that are null and that it knows, with
  // their contexts. All three have the same size, and the plug-in may change
  // its entries until it is destroyed. `names` are null-terminated; "?" begins
  // the name of an optional import. Any code that the plug-in returns.
  virtual absl::Status Resolve(std::span<const char* const> names,
                               std::span<ImportFunction> functions,
                               std::span<void*> contexts) const = 0;

 protected:
  KernelPlugin() = default;
};

// The plug-ins of a device: an option of CPU drivers.
struct KernelPlugins {
  std::vector<std::string> paths;
  // Loaded from `paths`, in their order, when the device is opened.
  std::vector<std::shared_ptr<const KernelPlugin>> loaded;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_KERNEL_PLUGIN_H_
