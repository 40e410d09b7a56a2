// Declares XLA FFI handlers, one of the conventions of native functions: finds
// them, asks them for their versions, and binds them.
// Tested by tools/native_test.sh.
#include "abi/native/xla/function.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/library.h"
#include "abi/native/native_call.h"
#include "abi/native/native_function.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/declaration.h"
#include "abi/native/xla/import.h"
#include "abi/native/xla/probe.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/types.h"

namespace eyrie::native {
namespace {

class FfiFunction final : public NativeFunction {
 public:
  FfiFunction(std::shared_ptr<const FfiDeclaration> declaration,
              std::shared_ptr<const NativeLibrary> library,
              const FfiHandlers& handlers,
              std::shared_ptr<const PackedFunction> packed)
      : declaration_(std::move(declaration)),
        library_(std::move(library)),
        handlers_(handlers),
        packed_(std::move(packed)) {}

  absl::StatusOr<std::shared_ptr<BoundFunction>> Bind(
      const ImportRequest& request) const override;
  std::string Notice() const override;

 private:
  // Returns the attributes of the manifest and the import, and those that are
  // operands, whose values are known only in a call.
  absl::StatusOr<Attributes> AllAttributes(const ImportRequest& request,
                                           const FfiImportPlan& plan) const;

  const std::shared_ptr<const FfiDeclaration> declaration_;
  const std::shared_ptr<const NativeLibrary> library_;
  const FfiHandlers handlers_;
  const std::shared_ptr<const PackedFunction> packed_;
};

absl::StatusOr<Attributes> FfiFunction::AllAttributes(
    const ImportRequest& request, const FfiImportPlan& plan) const {
  Attributes given;
  if (!request.attributes.empty()) {
    ASSIGN_OR_RETURN(given, ParseAttributes(request.attributes));
  }
  for (const FfiImportPlan::Scalar& scalar : plan.scalars) {
    if (!given.contains(scalar.attribute)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The attribute '", PlainName(scalar.attribute), "' is an operand of '",
        declaration_->name, "', and is also given as an attribute."));
  }
  ASSIGN_OR_RETURN(Attributes attributes,
                   MergeAttributes(declaration_->name, declaration_->attributes,
                                   std::move(given)));
  for (const FfiImportPlan::Scalar& scalar : plan.scalars) {
    Attribute value;
    if (scalar.type != FfiType::kNone) {
      value.kind = Attribute::Kind::kScalar;
      value.type = scalar.type;
    }
    attributes.emplace(scalar.attribute, std::move(value));
  }
  return attributes;
}

absl::StatusOr<std::shared_ptr<BoundFunction>> FfiFunction::Bind(
    const ImportRequest& request) const {
  auto parts = std::make_unique<FfiImportParts>();
  parts->name = PlainName(request.name);
  ASSIGN_OR_RETURN(parts->plan,
                   FfiImportPlan::Create(*declaration_, request.signature));
  ASSIGN_OR_RETURN(Attributes attributes, AllAttributes(request, parts->plan));
  ASSIGN_OR_RETURN(parts->pack,
                   AttributePack::Create(std::move(attributes),
                                         [this](const std::string& symbol) {
                                           return library_->FindSymbol(symbol);
                                         }));
  parts->handlers = handlers_;
  parts->services = request.services;
  parts->ffi.tasks = request.services->tasks;
  for (const auto& [type, data] : request.services->user_data) {
    parts->ffi.user_data[FfiTypeIdOf(type)] = data;
  }
  parts->ffi.packed = packed_.get();
  if (IsCudaPlatform(declaration_->platform)) {
    ASSIGN_OR_RETURN(parts->ffi.cuda, request.services->cuda->Get());
    parts->is_remote = true;
  }
  parts->registry = &library_->registry();
  parts->memory = request.state.memory();
  parts->state = &request.state;
  parts->device = request.services->device;
  parts->params = ResultParams(request.owner);
  // The plan points into the declaration.
  auto owner = std::make_shared<FfiFunction>(*this);
  return FfiImport::Create(std::move(parts), request.state, std::move(owner));
}

std::string FfiFunction::Notice() const {
  if (handlers_.minor <= kNewestFfiMinor) return "";
  return absl::StrCat(
      "uses version ", EYRIE_FFI_MAJOR, ".", handlers_.minor,
      " of XLA FFI; the newest known one is ", EYRIE_FFI_MAJOR, ".",
      kNewestFfiMinor,
      ". It runs, but what later versions add is UNIMPLEMENTED.");
}

class DeclaredFfi final : public DeclaredHandler {
 public:
  explicit DeclaredFfi(FfiDeclaration declaration)
      : DeclaredHandler(std::move(declaration)) {}

  absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const override;
  void CollectSymbols(
      const NativeLibrary& library,
      std::vector<eyrie_ffi_handler_t*>& symbols) const override;

