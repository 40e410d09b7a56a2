#include "tools/upgrade/call_rewriter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/host_imports.h"
#include "abi/needs/module_facts.h"
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/upgrade/code_editor.h"
#include "tools/upgrade/import_call.h"
#include "tools/upgrade/kernel_names.h"
#include "tools/upgrade/pipeline_layouts.h"
#include "tools/upgrade/pushed_arguments.h"
#include "tools/upgrade/shims.h"
#include "vm/flow/value_flow.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/isa/release.h"
#include "vm/isa/version.h"

namespace eyrie::tools {
namespace {

using vm::Instruction;
using vm::KnownRegisters;
using vm::Op;

// The local name of the function that finds a kernel by its name, which only
// releases with numbers for it have. Others name a kernel by its ordinal.
constexpr char kLookup[] = "executable.lookup.function";

// How calls of an import are rewritten.
struct Fate {
  std::optional<uint32_t> kept;  // its new ordinal
  bool is_lookup = false;
  PushFate push = PushFate::kOther;
  std::vector<Shim> shims;
};

class CallRewriter {
 public:
  CallRewriter(const vm::VerifiedModule& module, int release,
               vm::ModulePlan& plan)
      : module_(module),
        release_(release),
        has_discards_(vm::BytecodeVersionOf(release)->discards),
        plan_(plan) {}

  absl::Status Run();

 private:
  void SortImports();
  // Makes the registers of what the function pushes.
  absl::Status PreparePushes(uint32_t function, CodeEditor& editor);
  absl::Status RewriteFunction(uint32_t function);
  void ReplaceLayoutTypes();
  absl::Status Visit(const Instruction& instruction,
                     const vm::KnownRegisters& registers, CodeEditor& editor);
  absl::Status Replace(const Fate& fate, const vm::ImportDef& import,
                       const ImportCall& call,
                       const vm::KnownRegisters& registers, CodeEditor& editor);
  absl::Status ReplaceLookup(const ImportCall& call,
                             const vm::KnownRegisters& registers,
                             CodeEditor& editor);
  absl::Status ReplacePush(PushFate fate, const ImportCall& call,
                           const vm::KnownRegisters& registers,
                           CodeEditor& editor);
  // Adds a return that drops what the function pushed.
  void AddReturn(const Instruction& instruction, CodeEditor& editor);
  absl::Status Unknown(const vm::ImportDef& import,
                       absl::string_view why) const;
  // Returns the ordinal of a function that the new module imports.
  uint32_t ImportOf(const Shim& shim);

