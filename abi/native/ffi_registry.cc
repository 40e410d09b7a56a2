#include "abi/native/ffi_registry.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/fnv1a.h"
#include "base/plain_text.h"

namespace eyrie::native {
namespace {

thread_local FfiRegistry* current_registry = nullptr;

}  // namespace

int64_t FfiTypeIdOf(absl::string_view name) {
  return static_cast<int64_t>(Fnv1a(name) >> 1) | 1;
}

absl::Status FfiRegistry::AddType(absl::string_view name,
                                  eyrie_ffi_type_id_t& id,
                                  const eyrie_ffi_type_info_t* info) {
  if (name.empty()) {
    return absl::InvalidArgumentError("A type is registered without a name.");
  }
  const int64_t own = FfiTypeIdOf(name);
  if (id.id != 0 && id.id != own) {
    return absl::InvalidArgumentError(
        absl::StrCat("The type '", PlainName(name), "' has the id ", id.id,
                     " already; expected ", own, "."));
  }
  id.id = own;
  RegisteredType& type = types_[own];
  type.name = std::string(name);
  type.info = info;
  return absl::OkStatus();
}

absl::Status FfiRegistry::AddHandler(absl::string_view name,
                                     RegisteredHandler handler) {
  const auto [first, last] = handlers_.equal_range(name);
  for (auto row = first; row != last; ++row) {
    if (row->second.platform != handler.platform) continue;
    return absl::AlreadyExistsError(
        absl::StrCat("The handler '", PlainName(name), "' of the platform '",
                     PlainName(handler.platform), "' is registered twice."));
  }
  handlers_.emplace(std::string(name), std::move(handler));
  return absl::OkStatus();
}

const RegisteredType* FfiRegistry::FindType(int64_t id) const {
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : &found->second;
}

const RegisteredHandler* FfiRegistry::FindHandler(
    absl::string_view name, absl::string_view platform) const {
  const auto [first, last] = handlers_.equal_range(name);
  for (auto row = first; row != last; ++row) {
    if (IsSamePlatform(row->second.platform, platform)) return &row->second;
  }
  return first == last ? nullptr : &first->second;
}

RegistrationScope::RegistrationScope(FfiRegistry& registry)
    : outer_(std::exchange(current_registry, &registry)) {}

RegistrationScope::~RegistrationScope() { current_registry = outer_; }

FfiRegistry* RegistrationScope::Current() { return current_registry; }

bool IsHostPlatform(absl::string_view platform) {
  return absl::EqualsIgnoreCase(platform, "Host") ||
         absl::EqualsIgnoreCase(platform, "cpu");
}

bool IsCudaPlatform(absl::string_view platform) {
  return absl::EqualsIgnoreCase(platform, "CUDA");
}

bool IsSamePlatform(absl::string_view a, absl::string_view b) {
  return absl::EqualsIgnoreCase(a, b) ||
         (IsHostPlatform(a) && IsHostPlatform(b));
}

}  // namespace eyrie::native
