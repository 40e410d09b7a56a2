// Native libraries from flags.
//
// Tested by native_test.sh.
#ifndef EYRIE_TOOLS_NATIVE_FLAGS_H_
#define EYRIE_TOOLS_NATIVE_FLAGS_H_

#include <memory>
#include <span>
#include <vector>

#include "abi/call/session.h"
#include "abi/native/native_libraries.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

using NativeLibraries =
    std::vector<std::shared_ptr<const native::LoadedLibrary>>;

// The rows of this file's flags.
std::span<const Flag> NativeFlags();

// Opens the libraries of --native_library, which runs their initializers.
// PERMISSION_DENIED: --no_native_code is given, too.
absl::StatusOr<NativeLibraries> LoadNativeLibraries(const Arguments& arguments);

// Returns a program that calls the native function --function, or the only one,
// with one operand per --input.
absl::StatusOr<abi::Program> CallingProgram(const Arguments& arguments,
                                            const NativeLibraries& natives);

// INVALID_ARGUMENT: modules are given, and --function names a function of a
// library.
absl::Status CheckCalled(const Arguments& arguments,
                         const NativeLibraries& natives,
                         std::span<const abi::Program> programs);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_NATIVE_FLAGS_H_
