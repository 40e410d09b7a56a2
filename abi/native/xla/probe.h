// Asks a handler which version of the API it was built for.
//
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_PROBE_H_
#define EYRIE_ABI_NATIVE_XLA_PROBE_H_

#include <cstdint>

#include "abi/native/xla/registry.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

struct FfiMetadata {
  int minor = 0;
  uint32_t traits = 0;
  int64_t state_type = 0;  // 0: none, or not known before 0.2
};

// Calls the handler with a frame that asks for its metadata. Types that its
// states have are registered before. UNIMPLEMENTED: a version that is not
// ours. INVALID_ARGUMENT: it does not answer, so it may be no handler at all.
// Else what it fails with.
absl::StatusOr<FfiMetadata> ProbeHandler(eyrie_ffi_handler_t* handler);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PROBE_H_
