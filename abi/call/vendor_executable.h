// Reads the kernels' names in executables of GPU vendors: CUDA, HIP and Metal.
// No device here runs them; `eyrie inspect` and `eyrie upgrade` need the names.
//
// Tested by describe_executable_test.cc.
#ifndef EYRIE_ABI_CALL_VENDOR_EXECUTABLE_H_
#define EYRIE_ABI_CALL_VENDOR_EXECUTABLE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/executable_facts.h"

namespace eyrie::abi {

// Returns the kernels by ordinal, or nullopt if the format is of no vendor.
// INVALID_ARGUMENT: malformed. UNIMPLEMENTED: of a release before 3.10, or of a
// header's version other than 0.
std::optional<absl::StatusOr<hal::ExecutableFacts>> DescribeVendorExecutable(
    absl::string_view format, std::span<const uint8_t> data);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_VENDOR_EXECUTABLE_H_
