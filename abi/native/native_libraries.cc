#include "abi/native/native_libraries.h"

#include <algorithm>
#include <map>
#include <utility>

#include "abi/native/native_function.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

// A function, or the reason why it cannot be called here.
using LoadedFunction = absl::StatusOr<std::shared_ptr<const NativeFunction>>;
using Functions = std::map<std::string, LoadedFunction, std::less<>>;

// The imports of one context. An import whose call is running may outlive it.
class LibraryState final : public vm::ModuleState {
 public:
  explicit LibraryState(uint64_t owner) : owner_(owner) {}

  uint64_t owner() const { return owner_; }
  BoundFunction* Keep(std::shared_ptr<BoundFunction> function) {
    imports_.push_back(std::move(function));
    return imports_.back().get();
  }

 private:
  const uint64_t owner_;
  std::vector<std::shared_ptr<BoundFunction>> imports_;
};

class LibraryModule final : public vm::Module {
 public:
  LibraryModule(std::string name, Functions functions,
                std::shared_ptr<const NativeServices> services)
      : name_(std::move(name)),
        functions_(std::move(functions)),
        services_(std::move(services)) {}

  absl::string_view name() const override { return name_; }
  uint32_t version() const override { return 0; }
  absl::StatusOr<std::unique_ptr<vm::ModuleState>> CreateState()
      const override {
    return std::make_unique<LibraryState>(
        services_->device->allocator().NewOwner());
  }
  absl::StatusOr<vm::NativeImport> BindImport(
      vm::ModuleState& state, absl::string_view name,
      const vm::CallingConvention& signature) const override;

 private:
  const std::string name_;
  const Functions functions_;
  const std::shared_ptr<const NativeServices> services_;
};

// Splits "scale#f64?axis=1:i32" into its name and attributes. What follows a
// '#' only tells imports of one function with different types apart.
std::pair<absl::string_view, absl::string_view> SplitName(
    absl::string_view name) {
  const size_t mark = std::min(name.find('?'), name.size());
  const absl::string_view function = name.substr(0, mark);
  return {function.substr(0, function.find('#')),
          name.substr(std::min(mark + 1, name.size()))};
}

absl::StatusOr<vm::NativeImport> LibraryModule::BindImport(
    vm::ModuleState& state, absl::string_view name,
    const vm::CallingConvention& signature) const {
  auto& own = static_cast<LibraryState&>(state);
  const auto [function, attributes] = SplitName(name);
  const auto found = functions_.find(function);
  if (found == functions_.end()) {
    std::vector<std::string> names;
    for (const auto& row : functions_) names.push_back(row.first);
    return absl::NotFoundError(absl::StrCat(
        "The native module ", name_, " has no function '", PlainName(function),
        "'.", DidYouMean(std::string(function), names)));
  }
  const std::string full_name = absl::StrCat(name_, ".", name);
  const std::string where =
      absl::StrCat("(native function ", PlainName(full_name), ")");
  if (!found->second.ok()) return Annotate(found->second.status(), where);
  const ImportRequest request = {.name = full_name,
                                 .attributes = attributes,
                                 .signature = signature,
                                 .services = services_,
                                 .state = state,
                                 .owner = own.owner()};
  absl::StatusOr<std::shared_ptr<BoundFunction>> bound =
      (*found->second)->Bind(request);
  if (!bound.ok()) return Annotate(bound.status(), where);
  return vm::NativeImport{BoundFunction::Call, nullptr,
                          own.Keep(*std::move(bound))};
}

std::string RegisterText(vm::ValueType type, vm::RegisterCounts& counts) {
  const uint32_t index = counts.Add(type);
  if (type == vm::ValueType::kRef) return absl::StrCat("%r", index);
  if (!vm::IsWide(type)) return absl::StrCat("%i", index);
  return absl::StrCat("%i", index, ":", index + 1);
}

absl::string_view TypeText(vm::ValueType type,
                           absl::string_view reference = "!vm.ref<?>") {
  return type == vm::ValueType::kRef ? reference : vm::NameOf(type);
}

