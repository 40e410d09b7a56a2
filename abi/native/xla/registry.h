// What a library has registered: types of states and user data, handlers.
//
// A type's id is made of its name, so that every registry gives a name the same
// id, and a library that is opened twice needs none of its own anew. Filled
// while a library is opened; immutable then.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_REGISTRY_H_
#define EYRIE_ABI_NATIVE_XLA_REGISTRY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

using FfiDeleter = void (*)(void* object);

// The id of a type, above 0.
int64_t FfiTypeIdOf(absl::string_view name);

struct RegisteredType {
  std::string name;
  // Where the caller's info would be if it speaks 0.2 or later: to be read
  // only for handlers that do.
  const eyrie_ffi_type_info_t* info = nullptr;
};

struct RegisteredHandler {
  std::string platform;  // "Host"
  eyrie_ffi_bundle_t bundle = {};
  uint32_t traits = 0;
};

class FfiRegistry {
 public:
  // Gives the type its id. INVALID_ARGUMENT: no name, or it has another id.
  absl::Status AddType(absl::string_view name, eyrie_ffi_type_id_t& id,
                       const eyrie_ffi_type_info_t* info);
  // ALREADY_EXISTS: the name and platform are taken.
  absl::Status AddHandler(absl::string_view name, RegisteredHandler handler);

  // Null: unknown.
  const RegisteredType* FindType(int64_t id) const;
  // The handler of this name on the host, else on any platform; null: none.
  const RegisteredHandler* FindHandler(absl::string_view name) const;
  const std::multimap<std::string, RegisteredHandler, std::less<>>& handlers()
      const {
    return handlers_;
  }

 private:
  std::map<int64_t, RegisteredType> types_;
  std::multimap<std::string, RegisteredHandler, std::less<>> handlers_;
};

// While it lives, what this thread's libraries register goes into a registry:
// what they do when they are opened, by their constructors.
class RegistrationScope {
 public:
  explicit RegistrationScope(FfiRegistry& registry);
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  // The innermost scope's; null outside of any.
  static FfiRegistry* Current();

 private:
  FfiRegistry* const outer_;
};

// "Host" and "cpu" in any case: what runs here.
bool IsHostPlatform(absl::string_view platform);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_REGISTRY_H_