  const vm::VerifiedModule& module_;
  const int release_;
  const bool has_discards_;
  vm::ModulePlan& plan_;
  std::vector<Fate> fates_;  // by old ordinal
  std::vector<vm::ModulePlan::Import> imports_;
  // By name and convention; separated by a blank.
  absl::flat_hash_map<std::string, uint32_t> ordinals_;
  std::optional<KernelNames> kernels_;
  std::optional<PipelineLayouts> layouts_;  // if it pushes arguments
  PushedArguments pushed_;                  // of the function being rewritten
  uint32_t function_ = 0;
};

absl::Status CallRewriter::Unknown(const vm::ImportDef& import,
                                   absl::string_view why) const {
  return absl::UnimplementedError(absl::StrCat(
      "Release ", vm::ReleaseName(release_), " cannot express the call of ",
      PlainName(import.full_name), " (", PlainName(import.calling_convention),
      ") in ", PlainName(module_.def().QualifiedName(function_)), ": ", why));
}

uint32_t CallRewriter::ImportOf(const Shim& shim) {
  const auto [known, is_new] = ordinals_.try_emplace(
      absl::StrCat(shim.full_name, " ", shim.convention), imports_.size());
  if (is_new) {
    imports_.push_back({shim.full_name, shim.convention, false, {}});
  }
  return known->second;
}

void CallRewriter::SortImports() {
  for (const vm::ModulePlan::Import& import : plan_.imports) {
    Fate& fate = fates_.emplace_back();
    if (HasImport(release_, import.full_name, import.convention)) {
      const auto ordinal = static_cast<uint32_t>(imports_.size());
      fate.kept = ordinal;
      ordinals_.try_emplace(
          absl::StrCat(import.full_name, " ", import.convention), ordinal);
      imports_.push_back(import);
      continue;
    }
    const size_t dot = import.full_name.find('.');
    fate.is_lookup = import.full_name.substr(dot + 1) == kLookup;
    fate.shims = ShimsFor(release_, import.full_name, import.convention);
    // The function of the first row takes the place in the table.
    if (!fate.shims.empty()) ImportOf(fate.shims[0]);
    if (release_ < vm::k20240828) continue;
    fate.push = PushFateOf(import.full_name, import.convention);
    if (fate.push != PushFate::kOther && !layouts_.has_value()) {
      layouts_ = PipelineLayouts::Read(module_);
    }
  }
}

absl::Status CallRewriter::ReplaceLookup(const ImportCall& call,
                                         const vm::KnownRegisters& registers,
                                         CodeEditor& editor) {
  if (!kernels_.has_value()) kernels_ = KernelNames::Read(module_);
  const auto name = registers.Get(call.arguments[1][0]);
  if (!name.has_value() || name->kind != vm::KnownValue::Kind::kRodata) {
    return absl::UnimplementedError("the name is not a constant.");
  }
  const auto bytes =
      module_.def().rodata[static_cast<size_t>(name->number)].bytes;
  ASSIGN_OR_RETURN(
      const uint32_t ordinal,
      kernels_->Find(absl::string_view(
          reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  editor.Add(Op::kConstI64, {ordinal}, {call.results[0]});
  // The call took the references that it may move.
  std::vector<uint16_t> moved;
  for (const auto& argument : call.arguments) {
    if (vm::IsMove(argument[0])) moved.push_back(argument[0]);
  }
  if (has_discards_) editor.AddDiscards(std::move(moved));
  return absl::OkStatus();
}

absl::Status CallRewriter::Replace(const Fate& fate,
                                   const vm::ImportDef& import,
                                   const ImportCall& call,
                                   const vm::KnownRegisters& registers,
                                   CodeEditor& editor) {
  if (fate.is_lookup || fate.push != PushFate::kOther) {
    const absl::Status status =
        fate.is_lookup ? ReplaceLookup(call, registers, editor)
                       : ReplacePush(fate.push, call, registers, editor);
    return status.ok() ? status : Unknown(import, status.message());
  }
  std::string why = "it has no such function.";
  for (const Shim& shim : fate.shims) {
    const auto made = ApplyShim(shim, call, registers, editor);
    if (!made.ok()) {
      why = std::string(made.status().message());
      continue;
    }
    ASSIGN_OR_RETURN(const vm::CallingConvention convention,
                     vm::CallingConvention::Parse(shim.convention));
    editor.Add(MakeImportCall(*made, ImportOf(shim), convention));
    return absl::OkStatus();
  }
  return Unknown(import, why);
}

absl::Status CallRewriter::Visit(const Instruction& instruction,
                                 const vm::KnownRegisters& registers,
                                 CodeEditor& editor) {
  if (instruction.op->op == Op::kReturn) {
    AddReturn(instruction, editor);
    return absl::OkStatus();
  }
  const bool resolves = instruction.op->op == Op::kImportResolved;
  const auto called = CalledImport(instruction);
  if (!resolves && !called.has_value()) {
    editor.Add(instruction);
    return absl::OkStatus();
  }
  const uint32_t import = called.value_or(
      static_cast<uint32_t>(instruction.reads[0].number) & ~vm::kImportBit);
  const Fate& fate = fates_[import];
  const vm::ImportDef& def = module_.def().imports[import];
  if (!fate.kept.has_value() && !resolves) {
    return Replace(
        fate, def,
        ReadImportCall(instruction, module_.import_signature(import)),
        registers, editor);
  }
  if (!fate.kept.has_value() && fate.shims.empty()) {
    return Unknown(def, "it has no such function.");
  }
  Instruction kept = instruction;
  kept.reads[0].number =
      vm::kImportBit |
      (fate.kept.has_value() ? *fate.kept : ImportOf(fate.shims[0]));
  editor.Add(kept);
  return absl::OkStatus();
}

absl::Status CallRewriter::ReplacePush(PushFate fate, const ImportCall& call,
                                       const vm::KnownRegisters& registers,
                                       CodeEditor& editor) {
  if (fate == PushFate::kConstant || fate == PushFate::kSet) {
    pushed_.Push(fate, call, registers, editor);
    return absl::OkStatus();
  }
  if (fate == PushFate::kLayout) {
    editor.AddNull(call.results[0]);
    return absl::OkStatus();
  }
  const bool direct = fate == PushFate::kDispatch;
  const Shim to = {direct ? kDispatchName : kIndirectName,
                   direct ? kDispatchConvention : kIndirectConvention, ""};
  ASSIGN_OR_RETURN(
      const ImportCall made,
      pushed_.Dispatch(fate, function_, *layouts_, call, registers, editor));
  ASSIGN_OR_RETURN(const vm::CallingConvention convention,
                   vm::CallingConvention::Parse(to.convention));
  editor.Add(MakeImportCall(made, ImportOf(to), convention));
  return absl::OkStatus();
}

void CallRewriter::AddReturn(const Instruction& instruction,
                             CodeEditor& editor) {
  if (has_discards_) editor.AddDiscards(pushed_.refs());
  editor.Add(instruction);
}

absl::Status CallRewriter::PreparePushes(uint32_t function,
                                         CodeEditor& editor) {
  pushed_ = PushedArguments();
  if (!layouts_.has_value()) return absl::OkStatus();
  absl::Status status;
  vm::VisitFunction(
      module_, function,
      [&](uint32_t, const Instruction& instruction,
          const vm::KnownRegisters& registers) {
        const auto import = CalledImport(instruction);
        if (!status.ok() || !import.has_value()) return;
        const PushFate fate = fates_[*import].push;
        if (fate != PushFate::kConstant && fate != PushFate::kSet) return;
        status = pushed_.Prepare(
            fate,
            ReadImportCall(instruction, module_.import_signature(*import)),
            registers, editor);
        if (!status.ok()) {
          status = Unknown(module_.def().imports[*import], status.message());
        }
      });
  return status;
}

absl::Status CallRewriter::RewriteFunction(uint32_t function) {
  function_ = function;
  CodeEditor editor(module_.def().functions[function]);
  absl::Status status = PreparePushes(function, editor);
  vm::VisitFunction(module_, function,
                    [&](uint32_t offset, const Instruction& instruction,
                        const vm::KnownRegisters& registers) {
                      if (!status.ok()) return;
                      editor.BeginAt(offset);
                      status = Visit(instruction, registers, editor);
                    });
  RETURN_IF_ERROR(status);
  return editor.Finish(plan_.functions[function]);
}

// No runtime of these releases knows the types of layouts, and only null
// references have them now. Types must differ.
void CallRewriter::ReplaceLayoutTypes() {
  constexpr const char* kStandIns[] = {"!vm.list<i8>", "!vm.list<i16>",
                                       "!vm.list<f32>", "!vm.list<f64>"};
  auto& types = plan_.types;
  for (std::string& type : types) {
    if (!absl::EndsWith(type, "_layout")) continue;
    for (const char* const stand_in : kStandIns) {
      if (absl::c_linear_search(types, stand_in)) continue;
      type = stand_in;
      break;
    }
  }
}

absl::Status CallRewriter::Run() {
  SortImports();
  for (uint32_t i = 0; i < plan_.functions.size(); ++i) {
    RETURN_IF_ERROR(RewriteFunction(i));
  }
  plan_.imports = std::move(imports_);
  if (layouts_.has_value()) ReplaceLayoutTypes();
  return absl::OkStatus();
}

}  // namespace

bool HasImports(int release, const vm::ModuleDef& module) {
  return absl::c_all_of(module.imports, [release](const vm::ImportDef& import) {
    return HasImport(release, import.full_name, import.calling_convention);
  });
}

absl::Status RewriteCalls(const vm::VerifiedModule& module, int release,
                          vm::ModulePlan& plan) {
  return CallRewriter(module, release, plan).Run();
}

void SetDependencies(vm::ModulePlan& plan) {
  for (vm::ModulePlan::Dependency& dependency : plan.dependencies) {
    if (!abi::IsHostModule(dependency.name)) continue;
    dependency.minimum_version = 0;
    for (const vm::ModulePlan::Import& import : plan.imports) {
      const size_t dot = import.full_name.find('.');
      const auto releases =
          abi::ReleasesOf(import.full_name, import.convention);
      if (import.full_name.substr(0, dot) != dependency.name ||
          !releases.has_value()) {
        continue;
      }
      dependency.minimum_version =
          std::max(dependency.minimum_version,
                   ModuleVersionOf(dependency.name, releases->first));
    }
  }
}

}  // namespace eyrie::tools