// Returns the text of a program with a function that calls an import of the
// same name. `operands` declares those that are not fences.
absl::StatusOr<std::string> ForwardingText(
    const std::string& name, const vm::CallingConvention& convention,
    std::span<const std::string> operands, bool has_fences) {
  for (const char c : name) {
    if (absl::ascii_isgraph(c) && c != '"' && c != '\\') continue;
    return absl::InvalidArgumentError(
        absl::StrCat("The function's name '", PlainName(name),
                     "' has a blank, a quote, a backslash or a character that "
                     "is not printed; in attributes, write it as %HH."));
  }
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  vm::RegisterCounts counts;
  for (const vm::ValueType type : convention.argument_types()) {
    arguments.push_back(RegisterText(type, counts));
    parameters.push_back(absl::StrCat(arguments.back(), ": ", TypeText(type)));
  }
  std::vector<std::string> results;
  std::vector<absl::string_view> types;
  std::vector<absl::string_view> declared;
  vm::RegisterCounts result_counts;
  for (const vm::ValueType type : convention.result_types()) {
    results.push_back(RegisterText(type, result_counts));
    types.push_back(TypeText(type));
    declared.push_back(TypeText(type, "!hal.buffer_view"));
  }
  const std::string returned = absl::StrJoin(results, ", ");
  return absl::StrCat(
      "vm.module @native_call version 0\n", "vm.import @\"", name,
      "\" cconv \"", convention.ToString(), "\"\n", "vm.export @\"", name,
      "\" = @call\n",
      has_fences ? "//! func.attr \"iree.abi.model\" = \"coarse-fences\"\n"
                 : "",
      "//! func.attr \"iree.abi.declaration\" = \"func @call(",
      absl::StrJoin(operands, ", "), ") -> (", absl::StrJoin(declared, ", "),
      ")\"\n", "vm.func @call(", absl::StrJoin(parameters, ", "), ") -> (",
      absl::StrJoin(types, ", "), ") {\n  ", returned,
      returned.empty() ? "" : " = ", "vm.call @\"", name, "\"(",
      absl::StrJoin(arguments, ", "), ")\n  vm.return ", returned, "\n}\n");
}

// Returns the first library with this function, or nullptr.
const LoadedLibrary* FirstWith(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    absl::string_view module, absl::string_view function) {
  for (const auto& library : libraries) {
    const Manifest& manifest = library->manifest;
    if (manifest.module == module && manifest.functions.contains(function)) {
      return library.get();
    }
  }
  return nullptr;
}

const ManifestFunction* FindFunction(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    absl::string_view full_name) {
  const size_t dot = full_name.find('.');
  if (dot == full_name.npos) return nullptr;
  const absl::string_view function = full_name.substr(dot + 1);
  const LoadedLibrary* const library =
      FirstWith(libraries, full_name.substr(0, dot), function);
  if (library == nullptr) return nullptr;
  return &library->manifest.functions.find(function)->second;
}

}  // namespace

