#include "hal/cpu/library_executable.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/allocate.h"
#include "base/foreign_function.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/code_scan.h"

namespace eyrie::hal::cpu {
namespace {

// For the sentence "Cannot allocate N bytes for ...".
constexpr absl::string_view kExports = "an executable's functions";
constexpr absl::string_view kImports = "an executable's imports";

// The thunk through which a library calls its imports. It translates nothing,
// because host and library use the same calling convention.
EYRIE_CALLS_FOREIGN_CODE int CallImport(ImportFunction function, void* params,
                                        void* context, void* reserved) {
  return function == nullptr ? -1 : function(params, context, reserved);
}

}  // namespace

EYRIE_CALLS_FOREIGN_CODE absl::Status LibraryCaller::Initialize(
    uint64_t address) {
  reinterpret_cast<void (*)()>(address)();
  return absl::OkStatus();
}

EYRIE_CALLS_FOREIGN_CODE absl::StatusOr<const LibraryHeader* const*>
LibraryCaller::Query(uint64_t address, uint32_t version,
                     const Environment& environment) {
  return reinterpret_cast<LibraryQuery>(address)(version, &environment);
}

// One call of CreateLibraryExecutable.
class LibraryLoader {
 public:
  LibraryLoader(std::unique_ptr<Image> image, FeatureSet machine,
                std::vector<std::shared_ptr<const KernelPlugin>> plugins,
                LibraryCaller& caller)
      : machine_(machine), caller_(caller), scan_(image->ScanCode()) {
    executable_ = Ref<LibraryExecutable>::Adopt(new LibraryExecutable());
    executable_->image_ = std::move(image);
    executable_->plugins_ = std::move(plugins);
  }

  absl::StatusOr<Ref<LibraryExecutable>> Run(
      std::span<const uint32_t> constants);

 private:
  const Image& image() const { return *executable_->image_; }

  // UNIMPLEMENTED: the functions at `roots` need features that the machine
  // lacks. `where` ends the message.
  absl::Status CheckFeatures(std::span<const uint64_t> roots,
                             absl::string_view where) const;
  absl::Status CheckBegins(uint64_t address, absl::string_view what,
                           absl::string_view name = "");
  absl::StatusOr<Library> Query(uint64_t address);
  absl::Status CheckExports(const Library& library);
  absl::Status ResolveImports(const Library& library);
  absl::Status AskPlugins(const Library& library);
  absl::Status TakeExports(const Library& library);

  const FeatureSet machine_;
  LibraryCaller& caller_;
  CodeScan scan_;
  const FeatureSet all_ = scan_.all();
  Ref<LibraryExecutable> executable_;
};

absl::Status LibraryLoader::CheckFeatures(std::span<const uint64_t> roots,
                                          absl::string_view where) const {
  // Usually the machine has all features, so no search is needed.
  if ((all_ - machine_).empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FeatureSet needs,
                   scan_.Reachable(roots, image().code_pointers()));
  const FeatureSet lacking = needs - machine_;
  if (lacking.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("The executable uses CPU features that this machine lacks (",
                   lacking.ToString(), ")", where, "."));
}

absl::Status LibraryLoader::CheckBegins(uint64_t address,
                                        absl::string_view what,
                                        absl::string_view name) {
  ASSIGN_OR_RETURN(const bool may_begin, scan_.MayBegin(address));
  if (may_begin) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("The executable's ", what,
                   name.empty() ? "" : absl::StrCat(" '", PlainName(name), "'"),
                   " begins in the midst of other code."));
}

absl::StatusOr<Library> LibraryLoader::Query(uint64_t address) {
  // A compiled library supports one version only. Try the newest first.
  for (uint32_t version = kNewestLibraryVersion;
       version >= kOldestLibraryVersion; --version) {
    ASSIGN_OR_RETURN(
        const LibraryHeader* const* const answer,
        caller_.Query(address, version, executable_->library_environment_));
    if (answer != nullptr) return ReadLibrary(image(), version, answer);
  }
  return absl::UnimplementedError(
      absl::StrCat("The executable has none of the library versions ",
                   kOldestLibraryVersion, " to ", kNewestLibraryVersion, "."));
}

absl::Status LibraryLoader::CheckExports(const Library& library) {
  std::vector<uint64_t> functions;
  RETURN_IF_ERROR(Reserve(functions, library.exports.size(), kExports));
  for (const LibraryExport& entry : library.exports) {
    functions.push_back(reinterpret_cast<uintptr_t>(entry.function));
    RETURN_IF_ERROR(CheckBegins(functions.back(), "export", entry.name));
  }
  const absl::Status all = CheckFeatures(functions, "");
  if (!absl::IsUnimplemented(all)) return all;
  for (size_t i = 0; i < functions.size(); ++i) {
    RETURN_IF_ERROR(CheckFeatures(
        {&functions[i], 1},
        absl::StrCat(" in '", PlainName(library.exports[i].name), "'")));
  }
  return absl::OkStatus();
}

