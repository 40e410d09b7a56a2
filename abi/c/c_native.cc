// Native libraries of the C API.
//
// Tested by tests/integration/native_runtime_test.cc.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/native/native_libraries.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "eyrie/c.h"

namespace eyrie::abi {
namespace {

using Loaded = absl::StatusOr<std::shared_ptr<const native::LoadedLibrary>>;

eyrie_error_t* NewLibrary(Loaded loaded, eyrie_native_library_t** out_library) {
  if (!loaded.ok()) return CreateError(loaded.status());
  auto library = std::make_unique<eyrie_native_library_t>();
  library->library = *std::move(loaded);
  library->functions = native::NativeFunctionNames({&library->library, 1});
  *out_library = library.release();
  return nullptr;
}

Loaded OfProgram(const char* manifest, const eyrie_native_symbol_t* given,
                 size_t count) {
  constexpr size_t kSizes[] = {sizeof(eyrie_native_symbol_t)};
  ASSIGN_OR_RETURN(const std::vector<eyrie_native_symbol_t> symbols,
                   FullStructs(given, count, kSizes, "the symbols"));
  std::map<std::string, void*> by_name;
  for (const eyrie_native_symbol_t& symbol : symbols) {
    if (by_name.emplace(symbol.name, symbol.address).second) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The symbol '", PlainName(symbol.name), "' is given twice."));
  }
  return native::LibraryOfProgram(manifest, std::move(by_name));
}

Loaded OpenLibrary(const eyrie_native_source_t& given) {
  constexpr size_t kSizes[] = {sizeof(eyrie_native_source_t)};
  constexpr absl::string_view kWhat = "the native library";
  ASSIGN_OR_RETURN(const eyrie_native_source_t source,
                   FullStruct(&given, kSizes, kWhat));
  RETURN_IF_ERROR(CheckNewer(&given, kWhat));
  if (source.path == nullptr) {
    if (source.manifest_text == nullptr) {
      return absl::InvalidArgumentError(
          "The native library has neither a path nor the text of a manifest.");
    }
    return OfProgram(source.manifest_text, source.symbols, source.symbol_count);
  }
  if (source.symbol_count != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The native library '", PlainName(source.path), "' is given with ",
        source.symbol_count, " symbols of the program; expected none."));
  }
  if (source.manifest_text != nullptr) {
    return native::LoadWithManifest(source.path, source.manifest_text);
  }
  return native::LoadNativeLibrary(
      source.path, source.manifest_path != nullptr ? source.manifest_path : "");
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;
namespace native = eyrie::native;

eyrie_error_t* eyrie_native_library_open(const eyrie_native_source_t* source,
                                         eyrie_native_library_t** out_library) {
  return abi::NewLibrary(abi::OpenLibrary(*source), out_library);
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
