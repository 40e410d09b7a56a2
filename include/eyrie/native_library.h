// Shared libraries whose functions modules import: docs/native.md.
//
//   auto library = eyrie::NativeLibrary::Open("k.so");
//   auto context = eyrie::Context::Create(*device, *module, {}, {},
//                                         {.libraries = {&*library}});
// Immutable; shared by threads and by any number of contexts.
#ifndef EYRIE_NATIVE_LIBRARY_H_
#define EYRIE_NATIVE_LIBRARY_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/result.h"

namespace eyrie {

class NativeLibrary {
 public:
  // Opens the library at this path, which runs its constructors; it can do what
  // the process can, and is never unloaded. What its functions are is said by
  // the manifest, a JSON file; if that is empty by the library itself, or by
  // "path.json". Fails as eyrie_native_library_open says.
  static Result<NativeLibrary> Open(const std::string& path,
                                    const std::string& manifest = "") {
    eyrie_native_library_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_native_library_open(
            path.c_str(), manifest.empty() ? nullptr : manifest.c_str(),
            &handle)) {
      return Error(error);
    }
    return NativeLibrary(handle);
  }

  // "xffi.scale", as modules import them.
  std::vector<std::string> functions() const {
    std::vector<std::string> names(eyrie_native_library_function_count(get()));
    for (size_t i = 0; i < names.size(); ++i) {
      names[i] = eyrie_native_library_function_name(get(), i);
    }
    return names;
  }

  eyrie_native_library_t* get() const { return handle_.get(); }

 private:
  explicit NativeLibrary(eyrie_native_library_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_native_library_t, eyrie_native_library_release>
      handle_;
};

// What a context has of native code.
struct Natives {
  std::vector<const NativeLibrary*> libraries;  // the context retains them
  // What handlers get that ask for user data, by its type's name; not null,
  // and there as long as the context.
  std::map<std::string, void*> user_data = {};
};

}  // namespace eyrie

#endif  // EYRIE_NATIVE_LIBRARY_H_
