// Flags of modules, devices and inputs, which all commands that call functions
// share.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_LOAD_FLAGS_H_
#define EYRIE_TOOLS_LOAD_FLAGS_H_

#include <span>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tools/arg_parser.h"
#include "tools/native_flags.h"
#include "vm/isa/value.h"

namespace eyrie::tools {

// Returns the flags of devices and the JIT, which kernels without a module
// have, too.
std::vector<Flag> KernelFlags();

// Returns the flags of a call and `own`, without those of traces and of
// statistics.
std::vector<Flag> WithCallFlags(std::span<const Flag> own);

// Returns the same, then this file's other flags, then those without effect.
std::vector<Flag> WithLoadFlags(std::span<const Flag> own);

// Returns those of WithLoadFlags without the function and its inputs.
std::vector<Flag> WithSessionFlags(std::span<const Flag> own);

// Returns the modules' paths: those of --module, then positional arguments.
std::vector<std::string> ModulePaths(const Arguments& arguments);

// INVALID_ARGUMENT: more than one of the modules and of these flags is '-', for
// standard input, which can be read once.
absl::Status CheckStandardInput(const Arguments& arguments,
                                std::span<const char* const> flags);

// Loads the modules of ModulePaths(). If there are only native libraries,
// returns a program that calls --function of them. `pauses` must be true for a
// session with a stepper.
absl::StatusOr<std::vector<abi::Program>> LoadPrograms(
    const Arguments& arguments, const NativeLibraries& natives,
    bool pauses = false);

// Sets the limits, the JIT and the parameters of a session from the flags. Must
// be called before modules are loaded (one may be standard input), so that a
// wrong path is reported at once. Fails as LimitsOf, JitOf and LoadParameters
// do, or if a module's file cannot be read.
absl::Status ReadSessionOptions(const Arguments& arguments,
                                abi::SessionOptions& options);

// Returns the options of devices from the flags. Device names are not included.
absl::StatusOr<hal::DriverOptions> DriverOptionsOf(const Arguments& arguments);

// Opens the devices of --device.
absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    const Arguments& arguments);
// Opens these devices instead, with the other flags.
absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    const Arguments& arguments, std::span<const std::string> uris);

// Reads --input texts, or --args and --kwargs, as the function's arguments,
// and checks them.
absl::StatusOr<std::vector<vm::Value>> ReadInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device,
    abi::NarrowFloats floats = abi::NarrowFloats::kNumbers);

// Reads --expected_output as values that the function's results are compared
// with. Fails as abi::ValueReader does.
absl::StatusOr<std::vector<abi::ParsedValue>> ReadExpected(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device, std::span<const vm::Value> results,
    abi::NarrowFloats floats = abi::NarrowFloats::kNumbers);

// Prints each device's memory statistics to stderr.
void PrintStatistics(std::span<const Ref<hal::Device>> devices);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_LOAD_FLAGS_H_
