// The registrations of a library: types of states and user data, and handlers.
//
// A type's id is computed from its name, so it is the same in every registry,
// and a library that is opened twice needs no new ids. Filled while a library
// is opened; immutable afterwards.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_FFI_REGISTRY_H_
#define EYRIE_ABI_NATIVE_FFI_REGISTRY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

using FfiDeleter = void (*)(void* object);

// Returns the id of a type, which is positive.
int64_t FfiTypeIdOf(absl::string_view name);

struct RegisteredType {
  std::string name;
  // The address of the info of a caller of version 0.2 or later. Must be read
  // only for handlers of those versions.
  const eyrie_ffi_type_info_t* info = nullptr;
};

struct RegisteredHandler {
  std::string platform;  // "Host"
  eyrie_ffi_bundle_t bundle = {};
  uint32_t traits = 0;
};

class FfiRegistry {
 public:
  // Registers a type and sets its id. INVALID_ARGUMENT: the name is empty, or
  // `id` already has another value.
  absl::Status AddType(absl::string_view name, eyrie_ffi_type_id_t& id,
                       const eyrie_ffi_type_info_t* info);
  // ALREADY_EXISTS: the name is already registered for this platform.
  absl::Status AddHandler(absl::string_view name, RegisteredHandler handler);

  // Returns a type, or nullptr if it is unknown.
  const RegisteredType* FindType(int64_t id) const;
  // Returns the handler of this name for the platform, else for any, else
  // nullptr.
  const RegisteredHandler* FindHandler(absl::string_view name,
                                       absl::string_view platform) const;
  const std::multimap<std::string, RegisteredHandler, std::less<>>& handlers()
      const {
    return handlers_;
  }

 private:
  std::map<int64_t, RegisteredType> types_;
  std::multimap<std::string, RegisteredHandler, std::less<>> handlers_;
};

// While a scope exists, libraries opened by this thread register their types
// and handlers in its registry.
class RegistrationScope {
 public:
  explicit RegistrationScope(FfiRegistry& registry);
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  // Returns the registry of the innermost scope, or nullptr outside of any.
  static FfiRegistry* Current();

 private:
  FfiRegistry* const outer_;
};

// Reports whether the platform is "Host" or "cpu", in any case.
bool IsHostPlatform(absl::string_view platform);
// Reports whether the platform is "CUDA", in any case.
bool IsCudaPlatform(absl::string_view platform);
// Reports whether two names are those of one platform.
bool IsSamePlatform(absl::string_view a, absl::string_view b);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_FFI_REGISTRY_H_
