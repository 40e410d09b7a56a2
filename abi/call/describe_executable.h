// Describes executables of any format, without loading or running them.
//
// Tested by describe_executable_test.cc.
#ifndef EYRIE_ABI_CALL_DESCRIBE_EXECUTABLE_H_
#define EYRIE_ABI_CALL_DESCRIBE_EXECUTABLE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/executable_facts.h"

namespace eyrie::abi {

// Describes an executable, using the driver or loader that knows the format; no
// device is needed. Thread-safe. UNIMPLEMENTED: none knows the format.
// Otherwise fails as that driver or loader does, with INVALID_ARGUMENT if the
// data is malformed.
absl::StatusOr<hal::ExecutableFacts> DescribeExecutable(
    absl::string_view format, std::span<const uint8_t> data);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_DESCRIBE_EXECUTABLE_H_
