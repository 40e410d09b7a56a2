// Flags that say what to load, where to run it and with which inputs: those of
// every command that calls functions.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_LOAD_FLAGS_H_
#define EYRIE_TOOLS_LOAD_FLAGS_H_

#include <span>
#include <string>
#include <vector>

#include "abi/function_io.h"
#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tools/arg_parser.h"
#include "tools/native_flags.h"
#include "vm/value.h"

namespace eyrie::tools {

// The rows of this file's flags, then `own`, then those without effect.
std::vector<Flag> WithLoadFlags(std::span<const Flag> own);

// The same without the flags that say which function to call, and with what.
std::vector<Flag> WithSessionFlags(std::span<const Flag> own);

// The modules' paths: those of --module, then plain arguments.
std::vector<std::string> ModulePaths(const Arguments& arguments);

// Loads --module files, then those that are plain arguments. If there are none
// but native libraries, a program that calls --function of them. `pauses`: for
// a session with a stepper.
absl::StatusOr<std::vector<abi::Program>> LoadPrograms(
    const Arguments& arguments, const NativeLibraries& natives,
    bool pauses = false);

// Limits, and the parameters that are read within them: what the flags say of
// a session's options. To be called before modules are loaded, one of which may
// be standard input, so that a wrong path is reported at once. Fails as
// LimitsOf and LoadParameters, or because a module's file cannot be read.
absl::Status ReadSessionOptions(const Arguments& arguments,
                                abi::SessionOptions& options);

// What the flags say of devices, but for their names.
absl::StatusOr<hal::DriverOptions> DriverOptionsOf(const Arguments& arguments);

// Opens --device values.
absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    const Arguments& arguments);

// Reads --input texts, or --args and --kwargs, as the function's arguments,
// and checks them.
absl::StatusOr<std::vector<vm::Value>> ReadInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device,
    abi::NarrowFloats floats = abi::NarrowFloats::kNumbers);

// Prints each device's memory statistics to stderr.
void PrintStatistics(std::span<const Ref<hal::Device>> devices);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_LOAD_FLAGS_H_
