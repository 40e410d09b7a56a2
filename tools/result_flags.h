// Flags of results, by which results are printed, written or compared.
//
// Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_RESULT_FLAGS_H_
#define EYRIE_TOOLS_RESULT_FLAGS_H_

#include <span>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/call/value_writer.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/arg_parser.h"
#include "tools/trace_flags.h"
#include "vm/isa/value.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> ResultFlags();

// How results are printed, and expected results are read.
struct ResultStyle {
  abi::PrintOptions print;
  abi::NarrowFloats floats = abi::NarrowFloats::kNumbers;
};

// Returns the options of --output_max_element_count.
abi::PrintOptions PrintOptionsOf(const Arguments& arguments);

// Reports whether --output, a single word, is a format of all results.
bool WantsFormat(const Arguments& arguments);

// Reports whether ShowResults prints anything if all is well.
bool PrintsResults(const Arguments& arguments);

// INVALID_ARGUMENT: --equality_mode or a threshold has an invalid value.
absl::Status CheckEquality(const Arguments& arguments);

// Checks the output files before the run.
absl::Status PrepareOutputs(const Arguments& arguments,
                            abi::ValueWriter& writer, const Tracing& tracing);

// OUT_OF_RANGE unless --output is given for each result or not at all;
// INVALID_ARGUMENT if it is malformed.
absl::Status CheckOutputs(const Arguments& arguments,
                          const abi::Callable& function);

// Prints, writes or compares the results. Returns false if they are not as
// expected.
absl::StatusOr<bool> ShowResults(const Arguments& arguments,
                                 const abi::Callable& function,
                                 const Ref<hal::Device>& device,
                                 std::vector<vm::Value> results,
                                 const ResultStyle& style,
                                 abi::ValueWriter& writer);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RESULT_FLAGS_H_
