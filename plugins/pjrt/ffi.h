// The extension for XLA FFI: handlers that programs call.
// Tested by hostile_test.cc, python/jax_plugin_test.py.
#ifndef EYRIE_PLUGINS_PJRT_FFI_H_
#define EYRIE_PLUGINS_PJRT_FFI_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "eyrie/c.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/imports.h"
#include "plugins/pjrt/owned.h"

namespace eyrie::pjrt {

using LibraryHandle =
    Owned<eyrie_native_library_t, eyrie_native_library_release>;

// The arguments of PJRT_FFI_Register_Handler.
struct RegisterHandlerArgs {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  int traits;
};

// The table of the extension.
struct FfiTable {
  Extension base;
  Error* (*type_register)(void* args);
  Error* (*user_data_add)(void* args);
  Error* (*register_handler)(RegisterHandlerArgs* args);
};

// Returns the extension, before `next` in the list. Handlers are those of the
// process: every client has them.
const Extension* FfiExtension(const Extension* next);

// Returns the functions of the imports, with the handlers that are registered
// now; null if there are no imports. NOT_FOUND: a handler is not registered.
// Otherwise fails as eyrie_native_library_open does.
absl::StatusOr<LibraryHandle> LibraryOf(const Imports& imports);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_FFI_H_
