// The options of a compilation, xla.CompileOptionsProto.
// Tested by compile_options_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILE_OPTIONS_H_
#define EYRIE_PLUGINS_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::pjrt {

struct CompileOptions {
  // The id of the device that runs the program; none: the client's first one.
  std::optional<int64_t> device;
  // Further flags of the compiler, separated by blanks: the option
  // "eyrie_flags" of the program, as in jax.jit(f, compiler_options={...}).
  std::string flags;
};

// Reads a serialized CompileOptionsProto; "" has the defaults.
// UNIMPLEMENTED: several replicas or partitions. INVALID_ARGUMENT: the bytes
// are no such message, or the program has another option.
absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view bytes);

// Returns a serialized DeviceAssignmentProto of one device.
std::string DeviceAssignmentOf(int64_t device);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILE_OPTIONS_H_
