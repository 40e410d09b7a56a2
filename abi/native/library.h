// A shared library of native functions, opened by its path.
//
// The path is one that somebody named: no folder is searched, and no import's
// name is ever made a path. A library is never closed: its functions may own
// threads, and what they registered stays. What it registers while it is opened
// is kept for whoever opens it again. Immutable; shared by threads.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_LIBRARY_H_
#define EYRIE_ABI_NATIVE_LIBRARY_H_

#include <memory>
#include <string>

#include "abi/native/xla/registry.h"
#include "absl/status/statusor.h"

namespace eyrie::native {

class NativeLibrary {
 public:
  // Runs the library's constructors. A global one's symbols are found by
  // libraries that are opened later and lack them. INVALID_ARGUMENT: no shared
  // library, or one of another machine. FAILED_PRECONDITION: the system cannot
  // load it, in its own words.
  static absl::StatusOr<std::shared_ptr<NativeLibrary>> Open(
      const std::string& path, bool global = false);

  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  const std::string& path() const { return path_; }
  // NOT_FOUND: the library itself exports no such symbol.
  absl::StatusOr<void*> FindSymbol(const std::string& name) const;
  // The same of a function. INVALID_ARGUMENT: the symbol is of data, by the
  // library's own table; calling it would end the process.
  absl::StatusOr<void*> FindFunction(const std::string& name) const;
  const FfiRegistry& registry() const { return registry_; }

  // Registers a type of XLA FFI by what the library exports: a function that
  // gives its id, and one that gives its info, or none. Before the library is
  // shared. Fails as FindFunction and FfiRegistry::AddType.
  absl::Status RegisterType(const std::string& name, const std::string& id,
                            const std::string& info);

 private:
  NativeLibrary(std::string path, void* handle, FfiRegistry registry)
      : path_(std::move(path)),
        handle_(handle),
        registry_(std::move(registry)) {}

  std::string path_;
  void* handle_;
  FfiRegistry registry_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_LIBRARY_H_
