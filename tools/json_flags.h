// --args, --kwargs and --output=json: calls with JSON by a function's
// signature; --input=auto, random and zeros: arguments made up from it.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_JSON_FLAGS_H_
#define EYRIE_TOOLS_JSON_FLAGS_H_

#include <span>
#include <string>
#include <vector>

#include "abi/session.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/arg_parser.h"
#include "vm/value.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> JsonFlags();

// True if arguments come from here rather than from --input texts.
bool HasJsonInputs(const Arguments& arguments);

// Adds to a failure to read --input values that auto, random and zeros stand
// alone, where one of them is among several.
absl::Status HintAtSamples(const Arguments& arguments,
                           const absl::Status& status);

// The function's arguments. INVALID_ARGUMENT: --input is given as well, the
// JSON is malformed, or its values are not what the signature says.
absl::StatusOr<std::vector<vm::Value>> ReadJsonInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device);

// True for --output=json alone.
bool WantsJsonOutput(const Arguments& arguments);

// Prints the results on one line: the value if there is one, else an array.
absl::Status PrintResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JSON_FLAGS_H_
