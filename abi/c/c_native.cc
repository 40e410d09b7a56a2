// Native libraries of the C API.
//
// Tested by tests/integration/native_runtime_test.cc.
#include <memory>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/native/native_libraries.h"
#include "eyrie/c.h"

namespace abi = eyrie::abi;
namespace native = eyrie::native;

eyrie_error_t* eyrie_native_library_open(const char* path, const char* manifest,
                                         eyrie_native_library_t** out_library) {
  auto loaded =
      native::LoadNativeLibrary(path, manifest == nullptr ? "" : manifest);
  if (!loaded.ok()) return abi::CreateError(loaded.status());
  auto library = std::make_unique<eyrie_native_library_t>();
  library->library = *std::move(loaded);
  library->functions = native::NativeFunctionNames({&library->library, 1});
  *out_library = library.release();
  return nullptr;
}

void eyrie_native_library_retain(eyrie_native_library_t* library) {
  abi::Retain(library);
}
void eyrie_native_library_release(eyrie_native_library_t* library) {
  abi::Release(library);
}

size_t eyrie_native_library_function_count(
    const eyrie_native_library_t* library) {
  return library->functions.size();
}

const char* eyrie_native_library_function_name(
    const eyrie_native_library_t* library, size_t index) {
  if (index >= library->functions.size()) return nullptr;
  return library->functions[index].c_str();
}
