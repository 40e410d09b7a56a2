// Converts the option structs of the C API to the library's own types.
//
// Each struct begins with its size. A caller that was compiled with an older
// header passes a smaller struct; the missing fields are 0.
// Tested by runtime_test.cc, runtime_host_test.cc.
#ifndef EYRIE_ABI_C_C_OPTIONS_H_
#define EYRIE_ABI_C_C_OPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "eyrie/c.h"
#include "eyrie/c_limits.h"
#include "hal/driver.h"
#include "vm/limits/call_limits.h"
#include "vm/run/compiled.h"

namespace eyrie::abi {

// Receives the lines of an embedder's log; empty if there is no log. LogOf
// frees `data` with `free_data`, which may be null, when the last copy of the
// function is destroyed.
using Log = std::function<void(eyrie_severity_t, absl::string_view)>;
Log LogOf(eyrie_log_t log, void* data, void (*free_data)(void*));

// Returns a pointer to an embedder's data, whose last copy frees the data.
// `free_data` may be null.
std::shared_ptr<void> ShareData(void* data, void (*free_data)(void*));

// Returns a copy of the options, with 0 in the fields that the caller's struct
// does not have. `given` may be null. `sizes` are the struct's sizes in all
// versions, ascending; a size between two of them counts as the smaller one.
// `what` names the options in messages: "device". INVALID_ARGUMENT: the size is
// less than the first one.
template <typename Options>
absl::StatusOr<Options> FullOptions(const Options* given,
                                    std::span<const size_t> sizes,
                                    absl::string_view what) {
  Options options = {};
  if (given == nullptr) return options;
  if (given->struct_size < sizes.front()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The ", what, " options' struct_size (", given->struct_size,
        ") is below that of the first version (", sizes.front(), ")."));
  }
  const auto newer =
      std::upper_bound(sizes.begin(), sizes.end(), given->struct_size);
  std::memcpy(&options, given, *(newer - 1));
  return options;
}

// INVALID_ARGUMENT: a field of a newer header is set, that is, a byte after the
// last one that this library knows is not 0. `given` may be null. Must be
// called after the options' data has an owner that frees it.
template <typename Options>
absl::Status CheckNewer(const Options* given, absl::string_view what) {
  if (given == nullptr) return absl::OkStatus();
  const auto* const bytes = reinterpret_cast<const uint8_t*>(given);
  for (size_t i = sizeof(Options); i < given->struct_size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The ", what, " options have a field at byte ", i,
        ", but this library, which is older than the header, knows only ",
        sizeof(Options), " bytes."));
  }
  return absl::OkStatus();
}

// Returns the compiler for a value of eyrie_jit_t. All callers share one per
// mode. Null if the mode is off or this machine is not supported.
// INVALID_ARGUMENT: `mode` is not a value of eyrie_jit_t.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(int mode);

// The options of a device.
struct DeviceSetup {
  hal::DriverOptions driver;
  // Also the log of each context that has this as its first device.
  Log log;
  std::shared_ptr<const vm::Jit> jit;  // null: bytecode is interpreted
};
// Reads the options; `given` may be null. INVALID_ARGUMENT: a value is unknown,
// or two options contradict each other.
absl::StatusOr<DeviceSetup> DeviceSetupOf(const eyrie_device_options_t* given);

// Reads the options; `given` may be null. INVALID_ARGUMENT: the size is less
// than that of the first version.
absl::StatusOr<eyrie_context_options_t> ContextOptionsOf(
    const eyrie_context_options_t* given);

// Reads the options of a call; `given` may be null. Returns null if they limit
// nothing. Its time starts now. INVALID_ARGUMENT: the size is less than that of
// the first version, an unknown field is set, or the timeout is negative.
absl::StatusOr<std::shared_ptr<vm::LimitedCall>> LimitedCallOf(
    const eyrie_call_options_t* given);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_C_OPTIONS_H_
