// Implements the extension for XLA FFI.
#include "plugins/pjrt/ffi.h"

#include <map>
#include <mutex>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {
namespace {

// The handlers of the process, by name. Never destroyed, since handlers may be
// registered by destructors of other libraries.
struct Registry {
  std::mutex mutex;
  std::map<std::string, void*> handlers;
};

Registry& TheRegistry() {
  static auto* const registry = new Registry();
  return *registry;
}

absl::Status Register(const RegisterHandlerArgs* args) {
  constexpr size_t kLeast = offsetof(RegisterHandlerArgs, traits);
  RETURN_IF_ERROR(CheckStruct(args == nullptr ? 0 : args->struct_size, kLeast,
                              "FFI_Register_Handler"));
  if (args->handler == nullptr || args->target_name_size == 0) {
    return absl::InvalidArgumentError(
        "PJRT_FFI_Register_Handler: the handler or its name is missing.");
  }
  ASSIGN_OR_RETURN(
      const absl::string_view text,
      TextIn(args->target_name, args->target_name_size, "target_name"));
  const std::string name(text);
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  void*& handler = registry.handlers[name];
  if (handler != nullptr && handler != args->handler) {
    return absl::AlreadyExistsError(
        absl::StrCat("Another handler is registered with the name '",
                     PlainText(name, 256), "'."));
  }
  handler = args->handler;
  return absl::OkStatus();
}

Error* RegisterHandler(RegisterHandlerArgs* args) {
  return NewError(Register(args));
}

Error* RegisterType(void*) {
  return NewError(absl::UnimplementedError(
      "Types of XLA FFI cannot be registered: handlers have no states."));
}

Error* AddUserData(void*) {
  return NewError(absl::UnimplementedError(
      "Executions have no user data for handlers of XLA FFI."));
}

}  // namespace

const Extension* FfiExtension(const Extension* next) {
  static const FfiTable extension = {
      {sizeof(FfiTable), ExtensionType::kFfi, next},
      RegisterType,
      AddUserData,
      RegisterHandler};
  return &extension.base;
}

absl::StatusOr<LibraryHandle> LibraryOf(const Imports& imports) {
  if (imports.handlers.empty()) return LibraryHandle();
  std::vector<eyrie_native_symbol_t> symbols;
  Registry& registry = TheRegistry();
  {
    const std::lock_guard<std::mutex> lock(registry.mutex);
    for (const std::string& name : imports.handlers) {
      const auto found = registry.handlers.find(name);
      if (found == registry.handlers.end()) {
        return absl::NotFoundError(absl::StrCat(
            "The program calls the handler '", PlainText(name, 256),
            "' of XLA FFI, which is not registered for this plug-in "
            "(jax.ffi.register_ffi_target with platform=\"eyrie\")."));
      }
      symbols.push_back(
          {sizeof(eyrie_native_symbol_t), name.c_str(), found->second});
    }
  }
  eyrie_native_source_t source = {};
  source.struct_size = sizeof(source);
  source.manifest_text = imports.manifest.c_str();
  source.symbols = symbols.data();
  source.symbol_count = symbols.size();
  eyrie_native_library_t* library = nullptr;
  RETURN_IF_ERROR(Taken(eyrie_native_library_open(&source, &library)));
  return LibraryHandle(library);
}

}  // namespace eyrie::pjrt