 private:
  // Reports whether the library says itself that these are handlers.
  bool IsCertain(const NativeLibrary& library) const {
    return !declaration()->registered.empty() && !library.is_of_program();
  }
  absl::Status CheckPlatform() const;
  // Finds the handlers of a name among the library's registrations, or, in this
  // program, among its symbols: "name", "name.instantiate", …
  absl::StatusOr<FfiHandlers> FindRegistered(
      const NativeLibrary& library) const;
  // Finds the handlers among the library's symbols or its registrations.
  absl::StatusOr<FfiHandlers> FindHandlers(const NativeLibrary& library) const;
};

absl::Status DeclaredFfi::CheckPlatform() const {
  const std::string& platform = declaration()->platform;
  if (IsHostPlatform(platform) || IsCudaPlatform(platform)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "'", PlainName(declaration()->name), "' is a handler for the platform '",
      PlainName(platform), "'; only those for Host and CUDA can run here."));
}

absl::StatusOr<FfiHandlers> DeclaredFfi::FindRegistered(
    const NativeLibrary& library) const {
  FfiHandlers handlers;
  const std::string& name = declaration()->registered;
  if (const RegisteredHandler* const registered =
          library.registry().FindHandler(name, declaration()->platform)) {
    if (!IsSamePlatform(registered->platform, declaration()->platform)) {
      return absl::UnimplementedError(absl::StrCat(
          "The handler '", PlainName(name),
          "' is registered for the platform '", PlainName(registered->platform),
          "', and declared for '", PlainName(declaration()->platform),
          "'; name its \"platform\" in the manifest."));
    }
    std::copy(std::begin(registered->bundle.stages),
              std::end(registered->bundle.stages), handlers.stages.begin());
    return handlers;
  }
  if (library.is_of_program() && library.FindSymbol(name).ok()) {
    for (int stage = 0; stage < EYRIE_FFI_STAGES; ++stage) {
      const auto symbol = library.FindSymbol(
          stage == EYRIE_FFI_EXECUTE
              ? name
              : absl::StrCat(name, ".", FfiStageName(stage)));
      if (!symbol.ok()) continue;
      handlers.stages[stage] = reinterpret_cast<eyrie_ffi_handler_t*>(*symbol);
    }
    return handlers;
  }
  return absl::NotFoundError(absl::StrCat(
      "'", library.path(), "' does not register a handler '", PlainName(name),
      "'.", DidYouMean(name, library.HandlerNames())));
}

absl::StatusOr<FfiHandlers> DeclaredFfi::FindHandlers(
    const NativeLibrary& library) const {
  RETURN_IF_ERROR(CheckPlatform());
  FfiHandlers handlers;
  if (!declaration()->registered.empty()) return FindRegistered(library);
  for (int stage = 0; stage < EYRIE_FFI_STAGES; ++stage) {
    if (declaration()->symbols[stage].empty()) continue;
    ASSIGN_OR_RETURN(void* const symbol,
                     library.FindFunction(declaration()->symbols[stage]));
    handlers.stages[stage] = reinterpret_cast<eyrie_ffi_handler_t*>(symbol);
  }
  return handlers;
}

void DeclaredFfi::CollectSymbols(
    const NativeLibrary& library,
    std::vector<eyrie_ffi_handler_t*>& symbols) const {
  if (IsCertain(library)) return;
  const auto handlers = FindHandlers(library);
  if (!handlers.ok()) return;  // Load returns the error
  for (eyrie_ffi_handler_t* const handler : handlers->stages) {
    if (handler != nullptr) symbols.push_back(handler);
  }
}

absl::StatusOr<std::shared_ptr<const NativeFunction>> DeclaredFfi::Load(
    std::shared_ptr<const NativeLibrary> library) const {
  ASSIGN_OR_RETURN(FfiHandlers handlers, FindHandlers(*library));
  const bool is_certain = IsCertain(*library);
  for (eyrie_ffi_handler_t* const handler : handlers.stages) {
    if (handler == nullptr) continue;
    ASSIGN_OR_RETURN(const FfiMetadata metadata,
                     is_certain ? ProbeHandler(handler) : ProbeSymbol(handler));
    if (handlers.minor != 0 && handlers.minor != metadata.minor) {
      return absl::InvalidArgumentError(
          absl::StrCat("The stages of '", PlainName(declaration()->name),
                       "' use different versions of XLA FFI: 0.",
                       handlers.minor, " and 0.", metadata.minor, "."));
    }
    handlers.minor = metadata.minor;
  }
  if (handlers.stages[EYRIE_FFI_EXECUTE] == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", PlainName(declaration()->name), "' has no stage \"execute\"."));
  }
  return MakeFfiFunction(declaration(), std::move(library), handlers, nullptr);
}

}  // namespace

std::shared_ptr<const NativeFunction> MakeFfiFunction(
    std::shared_ptr<const FfiDeclaration> declaration,
    std::shared_ptr<const NativeLibrary> library, const FfiHandlers& handlers,
    std::shared_ptr<const PackedFunction> packed) {
  return std::make_shared<const FfiFunction>(
      std::move(declaration), std::move(library), handlers, std::move(packed));
}

void AskFfiHandlers(std::span<eyrie_ffi_handler_t* const> symbols) {
  ProbeTogether(symbols);
}

absl::StatusOr<std::unique_ptr<NativeDeclaration>> DeclareXlaFfi(
    absl::string_view function, JsonReader& json) {
  ASSIGN_OR_RETURN(FfiDeclaration declaration,
                   ReadFfiDeclaration(function, json));
  return std::unique_ptr<NativeDeclaration>(
      std::make_unique<DeclaredFfi>(std::move(declaration)));
}

}  // namespace eyrie::native
