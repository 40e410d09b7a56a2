#include "hal/cpu/kernel_plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/foreign_function.h"
#include "base/mapped_file.h"
#include "base/math_library.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/plugin_abi.h"

namespace eyrie::hal::cpu {
namespace {

using plugin_abi::AllocatorCommand;
using plugin_abi::Plugin;

plugin_abi::Status Allocate(void*, AllocatorCommand command,
                            const plugin_abi::AllocationParams* params,
                            void** pointer) {
  constexpr auto kUnknownCommand =
      static_cast<plugin_abi::Status>(absl::StatusCode::kUnimplemented);
  constexpr auto kNoMemory =
      static_cast<plugin_abi::Status>(absl::StatusCode::kResourceExhausted);
  void* memory = nullptr;
  switch (command) {
    case AllocatorCommand::kAllocate:
      memory = std::malloc(params->byte_length);
      break;
    case AllocatorCommand::kAllocateZeroed:
      memory = std::calloc(1, params->byte_length);
      break;
    case AllocatorCommand::kReallocate:
      memory = std::realloc(*pointer, params->byte_length);
      break;
    case AllocatorCommand::kFree:
      std::free(*pointer);
      *pointer = nullptr;
      return 0;
    default:
      return kUnknownCommand;
  }
  if (memory == nullptr && params->byte_length != 0) return kNoMemory;
  *pointer = memory;
  return 0;
}

// A library of the system's linker, or an embedded one. Destroying it unloads
// it.
class PluginLibrary {
 public:
  PluginLibrary() = default;
  PluginLibrary(PluginLibrary&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)),
        image_(std::move(other.image_)) {}
  ~PluginLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  // Returns the address of the query function.
  absl::StatusOr<void*> OpenEmbedded(const std::string& path);
  absl::StatusOr<void*> OpenSystem(const std::string& path);

