// --args, --kwargs and --output=json: JSON arguments and results by a
// function's signature. --input=auto, random and zeros: generated arguments.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_JSON_FLAGS_H_
#define EYRIE_TOOLS_JSON_FLAGS_H_

#include <span>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/text_stream.h"
#include "hal/device.h"
#include "tools/arg_parser.h"
#include "vm/isa/value.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> JsonFlags();

// Reports whether ReadJsonInputs, not the --input texts, gives the arguments.
bool HasJsonInputs(const Arguments& arguments);

// Returns the number of arguments that --args and --kwargs give; 0 for those
// that standard input gives. Returns the errors of reading them.
absl::StatusOr<size_t> CountJsonInputs(const Arguments& arguments);

// If auto, random or zeros is one of several --input values, adds to the error
// that it must be the only one.
absl::Status HintAtSamples(const Arguments& arguments,
                           const absl::Status& status);

// Returns the function's arguments. INVALID_ARGUMENT: --input is given as well,
// the JSON is malformed, or its values do not match the signature.
absl::StatusOr<std::vector<vm::Value>> ReadJsonInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device);

// Returns the arguments that a JSON array gives in order, or a JSON object by
// name. INVALID_ARGUMENT: the text is neither, or does not match the signature.
absl::StatusOr<std::vector<vm::Value>> ReadJsonArguments(
    const Arguments& arguments, absl::string_view text,
    const abi::Callable& function, const Ref<hal::Device>& device);

// Reports whether --output=json is given, and no other --output.
bool WantsJsonOutput(const Arguments& arguments);

// Writes the results as JSON without a line break: a single result as its
// value, otherwise an array.
absl::Status WriteResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device, TextSink sink);

// Prints the same to stdout, as one line.
absl::Status PrintResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JSON_FLAGS_H_
