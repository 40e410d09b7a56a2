// `eyrie run --batch`: calls a function once for each of many inputs.
//
// Inputs are JSON lines, or files of a folder. Each call prints a line of JSON,
// in the order of the inputs; a failed call prints its error in its place.
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_BATCH_H_
#define EYRIE_TOOLS_BATCH_H_

#include <atomic>
#include <span>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/status/statusor.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> BatchFlags();

// INVALID_ARGUMENT: another flag cannot be combined with --batch, or a value is
// out of range. Returns OK if --batch is not given.
absl::Status CheckBatch(const Arguments& arguments);

// Calls --function for each input of --batch, in --batch_jobs contexts of the
// programs. Returns false if a call failed. Sets `interrupted`, and returns
// CANCELLED, if the user interrupts; the lines of all completed calls before
// the first one that is not are then written.
absl::StatusOr<bool> RunBatch(const Arguments& arguments,
                              const std::vector<abi::Program>& programs,
                              const std::vector<Ref<hal::Device>>& devices,
                              const abi::SessionOptions& options,
                              abi::NarrowFloats floats,
                              std::atomic<bool>& interrupted);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BATCH_H_