 private:
  void* handle_ = nullptr;
  std::unique_ptr<ElfImage> image_;
};

EYRIE_CALLS_FOREIGN_CODE absl::StatusOr<void*> PluginLibrary::OpenEmbedded(
    const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(image_, ElfImage::Load(file->bytes()));
  ASSIGN_OR_RETURN(const Image::Function query,
                   image_->FindFunction(plugin_abi::kQuerySymbol));
  for (const uint64_t address : image_->initializers()) {
    reinterpret_cast<void (*)()>(address)();
  }
  return reinterpret_cast<void*>(query.address);
}

absl::StatusOr<void*> PluginLibrary::OpenSystem(const std::string& path) {
  // Opened for its error message only.
  RETURN_IF_ERROR(MappedFile::Open(path).status());
  OfferMathLibrary();
  handle_ = dlopen(ExplicitPath(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const query =
      handle_ == nullptr ? nullptr : dlsym(handle_, plugin_abi::kQuerySymbol);
  if (query != nullptr) return query;
  return absl::InvalidArgumentError(
      absl::StrCat("The system's linker says: ", dlerror(), "."));
}

class LoadedPlugin final : public KernelPlugin {
 public:
  explicit LoadedPlugin(PluginLibrary library) : library_(std::move(library)) {}
  EYRIE_CALLS_FOREIGN_CODE ~LoadedPlugin() override {
    if (is_loaded_) plugin_->unload(self_);
  }

  absl::Status Start(plugin_abi::Query query);
  EYRIE_CALLS_FOREIGN_CODE absl::Status Resolve(
      std::span<const char* const> names, std::span<ImportFunction> functions,
      std::span<void*> contexts) const override;

 private:
  // Returns the error for what a function of the plug-in returned.
  absl::Status StatusOf(plugin_abi::Status status, absl::string_view did) const;

  PluginLibrary library_;
  const Plugin* plugin_ = nullptr;
  // The plug-in keeps the address of its environment's allocator.
  const plugin_abi::Environment environment_ = {{nullptr, Allocate}};
  void* self_ = nullptr;
  bool is_loaded_ = false;
};

absl::Status LoadedPlugin::StatusOf(plugin_abi::Status status,
                                    absl::string_view did) const {
  if (status == 0) return absl::OkStatus();
  const char* const name = plugin_->header->name;
  const auto code =
      static_cast<absl::StatusCode>(status & plugin_abi::kCodeMask);
  const bool is_known =
      !absl::StatusCodeToString(code).empty() && code != absl::StatusCode::kOk;
  return absl::Status(is_known ? code : absl::StatusCode::kUnknown,
                      absl::StrCat("The executable plug-in '",
                                   PlainName(name == nullptr ? "" : name),
                                   "' cannot ", did, ": it returns the status ",
                                   status & plugin_abi::kCodeMask, "."));
}

EYRIE_CALLS_FOREIGN_CODE absl::Status LoadedPlugin::Start(
    plugin_abi::Query query) {
  plugin_ = query(plugin_abi::kVersion, nullptr);
  if (plugin_ == nullptr) {
    return absl::UnimplementedError(
        "It does not support version 0.1 of the interface, the only one that "
        "Eyrie knows.");
  }
  const plugin_abi::Header* const header = plugin_->header;
  if (header == nullptr || plugin_->load == nullptr ||
      plugin_->unload == nullptr || plugin_->resolve == nullptr) {
    return absl::InvalidArgumentError(
        "Its header, or one of its functions, is null.");
  }
  if (header->version != plugin_abi::kVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "It has version ", header->version, " of the interface; Eyrie knows ",
        plugin_abi::kVersion, "."));
  }
  if (header->sanitizer != 0) {
    return absl::UnimplementedError(
        absl::StrCat("It was compiled with a sanitizer (", header->sanitizer,
                     "), and this program was not."));
  }
  RETURN_IF_ERROR(
      StatusOf(plugin_->load(&environment_, 0, nullptr, &self_), "load"));
  is_loaded_ = true;
  return absl::OkStatus();
}

EYRIE_CALLS_FOREIGN_CODE absl::Status LoadedPlugin::Resolve(
    std::span<const char* const> names, std::span<ImportFunction> functions,
    std::span<void*> contexts) const {
  static_assert(sizeof(ImportFunction) == sizeof(void*));
  const plugin_abi::ResolveParams params = {
      names.size(), names.data(), reinterpret_cast<void**>(functions.data()),
      contexts.data()};
  uint32_t resolution = 0;
  const plugin_abi::Status status =
      plugin_->resolve(self_, &params, &resolution);
  // Another plug-in may have what this one lacks.
  if ((status & plugin_abi::kCodeMask) ==
      static_cast<plugin_abi::Status>(absl::StatusCode::kNotFound)) {
    return absl::OkStatus();
  }
  return StatusOf(status, "resolve imports");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const KernelPlugin>> KernelPlugin::Load(
    const std::string& path) {
  constexpr absl::string_view kEmbedded = "embedded:";
  const bool is_embedded =
      absl::StartsWith(path, kEmbedded) || absl::EndsWith(path, ".sos");
  const auto load =
      [&]() -> absl::StatusOr<std::shared_ptr<const KernelPlugin>> {
    PluginLibrary library;
    ASSIGN_OR_RETURN(void* const query,
                     is_embedded ? library.OpenEmbedded(std::string(
                                       absl::StripPrefix(path, kEmbedded)))
                                 : library.OpenSystem(path));
    auto plugin = std::make_shared<LoadedPlugin>(std::move(library));
    RETURN_IF_ERROR(plugin->Start(reinterpret_cast<plugin_abi::Query>(query)));
    return std::shared_ptr<const KernelPlugin>(std::move(plugin));
  };
  auto loaded = load();
  if (loaded.ok()) return loaded;
  return Annotate(loaded.status(), absl::StrCat("(executable plug-in '",
                                                PlainText(path, 1000), "')"));
}

}  // namespace eyrie::hal::cpu
