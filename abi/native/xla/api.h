// The function tables that handlers call, one for each version of the API.
//
// A handler receives the table of the version that it was built for, because
// the state functions of 0.1 and 0.3 take different structs of the same size.
// The versions and their functions are rows of api.def.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_API_H_
#define EYRIE_ABI_NATIVE_XLA_API_H_

#include "eyrie/xla_ffi.h"

namespace eyrie::native {

inline constexpr int kOldestFfiMinor = 1;
inline constexpr int kNewestFfiMinor = EYRIE_FFI_NEWEST_MINOR;

// Returns the table of a minor version, which must be at least the oldest. A
// version later than the newest gets the newest table. A function that it does
// not have returns UNIMPLEMENTED.
const eyrie_ffi_api_t& FfiApi(int minor);

}  // namespace eyrie::native

// Libraries that register themselves look these up when they are opened. XLA's
// headers use both names. They return the newest table, which accepts types and
// handlers of any version.
extern "C" {
__attribute__((visibility("default"))) const eyrie_ffi_api_t* XLA_FFI_GetApi();
__attribute__((visibility("default"))) const eyrie_ffi_api_t*
EyrieGetXlaFfiApi() __asm__("_ZN3xla3ffi12GetXlaFfiApiEv");
}

#endif  // EYRIE_ABI_NATIVE_XLA_API_H_
