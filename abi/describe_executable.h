// Executables of any format, described without running or loading them.
//
// Tested by describe_executable_test.cc.
#ifndef EYRIE_ABI_DESCRIBE_EXECUTABLE_H_
#define EYRIE_ABI_DESCRIBE_EXECUTABLE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/executable_facts.h"

namespace eyrie::abi {

// By whatever driver or loader knows the format, whether there is a device for
// it or not. UNIMPLEMENTED: none does; INVALID_ARGUMENT and the like: as it
// says. Thread-safe.
absl::StatusOr<hal::ExecutableFacts> DescribeExecutable(
    absl::string_view format, std::span<const uint8_t> data);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_DESCRIBE_EXECUTABLE_H_
