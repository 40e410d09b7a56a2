// Native libraries as VM modules, one for each module name in their manifests.
//
//   ASSIGN_OR_RETURN(auto library, LoadNativeLibrary("k.so", ""));
//   ASSIGN_OR_RETURN(auto modules, CreateNativeModules({library}, services));
//
// A program's import "xffi.scale?axis=1:i32" then calls the function "scale" of
// the manifest's module "xffi" with that attribute.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_
#define EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/native/library.h"
#include "abi/native/manifest.h"
#include "abi/native/native_function.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/module/module.h"

namespace eyrie::native {

// A library and its manifest. Immutable; may be shared by threads.
struct LoadedLibrary {
  std::shared_ptr<const NativeLibrary> library;
  Manifest manifest;
};

// Reads the manifest from a file, or from the library if `manifest` is empty,
// and then opens the library, which runs its constructors. Returns the errors
// of ReadManifest and NativeLibrary::Open.
absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadNativeLibrary(
    const std::string& path, const std::string& manifest);

// Reads a manifest's text, which has no file name, and then opens the library
// at `path`, as LoadNativeLibrary does.
absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadWithManifest(
    const std::string& path, absl::string_view manifest);

// Creates a library of functions that are in this program, by the names of
// their symbols. `name` is its path in messages. Returns the errors of
// Manifest::Parse and NativeLibrary::OfProgram. NOT_FOUND: a symbol of the
// manifest is not given.
absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LibraryOfProgram(
    absl::string_view manifest, std::map<std::string, void*> symbols,
    std::string name = "this program");

// Loads a function of the library. Returns the errors of
// NativeDeclaration::Load, prefixed by the library's and the function's name.
absl::StatusOr<std::shared_ptr<const NativeFunction>> LoadFunction(
    const LoadedLibrary& library, absl::string_view name);

using NativeModules = std::vector<std::shared_ptr<const vm::Module>>;

// Creates the modules. Checks the symbols and version of every function for
// this platform. A function for another platform fails only when it is
// imported. ALREADY_EXISTS: two libraries have a function of the same name.
absl::StatusOr<NativeModules> CreateNativeModules(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::shared_ptr<const NativeServices>& services);

// Returns the names of all functions, such as "xffi.scale", in order.
std::vector<std::string> NativeFunctionNames(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries);

// Reports whether a function "xffi.sum?axis=1" has any number of arguments.
// False if no library has it.
bool HasRest(std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
             absl::string_view name);

// Returns the assembly text of a program that exports one function
// "xffi.scale", which calls the import of that name with `operands` operands.
// So a native function can be called like any other. `name` may include
// attributes. NOT_FOUND: no library has this function.
absl::StatusOr<std::string> ForwardingProgram(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::string& name, size_t operands);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_LIBRARIES_H_
