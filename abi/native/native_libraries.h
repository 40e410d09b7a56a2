// Native libraries as VM modules: one for each module name of their manifests.
//
//   ASSIGN_OR_RETURN(auto library, LoadNativeLibrary("k.so", ""));
//   ASSIGN_OR_RETURN(auto modules, CreateNativeModules({library}, services));
// A program's import "xffi.scale?axis=1:i32" is then the function "scale" of
// the manifest's module "xffi" with that attribute.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_
#define EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/native/library.h"
#include "abi/native/manifest.h"
#include "abi/native/native_function.h"
#include "absl/status/statusor.h"
#include "vm/module.h"

namespace eyrie::native {

// A library and what it offers. Immutable; shared by threads.
struct LoadedLibrary {
  std::shared_ptr<const NativeLibrary> library;
  Manifest manifest;
};

// Reads the manifest (empty: the library's own), then opens the library, which
// runs its constructors. Fails as ReadManifest and NativeLibrary::Open.
absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadNativeLibrary(
    const std::string& path, const std::string& manifest);

using NativeModules = std::vector<std::shared_ptr<const vm::Module>>;

// Checks every function that is of this platform: its symbols, its version.
// Those that cannot be called here fail when they are imported. ALREADY_EXISTS:
// two libraries have a function of the same name.
absl::StatusOr<NativeModules> CreateNativeModules(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::shared_ptr<const NativeServices>& services);

// The functions of the libraries, "xffi.scale", in order.
std::vector<std::string> NativeFunctionNames(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries);

// Assembly text of a program whose one function "xffi.scale" calls the import
// of that name with so many operands, so that a native function can be called
// like any other. `name` may have attributes behind it. NOT_FOUND: there is no
// such function.
absl::StatusOr<std::string> ForwardingProgram(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::string& name, size_t operands);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_
