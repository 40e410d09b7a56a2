// What embedders give in the options of the C API, as the library has it.
//
// Options are structs that begin with their size: of a caller's that is older
// than this library the fields that it lacks are 0.
// Tested by runtime_test.cc, runtime_host_test.cc.
#ifndef EYRIE_ABI_C_OPTIONS_H_
#define EYRIE_ABI_C_OPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "eyrie/c.h"
#include "hal/driver.h"
#include "vm/run/compiled.h"

namespace eyrie::abi {

// Takes what an embedder's log is to have; empty: nobody listens. The data that
// the embedder gave with it is freed with the last copy.
using Log = std::function<void(eyrie_severity_t, absl::string_view)>;
Log LogOf(eyrie_log_t log, void* data, void (*free_data)(void*));

// A copy with all fields. `sizes` are those of its versions, the first one
// first: a size between two is the one before. INVALID_ARGUMENT: less than the
// first; `what` are "device".
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

// What compiles by a value of eyrie_jit_t, the same for all that ask; null:
// nobody does. INVALID_ARGUMENT: another value.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(int mode);

// What a device is opened with.
struct DeviceSetup {
  hal::DriverOptions driver;
  // Of the contexts whose first device it is, too:
  Log log;
  std::shared_ptr<const vm::Jit> jit;  // null: all is interpreted
};
// INVALID_ARGUMENT: options that do not go together, or that are not known.
absl::StatusOr<DeviceSetup> DeviceSetupOf(const eyrie_device_options_t* given);

// `given` may be null.
absl::StatusOr<eyrie_context_options_t> ContextOptionsOf(
    const eyrie_context_options_t* given);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_OPTIONS_H_