namespace {

// Registers the manifest's types with the library, and asks its handlers for
// their versions.
absl::StatusOr<std::shared_ptr<const LoadedLibrary>> JoinLibrary(
    std::shared_ptr<NativeLibrary> library, Manifest read) {
  for (const auto& [name, type] : read.types) {
    const absl::Status registered =
        library->RegisterType(name, type.id, type.info);
    if (registered.ok()) continue;
    return Annotate(registered, absl::StrCat("(type '", PlainName(name),
                                             "' of the manifest)"));
  }
  std::vector<eyrie_ffi_handler_t*> symbols;
  for (const auto& row : read.functions) {
    row.second.declaration->CollectSymbols(*library, symbols);
  }
  AskFfiHandlers(symbols);
  return std::make_shared<const LoadedLibrary>(
      LoadedLibrary{std::move(library), std::move(read)});
}

// Reports whether a function that cannot be loaded matters only if a module
// imports it: it is for another platform, or another library may have it.
bool FailsOnlyWhenUsed(const LoadedLibrary& library, const absl::Status& why) {
  return absl::IsUnimplemented(why) ||
         (library.manifest.partial && absl::IsNotFound(why));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadNativeLibrary(
    const std::string& path, const std::string& manifest) {
  ASSIGN_OR_RETURN(Manifest read, ReadManifest(path, manifest));
  ASSIGN_OR_RETURN(std::shared_ptr<NativeLibrary> library,
                   NativeLibrary::Open(path, read.global));
  return JoinLibrary(std::move(library), std::move(read));
}

absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadWithManifest(
    const std::string& path, absl::string_view manifest) {
  ASSIGN_OR_RETURN(Manifest read, Manifest::Parse(manifest));
  ASSIGN_OR_RETURN(std::shared_ptr<NativeLibrary> library,
                   NativeLibrary::Open(path, read.global));
  return JoinLibrary(std::move(library), std::move(read));
}

absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LibraryOfProgram(
    absl::string_view manifest, std::map<std::string, void*> symbols,
    std::string name) {
  ASSIGN_OR_RETURN(Manifest read, Manifest::Parse(manifest));
  ASSIGN_OR_RETURN(
      std::shared_ptr<NativeLibrary> library,
      NativeLibrary::OfProgram(std::move(symbols), std::move(name)));
  ASSIGN_OR_RETURN(auto loaded,
                   JoinLibrary(std::move(library), std::move(read)));
  for (const auto& row : loaded->manifest.functions) {
    const auto function = LoadFunction(*loaded, row.first);
    if (!function.ok() && !FailsOnlyWhenUsed(*loaded, function.status())) {
      return function.status();
    }
  }
  return loaded;
}

absl::StatusOr<std::shared_ptr<const NativeFunction>> LoadFunction(
    const LoadedLibrary& library, absl::string_view name) {
  const auto found = library.manifest.functions.find(name);
  if (found == library.manifest.functions.end()) {
    std::vector<std::string> names;
    for (const auto& row : library.manifest.functions) {
      names.push_back(row.first);
    }
    return absl::NotFoundError(absl::StrCat("The manifest has no function '",
                                            PlainName(name), "'.",
                                            DidYouMean(name, names)));
  }
  auto native = found->second.declaration->Load(library.library);
  if (native.ok()) return native;
  return Annotate(
      native.status(),
      absl::StrCat("(native function ", library.manifest.module, ".", name,
                   " of '", library.library->path(), "')"));
}

namespace {

// Passes on a function's warning, if it is the first of its library.
void Notify(const LoadedLibrary& library, absl::string_view name,
            const NativeFunction& function, const NativeServices& services) {
  const std::string notice = function.Notice();
  if (notice.empty() || !services.notice || !library.library->BeginNotice()) {
    return;
  }
  services.notice(absl::StrCat("The native function ", library.manifest.module,
                               ".", name, " of '", library.library->path(),
                               "' ", notice));
}

// Keeps the function that one of two libraries has, or the reasons why neither
// has it. Returns false if both have it.
bool Join(LoadedFunction& have, LoadedFunction other) {
  if (!absl::IsNotFound(have.status())) return absl::IsNotFound(other.status());
  if (absl::IsNotFound(other.status())) {
    other = absl::NotFoundError(
        absl::StrCat(have.status().message(), " ", other.status().message()));
  }
  have = std::move(other);
  return true;
}

}  // namespace

absl::StatusOr<NativeModules> CreateNativeModules(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::shared_ptr<const NativeServices>& services) {
  std::map<std::string, Functions> modules;
  std::map<std::pair<std::string, std::string>, const LoadedLibrary*> owners;
  for (const auto& loaded : libraries) {
    for (const auto& [name, function] : loaded->manifest.functions) {
      LoadedFunction native = function.declaration->Load(loaded->library);
      if (!native.ok() && !FailsOnlyWhenUsed(*loaded, native.status())) {
        return LoadFunction(*loaded, name).status();
      }
      if (native.ok()) Notify(*loaded, name, **native, *services);
      const bool is_here = !absl::IsNotFound(native.status());
      const auto [row, first] =
          modules[loaded->manifest.module].emplace(name, native);
      const LoadedLibrary*& owner = owners[{loaded->manifest.module, name}];
      if (!first && !Join(row->second, std::move(native))) {
        return absl::AlreadyExistsError(absl::StrCat(
            "Two native libraries have a function ", loaded->manifest.module,
            ".", name, ": '", owner->library->path(), "' and '",
            loaded->library->path(), "'."));
      }
      if (is_here) owner = loaded.get();
    }
  }
  NativeModules made;
  for (auto& [name, functions] : modules) {
    made.push_back(std::make_shared<const LibraryModule>(
        name, std::move(functions), services));
  }
  return made;
}

std::vector<std::string> NativeFunctionNames(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries) {
  std::vector<std::string> names;
  for (const auto& library : libraries) {
    for (const auto& row : library->manifest.functions) {
      names.push_back(absl::StrCat(library->manifest.module, ".", row.first));
    }
  }
  return names;
}

namespace {

// Suggests one of the names "module.function". If `name` has no module, it is
// compared with functions.
std::string SuggestName(absl::string_view name,
                        std::span<const std::string> names) {
  if (name.find('.') != name.npos) return DidYouMean(name, names);
  std::vector<std::string> functions;
  for (const std::string& full : names) {
    functions.push_back(full.substr(full.find('.') + 1));
    if (functions.back() == name) {
      return absl::StrCat(" Did you mean '", full, "'?");
    }
  }
  return DidYouMean(name, functions);
}

}  // namespace

bool HasRest(std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
             absl::string_view name) {
  const ManifestFunction* const function =
      FindFunction(libraries, SplitName(name).first);
  return function != nullptr && function->declaration->has_rest();
}

absl::StatusOr<std::string> ForwardingProgram(
    std::span<const std::shared_ptr<const LoadedLibrary>> libraries,
    const std::string& name, size_t operands) {
  const ManifestFunction* const function =
      FindFunction(libraries, SplitName(name).first);
  if (function == nullptr) {
    const std::vector<std::string> names = NativeFunctionNames(libraries);
    return absl::NotFoundError(
        absl::StrCat("No native library has a function '", PlainName(name),
                     "'; there are ", absl::StrJoin(names, ", "), ".",
                     SuggestName(SplitName(name).first, names)));
  }
  ASSIGN_OR_RETURN(const auto convention,
                   vm::CallingConvention::Parse(
                       function->declaration->ImportConvention(operands)));
  return ForwardingText(name, convention,
                        function->declaration->DeclareOperands(operands),
                        function->declaration->has_fences());
}

}  // namespace eyrie::native