// In libraries of version 3, the order of an import's parameters depends on the
// release, so plug-ins are not asked.
absl::Status LibraryLoader::AskPlugins(const Library& library) {
  constexpr uint32_t kOldestForPlugins = 4;
  if (library.version < kOldestForPlugins || library.imports.empty()) {
    return absl::OkStatus();
  }
  std::vector<const char*> names;
  RETURN_IF_ERROR(Reserve(names, library.imports.size(), kImports));
  for (const absl::string_view name : library.imports) {
    names.push_back(name.data());  // followed by a NUL in the image
  }
  for (const auto& plugin : executable_->plugins_) {
    RETURN_IF_ERROR(plugin->Resolve(names, executable_->import_functions_,
                                    executable_->import_contexts_));
  }
  return absl::OkStatus();
}

absl::Status LibraryLoader::ResolveImports(const Library& library) {
  const size_t count = library.imports.size();
  RETURN_IF_ERROR(Resize(executable_->import_functions_, count, kImports));
  RETURN_IF_ERROR(Resize(executable_->import_contexts_, count, kImports));
  RETURN_IF_ERROR(AskPlugins(library));
  for (size_t i = 0; i < count; ++i) {
    const absl::string_view name = library.imports[i];
    if (executable_->import_functions_[i] != nullptr ||
        IsOptionalImport(name)) {
      continue;  // null says that an optional import is absent
    }
    return absl::NotFoundError(absl::StrCat(
        "The executable imports the function '", PlainName(name),
        "', which no executable plug-in provides (--executable_plugin)."));
  }
  Environment& environment = executable_->library_environment_;
  environment.import_functions = executable_->import_functions_.data();
  environment.import_contexts = executable_->import_contexts_.data();
  return absl::OkStatus();
}

absl::Status LibraryLoader::TakeExports(const Library& library) {
  const size_t count = library.exports.size();
  RETURN_IF_ERROR(Reserve(executable_->exports_, count, kExports));
  RETURN_IF_ERROR(Reserve(executable_->export_kernels_, count, kExports));
  for (const LibraryExport& entry : library.exports) {
    executable_->exports_.push_back(
        {.name = entry.name,
         .constant_count = entry.constant_count,
         .binding_count = entry.binding_count,
         .workgroup_size = {entry.workgroup_size[0], entry.workgroup_size[1],
                            entry.workgroup_size[2]}});
    executable_->export_kernels_.push_back(
        {entry.function, entry.local_memory_size});
  }
  executable_->code_ = {executable_->export_kernels_,
                        &executable_->library_environment_};
  executable_->name_ = library.name;
  return absl::OkStatus();
}

absl::StatusOr<Ref<LibraryExecutable>> LibraryLoader::Run(
    std::span<const uint32_t> constants) {
  ASSIGN_OR_RETURN(const Image::Function query,
                   image().FindFunction(kLibraryQuerySymbol));
  const std::span<const uint64_t> initializers = image().initializers();
  std::vector<uint64_t> first;
  RETURN_IF_ERROR(Reserve(first, initializers.size() + 1, "initializers"));
  first.assign(initializers.begin(), initializers.end());
  for (const uint64_t address : first) {
    RETURN_IF_ERROR(CheckBegins(address, "initializer"));
  }
  RETURN_IF_ERROR(CheckBegins(query.address, "query function"));
  if (query.size != 0 &&
      !scan_.MayEnd(query.address, query.address + query.size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable's query function does not end after its ",
                     query.size, " bytes."));
  }
  first.push_back(query.address);
  RETURN_IF_ERROR(CheckFeatures(first, ""));

  RETURN_IF_ERROR(Assign(executable_->constants_, constants, "constants"));
  Environment& environment = executable_->library_environment_;
  environment.constants = executable_->constants_.data();
  environment.import_thunk = CallImport;
  environment.processor.data[0] = EncodeFeatures(machine_);
  for (const uint64_t address : image().initializers()) {
    RETURN_IF_ERROR(caller_.Initialize(address));
  }
  ASSIGN_OR_RETURN(const Library library, Query(query.address));
  if (library.constant_count != constants.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The executable takes ", library.constant_count,
        " specialization constants; ", constants.size(), " are given."));
  }
  RETURN_IF_ERROR(CheckExports(library));
  RETURN_IF_ERROR(ResolveImports(library));
  RETURN_IF_ERROR(TakeExports(library));
  executable_->known_code_.Add(image(), executable_->export_kernels_,
                               executable_->exports_);
  return std::move(executable_);
}

absl::StatusOr<Ref<LibraryExecutable>> CreateLibraryExecutable(
    std::unique_ptr<Image> image, std::span<const uint32_t> constants,
    FeatureSet machine,
    std::vector<std::shared_ptr<const KernelPlugin>> plugins,
    LibraryCaller* caller) {
  LibraryCaller here;
  return LibraryLoader(std::move(image), machine, std::move(plugins),
                       caller == nullptr ? here : *caller)
      .Run(constants);
}

}  // namespace eyrie::hal::cpu
