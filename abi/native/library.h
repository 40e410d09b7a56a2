// A shared library of native functions, opened by its path.
//
// The path must be given explicitly: no folder is searched, and import names
// never become paths. A library is never closed, because its functions may own
// threads and its registrations remain. Registrations made while it is first
// opened are kept for later calls of Open. Immutable; may be shared by threads.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_LIBRARY_H_
#define EYRIE_ABI_NATIVE_LIBRARY_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/ffi_registry.h"
#include "absl/status/statusor.h"

namespace eyrie::native {

class NativeLibrary {
 public:
  // Opens a library, which runs its constructors. If `global`, its symbols are
  // visible to libraries that are opened later. INVALID_ARGUMENT: not a shared
  // library, or for another machine. FAILED_PRECONDITION: the system cannot
  // load it; the message has the system's reason.
  static absl::StatusOr<std::shared_ptr<NativeLibrary>> Open(
      const std::string& path, bool global = false);

  // Creates a library of functions that are in this program, by the names of
  // their symbols. `name` is its path in messages. INVALID_ARGUMENT: an address
  // is null.
  static absl::StatusOr<std::shared_ptr<NativeLibrary>> OfProgram(
      std::map<std::string, void*> symbols, std::string name = "this program");

  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  // Returns the path, or the name that OfProgram was given.
  const std::string& path() const { return path_; }
  // Reports whether the functions are linked into this program.
  bool is_of_program() const { return handle_ == nullptr; }
  // Returns a symbol's address. NOT_FOUND: the library itself does not export
  // it.
  absl::StatusOr<void*> FindSymbol(const std::string& name) const;
  // Like FindSymbol, also in the libraries that it needs.
  absl::StatusOr<void*> FindNeeded(const std::string& name) const;
  // Like FindSymbol, for a function. INVALID_ARGUMENT: the library's symbol
  // table says that the symbol is data.
  absl::StatusOr<void*> FindFunction(const std::string& name) const;
  // Returns the address of a byte of an opened library, counted from where it
  // begins in memory. OUT_OF_RANGE: it is not part of the library.
  absl::StatusOr<void*> AddressAt(uint64_t offset) const;
  const FfiRegistry& registry() const { return registry_; }
  // Returns the names of the handlers that it registers, or, of this program,
  // of all symbols.
  std::vector<std::string> HandlerNames() const;
  // Returns true for the first call only. The user gets one warning about a
  // library.
  bool BeginNotice() const { return !noticed_.exchange(true); }

  // Registers an XLA FFI type by the names of two exported functions: one
  // returns the type's id, the other, which is optional, its info. Must be
  // called before the library is shared. Returns the errors of FindFunction and
  // FfiRegistry::AddType.
  absl::Status RegisterType(const std::string& name, const std::string& id,
                            const std::string& info);

 private:
  NativeLibrary(std::string path, void* handle, FfiRegistry registry)
      : path_(std::move(path)),
        handle_(handle),
        registry_(std::move(registry)) {}

  std::string path_;
  void* handle_;  // null if is_of_program()
  FfiRegistry registry_;
  std::map<std::string, void*> symbols_;  // of this program
  mutable std::atomic<bool> noticed_ = false;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_LIBRARY_H_
