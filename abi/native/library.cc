#include "abi/native/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <map>
#include <mutex>
#include <utility>

#include "abi/native/elf_note.h"
#include "abi/native/guarded_call.h"
#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/math_library.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

// Registrations by the system's handle, because a library's constructors run
// only once per process. Never destroyed, because calls may run during exit.
struct OpenedLibraries {
  std::mutex mutex;
  std::map<void*, FfiRegistry> registries;  // guarded by mutex
};

OpenedLibraries& Opened() {
  static auto* const opened = new OpenedLibraries();
  return *opened;
}

#ifdef __GLIBC__

// Reports whether an address is in the library of a handle.
bool IsIn(void* handle, const void* address) {
  Dl_info info;
  void* owner = nullptr;
  void* self = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &self) == 0 &&
         ::dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) != 0 &&
         owner == self;
}

// Reports whether a symbol is known to be data.
bool IsData(const void* symbol) {
  Dl_info info;
  void* entry = nullptr;
  if (::dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 ||
      entry == nullptr) {
    return false;
  }
  const auto type =
      ELF64_ST_TYPE(static_cast<const Elf64_Sym*>(entry)->st_info);
  return type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
}

#else  // The system tells only the name of the file that has an address.

bool IsIn(void* handle, const void* address) {
  Dl_info info;
  void* self = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &self) == 0 &&
         ::dladdr(address, &info) != 0 &&
         absl::string_view(info.dli_fname) ==
             static_cast<const link_map*>(self)->l_name;
}

bool IsData(const void*) { return false; }

#endif

std::string SystemError() {
  const char* text = ::dlerror();
  return text == nullptr ? "no reason is given" : text;
}

}  // namespace

absl::StatusOr<std::shared_ptr<NativeLibrary>> NativeLibrary::Open(
    const std::string& path, bool global) {
  {
    ASSIGN_OR_RETURN(const auto file, MappedFile::Open(ExplicitPath(path)));
    RETURN_IF_ERROR(CheckNativeElf(file->bytes(), path));
  }
  OpenedLibraries& opened = Opened();
  const std::lock_guard lock(opened.mutex);
  FfiRegistry registered;
  PrepareGuardedCalls();
  const RegistrationScope scope(registered);
  OfferMathLibrary();
  void* const handle = ::dlopen(ExplicitPath(path).c_str(),
                                RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "The system cannot load '", path, "': ", SystemError(), "."));
  }
  const auto [row, first] =
      opened.registries.emplace(handle, std::move(registered));
  return std::shared_ptr<NativeLibrary>(
      new NativeLibrary(path, handle, row->second));
}

absl::StatusOr<std::shared_ptr<NativeLibrary>> NativeLibrary::OfProgram(
    std::map<std::string, void*> symbols, std::string name) {
  for (const auto& [name, address] : symbols) {
    if (address != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The address of the symbol '", PlainName(name), "' is NULL."));
  }
  PrepareGuardedCalls();
  auto library = std::shared_ptr<NativeLibrary>(
      new NativeLibrary(std::move(name), nullptr, FfiRegistry()));
  library->symbols_ = std::move(symbols);
  return library;
}

absl::StatusOr<void*> NativeLibrary::FindSymbol(const std::string& name) const {
  if (is_of_program()) {
    const auto found = symbols_.find(name);
    if (found != symbols_.end()) return found->second;
    return absl::NotFoundError(absl::StrCat("The symbol '", PlainName(name),
                                            "' is not given.",
                                            DidYouMean(name, HandlerNames())));
  }
  void* const symbol = ::dlsym(handle_, name.c_str());
  // The system also searches the library's dependencies: it would find "sin" in
  // libm.
  if (symbol == nullptr || !IsIn(handle_, symbol)) {
    return absl::NotFoundError(
        absl::StrCat("'", path_, "' does not export the symbol '", name, "'."));
  }
  return symbol;
}

absl::StatusOr<void*> NativeLibrary::FindNeeded(const std::string& name) const {
  if (is_of_program()) return FindSymbol(name);
  if (void* const symbol = ::dlsym(handle_, name.c_str())) return symbol;
  return absl::NotFoundError(absl::StrCat("Neither '", path_,
                                          "' nor a library that it needs has "
                                          "the symbol '",
                                          name, "'."));
}

absl::StatusOr<void*> NativeLibrary::AddressAt(uint64_t offset) const {
  void* self = nullptr;
  if (handle_ != nullptr && ::dlinfo(handle_, RTLD_DI_LINKMAP, &self) == 0) {
    void* const address = reinterpret_cast<void*>(
        static_cast<const link_map*>(self)->l_addr + offset);
    if (IsIn(handle_, address)) return address;
  }
  return absl::OutOfRangeError(
      absl::StrCat("'", path_, "' has no byte ", offset, " in memory."));
}

absl::StatusOr<void*> NativeLibrary::FindFunction(
    const std::string& name) const {
  ASSIGN_OR_RETURN(void* const symbol, FindSymbol(name));
  if (!is_of_program() && IsData(symbol)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The symbol '", name, "' of '", path_, "' is data, not a function."));
  }
  return symbol;
}

std::vector<std::string> NativeLibrary::HandlerNames() const {
  std::vector<std::string> names;
  for (const auto& row : symbols_) names.push_back(row.first);
  for (const auto& row : registry_.handlers()) names.push_back(row.first);
  return names;
}

absl::Status NativeLibrary::RegisterType(const std::string& name,
                                         const std::string& id,
                                         const std::string& info) {
  using GetId = eyrie_ffi_type_id_t*();
  using GetInfo = const eyrie_ffi_type_info_t*();
  ASSIGN_OR_RETURN(void* const get_id, FindFunction(id));
  const eyrie_ffi_type_info_t* type_info = nullptr;
  if (!info.empty()) {
    ASSIGN_OR_RETURN(void* const get_info, FindFunction(info));
    type_info = reinterpret_cast<GetInfo*>(get_info)();
  }
  eyrie_ffi_type_id_t* const type_id = reinterpret_cast<GetId*>(get_id)();
  if (type_id == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", id, "' of '", path_, "' returned no type id."));
  }
  return registry_.AddType(name, *type_id, type_info);
}

}  // namespace eyrie::native
