// Verifies the parts of a module in turn.
#include "vm/module/verifier.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/isa/operand.h"
#include "vm/module/function_verifier.h"

namespace eyrie::vm {
namespace {

// Returns the registers that upstream's runtime allocates for a function.
RegisterLimits UpstreamFrame(const FunctionDef& function) {
  return {std::min(std::bit_ceil(uint32_t{function.declared_i32_count}),
                   uint32_t{kMaxI32Registers}),
          std::min(std::bit_ceil(uint32_t{function.declared_ref_count}),
                   uint32_t{kMaxRefRegisters})};
}

// Verifies a function and sets the size of its frame. `offset` receives the
// place of an error.
absl::StatusOr<ArgumentLayout> VerifyFunction(FunctionVerifier& verifier,
                                              uint32_t ordinal,
                                              FunctionDef& function,
                                              uint32_t& offset) {
  const RegisterLimits declared = {function.declared_i32_count,
                                   function.declared_ref_count};
  absl::StatusOr<ArgumentLayout> layout = verifier.Verify(ordinal, declared);
  offset = verifier.offset();
  if (layout.ok()) return layout;
  const RegisterLimits frame = UpstreamFrame(function);
  if (frame.i32 == declared.i32 && frame.ref == declared.ref) return layout;
  absl::StatusOr<ArgumentLayout> retried = verifier.Verify(ordinal, frame);
  if (retried.ok()) {
    function.i32_register_count = static_cast<uint16_t>(frame.i32);
    function.ref_register_count = static_cast<uint16_t>(frame.ref);
    return retried;
  }
  // An error at the same place names the declared registers.
  if (verifier.offset() == offset) return layout;
  offset = verifier.offset();
  return retried;
}

}  // namespace

absl::Status VerifiedModule::ReserveTables() {
  constexpr char kWhat[] = "the signatures of a module";
  RETURN_IF_ERROR(Reserve(import_signatures_, def_.imports.size(), kWhat));
  RETURN_IF_ERROR(Reserve(signatures_, def_.functions.size(), kWhat));
  RETURN_IF_ERROR(Reserve(layouts_, def_.functions.size(), kWhat));
  return Reserve(have_loops_, def_.functions.size(), kWhat);
}

absl::StatusOr<std::shared_ptr<const VerifiedModule>> VerifiedModule::Verify(
    ModuleDef def, FaultPlace* fault) {
  std::shared_ptr<VerifiedModule> module(new VerifiedModule(std::move(def)));
  const ModuleDef& checked = module->def_;
  RETURN_IF_ERROR(module->ReserveTables());
  for (const ImportDef& import : checked.imports) {
    auto parsed = CallingConvention::Parse(import.calling_convention);
    if (!parsed.ok()) {
      return Annotate(
          parsed.status(),
          absl::StrCat("(of import ", PlainName(import.full_name), ")"));
    }
    module->import_signatures_.push_back(*std::move(parsed));
  }
  for (uint32_t i = 0; i < checked.functions.size(); ++i) {
    auto parsed =
        CallingConvention::Parse(checked.functions[i].calling_convention);
    if (!parsed.ok()) {
      return Annotate(parsed.status(),
                      absl::StrCat("(of function ",
                                   PlainName(checked.FunctionName(i)), ")"));
    }
    module->signatures_.push_back(*std::move(parsed));
  }
  for (const ExportDef& exported : checked.exports) {
    if (checked.functions[exported.function].calling_convention.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Export ", PlainName(exported.name),
          " has no calling convention (in ", PlainName(checked.name), ")."));
    }
  }
  FunctionVerifier verifier(checked, module->signatures_,
                            module->import_signatures_);
  for (uint32_t i = 0; i < checked.functions.size(); ++i) {
    uint32_t offset = 0;
    const absl::StatusOr<ArgumentLayout> layout =
        VerifyFunction(verifier, i, module->def_.functions[i], offset);
    if (!layout.ok()) {
      if (fault != nullptr) *fault = {i, offset};
      return layout.status();
    }
    module->layouts_.push_back(*layout);
    module->have_loops_.push_back(verifier.has_loop());
  }
  return module;
}

absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    const std::string& path) {
  return LoadModule(Archive::Open(path));
}

absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    std::span<const uint8_t> bytes, const std::string& name) {
  return LoadModule(Archive::Copy(bytes, name));
}

absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    const absl::StatusOr<std::shared_ptr<const Archive>>& archive) {
  RETURN_IF_ERROR(archive);
  ASSIGN_OR_RETURN(ModuleDef def, ModuleDef::Decode(*archive));
  return VerifiedModule::Verify(std::move(def));
}

}  // namespace eyrie::vm
