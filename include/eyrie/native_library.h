// Shared libraries with functions that modules import; see docs/native.md.
//
//   auto library = eyrie::NativeLibrary::Open("k.so");
//   auto context = eyrie::Context::Create(*device, *module,
//                                         {.native_libraries = {&*library}});
// Immutable; may be shared by threads and by any number of contexts.
#ifndef EYRIE_NATIVE_LIBRARY_H_
#define EYRIE_NATIVE_LIBRARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/result.h"

namespace eyrie {

class NativeLibrary {
 public:
  // Opens the library at `path`. This runs its constructors, so it must be
  // trusted. It is never unloaded. `manifest` is the path of a JSON file that
  // describes the functions. If it is empty, the manifest is the library's ELF
  // note, or else the file `path`.json. Returns the errors of
  // eyrie_native_library_open.
  static Result<NativeLibrary> Open(const std::string& path,
                                    const std::string& manifest = "") {
    eyrie_native_source_t source = {};
    source.path = path.c_str();
    if (!manifest.empty()) source.manifest_path = manifest.c_str();
    return OpenSource(source);
  }

  // Opens a library with the text of its manifest.
  static Result<NativeLibrary> OpenText(const std::string& path,
                                        const std::string& manifest_text) {
    eyrie_native_source_t source = {};
    source.path = path.c_str();
    source.manifest_text = manifest_text.c_str();
    return OpenSource(source);
  }
  // Creates a library of functions that are linked into this program, with the
  // text of a manifest. Returns the errors of eyrie_native_library_open.
  struct Symbol {
    const char* name;  // as the manifest has it
    void* address;
  };
  static Result<NativeLibrary> OfProgram(const std::string& manifest_text,
                                         const std::vector<Symbol>& symbols) {
    std::vector<eyrie_native_symbol_t> given;
    for (const Symbol& symbol : symbols) {
      given.push_back(
          {sizeof(eyrie_native_symbol_t), symbol.name, symbol.address});
    }
    eyrie_native_source_t source = {};
    source.manifest_text = manifest_text.c_str();
    source.symbols = given.data();
    source.symbol_count = given.size();
    return OpenSource(source);
  }

  // Returns the names that modules import, such as "xffi.scale".
  std::vector<std::string> functions() const {
    std::vector<std::string> names(eyrie_native_library_function_count(get()));
    for (size_t i = 0; i < names.size(); ++i) {
      names[i] = eyrie_native_library_function_name(get(), i);
    }
    return names;
  }

  eyrie_native_library_t* get() const { return handle_.get(); }

 private:
  static Result<NativeLibrary> OpenSource(eyrie_native_source_t& source) {
    source.struct_size = sizeof(source);
    eyrie_native_library_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_native_library_open(&source, &handle)) {
      return Error(error);
    }
    return NativeLibrary(handle);
  }

  explicit NativeLibrary(eyrie_native_library_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_native_library_t, eyrie_native_library_release>
      handle_;
};

}  // namespace eyrie

#endif  // EYRIE_NATIVE_LIBRARY_H_
