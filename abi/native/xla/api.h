// The tables of functions that handlers call, one for each version of the API.
//
// A handler is given the table of the version it was built for: what its state
// functions take differs, and no size tells 0.1 and 0.3 apart.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_API_H_
#define EYRIE_ABI_NATIVE_XLA_API_H_

#include "eyrie/xla_ffi.h"

namespace eyrie::native {

inline constexpr int kOldestFfiMinor = 1;
inline constexpr int kNewestFfiMinor = EYRIE_FFI_NEWEST_MINOR;

// Of a minor version between these.
const eyrie_ffi_api_t& FfiApi(int minor);

}  // namespace eyrie::native

// What libraries that register themselves look up when they are opened: the
// newest table, under the two names that XLA's headers have for it. Types and
// handlers are taken as any version has them.
extern "C" {
__attribute__((visibility("default"))) const eyrie_ffi_api_t* XLA_FFI_GetApi();
__attribute__((visibility("default"))) const eyrie_ffi_api_t*
EyrieGetXlaFfiApi() __asm__("_ZN3xla3ffi12GetXlaFfiApiEv");
}

#endif  // EYRIE_ABI_NATIVE_XLA_API_H_
