// Declares XLA FFI handlers, one of the conventions of native functions: finds,
// probes and binds them.
// Tested by tools/native_test.sh.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/call_support.h"
#include "abi/native/conventions.h"
#include "abi/native/library.h"
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
              const FfiHandlers& handlers)
      : declaration_(std::move(declaration)),
        library_(std::move(library)),
        handlers_(handlers) {}

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
  parts->registry = &library_->registry();
  parts->memory = request.state.memory();
  parts->state = &request.state;
  parts->result_params = ResultParams(request.owner);
  // The plan points into the declaration.
  auto owner =
      std::make_shared<std::pair<std::shared_ptr<const FfiDeclaration>,
                                 std::shared_ptr<const NativeLibrary>>>(
          declaration_, library_);
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

class DeclaredFfi final : public NativeDeclaration {
 public:
  explicit DeclaredFfi(FfiDeclaration declaration)
      : declaration_(
            std::make_shared<const FfiDeclaration>(std::move(declaration))) {}

  absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const override;
  std::string Describe() const override { return declaration_->Describe(); }
  std::string ImportConvention(size_t operands) const override;
  std::vector<std::string> DeclareOperands(size_t operands) const override;
  bool has_fences() const override {
    return declaration_->fences.value_or(false);
  }

 private:
  // Returns the arguments of an import with this many operands, if it takes so
  // many; all that are required, in any case.
  std::vector<const FfiOperand*> Expand(size_t operands) const;
  absl::Status CheckPlatform(absl::string_view platform) const;
  // Finds the handlers of a name among the library's registrations, or, in this
  // program, among its symbols: "name", "name.instantiate", …
  absl::StatusOr<FfiHandlers> FindRegistered(
      const NativeLibrary& library) const;
  // Finds the handlers among the library's symbols or its registrations.
  absl::StatusOr<FfiHandlers> FindHandlers(const NativeLibrary& library) const;

  const std::shared_ptr<const FfiDeclaration> declaration_;
};

absl::Status DeclaredFfi::CheckPlatform(absl::string_view platform) const {
  if (IsHostPlatform(platform)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "'", declaration_->name, "' is a handler for the platform '",
      PlainName(platform), "'; only handlers for Host can run here."));
}

absl::StatusOr<FfiHandlers> DeclaredFfi::FindRegistered(
    const NativeLibrary& library) const {
  FfiHandlers handlers;
  const std::string& name = declaration_->registered;
  if (const RegisteredHandler* const registered =
          library.registry().FindHandler(name)) {
    RETURN_IF_ERROR(CheckPlatform(registered->platform));
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
  RETURN_IF_ERROR(CheckPlatform(declaration_->platform));
  FfiHandlers handlers;
  if (!declaration_->registered.empty()) return FindRegistered(library);
  for (int stage = 0; stage < EYRIE_FFI_STAGES; ++stage) {
    if (declaration_->symbols[stage].empty()) continue;
    ASSIGN_OR_RETURN(void* const symbol,
                     library.FindFunction(declaration_->symbols[stage]));
    handlers.stages[stage] = reinterpret_cast<eyrie_ffi_handler_t*>(symbol);
  }
  return handlers;
}

absl::StatusOr<std::shared_ptr<const NativeFunction>> DeclaredFfi::Load(
    std::shared_ptr<const NativeLibrary> library) const {
  ASSIGN_OR_RETURN(FfiHandlers handlers, FindHandlers(*library));
  for (eyrie_ffi_handler_t* const handler : handlers.stages) {
    if (handler == nullptr) continue;
    ASSIGN_OR_RETURN(const FfiMetadata metadata, ProbeHandler(handler));
    if (handlers.minor != 0 && handlers.minor != metadata.minor) {
      return absl::InvalidArgumentError(
          absl::StrCat("The stages of '", declaration_->name,
                       "' use different versions of XLA FFI: 0.",
                       handlers.minor, " and 0.", metadata.minor, "."));
    }
    handlers.minor = metadata.minor;
  }
  if (handlers.stages[EYRIE_FFI_EXECUTE] == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", declaration_->name, "' has no stage \"execute\"."));
  }
  return std::make_shared<const FfiFunction>(declaration_, std::move(library),
                                             handlers);
}

std::vector<const FfiOperand*> DeclaredFfi::Expand(size_t operands) const {
  using Presence = FfiOperand::Presence;
  size_t further = operands;
  for (const FfiOperand& operand : declaration_->operands) {
    const bool counts =
        operand.presence == Presence::kRequired && operand.letter() != 0;
    if (counts && further > 0) --further;
  }
  std::vector<const FfiOperand*> expanded;
  for (const FfiOperand& operand : declaration_->operands) {
    size_t count = 1;
    if (operand.presence == Presence::kOptional) count = further > 0 ? 1 : 0;
    if (operand.presence == Presence::kRest) count = further;
    if (operand.presence != Presence::kRequired) further -= count;
    expanded.insert(expanded.end(), count, &operand);
  }
  return expanded;
}

std::vector<std::string> DeclaredFfi::DeclareOperands(size_t operands) const {
  std::vector<std::string> declared;
  for (const FfiOperand* const operand : Expand(operands)) {
    if (operand->letter() != 0) declared.push_back(operand->Declared());
  }
  return declared;
}

std::string DeclaredFfi::ImportConvention(size_t operands) const {
  std::string text = "0";
  size_t buffers = 0;  // arguments of the handler
  for (const FfiOperand* const operand : Expand(operands)) {
    if (operand->letter() != 0) text += operand->letter();
    buffers += operand->kind != FfiOperand::Kind::kAttribute;
  }
  if (has_fences()) text += "rr";
  if (text.size() == 1) text += 'v';
  text += '_';
  const size_t arguments = text.size();
  for (const FfiResult& result : declaration_->results) {
    if (result.kind != FfiResult::Kind::kBuffer) continue;
    // A rest result that follows arguments has one for each of them.
    const auto first = static_cast<size_t>(result.shape.last_operand());
    const bool each = result.rest && result.shape.is_each();
    text.append(each ? buffers - std::min(first, buffers) : 1, 'r');
  }
  if (text.size() == arguments) text += 'v';
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NativeDeclaration>> DeclareXlaFfi(
    absl::string_view function, JsonReader& json) {
  ASSIGN_OR_RETURN(FfiDeclaration declaration,
                   ReadFfiDeclaration(function, json));
  return std::unique_ptr<NativeDeclaration>(
      std::make_unique<DeclaredFfi>(std::move(declaration)));
}

}  // namespace eyrie::native
