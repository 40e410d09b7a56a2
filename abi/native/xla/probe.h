// Asks a handler for the API version that it was built for.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_PROBE_H_
#define EYRIE_ABI_NATIVE_XLA_PROBE_H_

#include <cstdint>
#include <span>

#include "abi/native/ffi_registry.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

struct FfiMetadata {
  int minor = 0;
  uint32_t traits = 0;
  int64_t state_type = 0;  // 0: none, or unknown before 0.2
};

// Calls the handler with a frame that asks for its metadata. The types of its
// states must be registered before. A version that is later than the newest
// known one is accepted, because no version removes anything. UNIMPLEMENTED:
// the version is not supported. INVALID_ARGUMENT: it does not answer, so it may
// not be a handler. Also returns the handler's own error.
absl::StatusOr<FfiMetadata> ProbeHandler(eyrie_ffi_handler_t* handler);

// Asks a symbol that may be another function, which could crash, run or not
// return. A child process calls it first, once for each symbol. If this
// system starts no process, that call is left out. INVALID_ARGUMENT: also if
// the child process crashed, or took longer than 10 s. Thread-safe.
absl::StatusOr<FfiMetadata> ProbeSymbol(eyrie_ffi_handler_t* symbol);

// Does the same for several symbols, in one child process, so that ProbeSymbol
// needs none for those that answer. If one ends the process, this does nothing.
void ProbeTogether(std::span<eyrie_ffi_handler_t* const> symbols);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PROBE_H_
