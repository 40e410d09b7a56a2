// Tested by context_test.cc.
#include "vm/context.h"

#include <array>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "vm/interpreter.h"
#include "vm/native_module.h"

namespace eyrie::vm {
namespace {

// Native functions may call back; each level takes some of the thread's stack.
constexpr int kMaxDepth = 100;

constexpr const char* kTypeNames[] = {"i32", "i64", "f32", "f64", "ref"};

const char* NameOf(ValueType type) {
  return kTypeNames[static_cast<int>(type)];
}

absl::Status WrongCount(const Function& function, absl::string_view what,
                        size_t want, size_t got) {
  return absl::InvalidArgumentError(
      absl::StrCat("Function ", function.full_name(), " (",
                   function.signature().ToString(), ") has ", want, " ", what,
                   "; ", got, got == 1 ? " was" : " were", " given."));
}

}  // namespace

std::string Function::full_name() const {
  return absl::StrCat(module().name(), ".", name());
}

absl::StatusOr<std::unique_ptr<Context>> Context::Create(
    std::vector<std::shared_ptr<const Module>> modules,
    ContextOptions options) {
  std::unique_ptr<Context> context(new Context(std::move(options)));
  ASSIGN_OR_RETURN(context->stack_,
                   Stack::Create(context->options_.stack_bytes));
  for (std::shared_ptr<const Module>& module : modules) {
    RETURN_IF_ERROR(context->AddModule(std::move(module)));
  }
  return context;
}

Context::~Context() {
  for (size_t i = states_.size(); i-- > 0;) {
    const BytecodeModule* module = modules_[i]->AsBytecode();
    if (module != nullptr) {
      RunIfExported(*module, "__deinit").IgnoreError();
    }
  }
  while (!states_.empty()) states_.pop_back();
}

absl::Status Context::AddModule(std::shared_ptr<const Module> module) {
  if (FindModule(module->name()) != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("Two modules have the name ", module->name(), "."));
  }
  const BytecodeModule* bytecode = module->AsBytecode();
  if (bytecode != nullptr) RETURN_IF_ERROR(CheckDependencies(*bytecode));
  ASSIGN_OR_RETURN(std::unique_ptr<ModuleState> state, module->CreateState());
  if (bytecode != nullptr) {
    RETURN_IF_ERROR(LinkImports(static_cast<BytecodeState&>(*state)));
  }
  modules_.push_back(std::move(module));
  states_.push_back(std::move(state));
  if (bytecode == nullptr) return absl::OkStatus();
  return RunIfExported(*bytecode, "__init");
}

const Module* Context::FindModule(absl::string_view name,
                                  ModuleState** state) const {
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i]->name() != name) continue;
    if (state != nullptr) *state = states_[i].get();
    return modules_[i].get();
  }
  return nullptr;
}

std::string Context::LoadedModules() const {
  if (modules_.empty()) return "none is";
  return absl::StrJoin(
      modules_, ", ", [](std::string* out, const auto& module) {
        absl::StrAppend(out, module->name(), " ", module->version());
      });
}

absl::Status Context::CheckDependencies(const BytecodeModule& module) const {
  for (const DependencyDef& need : module.def().dependencies) {
    const Module* found = FindModule(need.name);
    if (found == nullptr) {
      if (need.optional) continue;
      return absl::NotFoundError(absl::StrCat(
          "Module ", module.name(), " requires module ", need.name, " version ",
          need.minimum_version,
          ", which is not loaded before it (loaded: ", LoadedModules(), ")."));
    }
    if (!need.optional && found->version() < need.minimum_version) {
      return absl::UnimplementedError(
          absl::StrCat("Module ", module.name(), " requires module ", need.name,
                       " version ", need.minimum_version,
                       "; the loaded one has version ", found->version(), "."));
    }
  }
  return absl::OkStatus();
}

absl::Status Context::LinkImports(BytecodeState& state) const {
  const ModuleDef& def = state.module->def();
  for (uint32_t i = 0; i < def.imports.size(); ++i) {
    const ImportDef& import = def.imports[i];
    ResolvedImport& resolved = state.imports[i];
    resolved.signature = &state.module->verified().import_signature(i);
    resolved.results = resolved.signature->result_types().data();
    resolved.result_count =
        static_cast<uint32_t>(resolved.signature->result_types().size());
    ModuleState* provider_state = nullptr;
    const Module* provider = FindModule(import.module_name(), &provider_state);
    absl::Status status =
        LinkImport(import, provider, provider_state, resolved);
    if (status.ok() || (import.optional && absl::IsNotFound(status))) continue;
    return Annotate(status,
                    absl::StrCat("(an import of module ", def.name, ")"));
  }
  return absl::OkStatus();
}

absl::Status Context::LinkImport(const ImportDef& import,
                                 const Module* provider,
                                 ModuleState* provider_state,
                                 ResolvedImport& resolved) const {
  if (provider == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("Function ", import.full_name, " is imported, but module ",
                     import.module_name(),
                     " is not loaded (loaded: ", LoadedModules(), ")."));
  }
  ASSIGN_OR_RETURN(const uint32_t ordinal,
                   provider->ResolveImport(import.local_name(),
                                           resolved.signature->ToString()));
  if (const NativeModule* native = provider->AsNative()) {
    resolved.thunk = native->function(ordinal).thunk;
    resolved.native_state = provider_state;
  } else if (const BytecodeModule* bytecode = provider->AsBytecode()) {
    resolved.callee = &bytecode->function(ordinal);
    resolved.callee_state = static_cast<BytecodeState*>(provider_state);
  }
  return absl::OkStatus();
}

Function Context::MakeFunction(const BytecodeModule& module,
                               const ExportDef& def, ModuleState* state) const {
  Function function;
  function.context_ = this;
  function.state_ = static_cast<BytecodeState*>(state);
  function.export_ = &def;
  return function;
}

absl::StatusOr<Function> Context::Lookup(absl::string_view name) const {
  for (size_t i = modules_.size(); i-- > 0;) {
    const BytecodeModule* module = modules_[i]->AsBytecode();
    if (module == nullptr) continue;
    const ExportDef* found = module->def().FindExport(name);
    absl::string_view local = name;
    if (found == nullptr && absl::ConsumePrefix(&local, module->name()) &&
        absl::ConsumePrefix(&local, ".")) {
      found = module->def().FindExport(local);
    }
    if (found != nullptr)
      return MakeFunction(*module, *found, states_[i].get());
  }
  return absl::NotFoundError(
      absl::StrCat("No loaded module exports a function ", name,
                   " (loaded: ", LoadedModules(), ")."));
}

std::vector<Function> Context::ExportsOf(const Module& module) const {
  std::vector<Function> functions;
  const BytecodeModule* bytecode = module.AsBytecode();
  ModuleState* state = nullptr;
  if (bytecode == nullptr || FindModule(module.name(), &state) != &module) {
    return functions;
  }
  for (const ExportDef& def : bytecode->def().exports) {
    if (absl::StartsWith(def.name, "__")) continue;
    functions.push_back(MakeFunction(*bytecode, def, state));
  }
  return functions;
}

absl::Status Context::RunIfExported(const BytecodeModule& module,
                                    absl::string_view name) {
  const ExportDef* found = module.def().FindExport(name);
  if (found == nullptr) return absl::OkStatus();
  ModuleState* state = nullptr;
  FindModule(module.name(), &state);
  return Invoke(MakeFunction(module, *found, state), {}, {});
}

absl::Status Context::Invoke(const Function& function,
                             std::span<const Slot> args,
                             std::span<Slot> results) {
  const FunctionCode& code = function.code();
  if (args.size() != code.argument_count) [[unlikely]] {
    return WrongCount(function, "arguments", code.argument_count, args.size());
  }
  if (results.size() != code.result_count) [[unlikely]] {
    return WrongCount(function, "results", code.result_count, results.size());
  }
  if (function.context_ != this) [[unlikely]] {
    return absl::InvalidArgumentError(absl::StrCat(
        "Function ", function.full_name(), " is of another context."));
  }
  if (depth_ == kMaxDepth) [[unlikely]] {
    return absl::ResourceExhaustedError(absl::StrCat(
        "Calls from native functions back into the context exceed ", kMaxDepth,
        " levels."));
  }
  Machine machine(*stack_, &options_.print);
  RETURN_IF_ERROR(machine.EnterFromHost(code, *function.state_, args.data(),
                                        results.data()));
  ++depth_;
  Outcome outcome;
  while ((outcome = Run(machine)) == Outcome::kYielded) {
    std::this_thread::yield();
  }
  --depth_;
  if (outcome == Outcome::kFailed) [[unlikely]]
    return machine.TakeError();
  return absl::OkStatus();
}

absl::Status Context::CheckArguments(const Function& function,
                                     std::span<const Value> args) {
  const std::vector<ValueType>& want = function.signature().argument_types();
  if (args.size() != want.size()) {
    return WrongCount(function, "arguments", want.size(), args.size());
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].type() == want[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", i, " of function ", function.full_name(), " (",
        function.signature().ToString(), ") is ", NameOf(args[i].type()), "; ",
        NameOf(want[i]), " is required."));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Context::Call(const Function& function,
                                                 std::span<const Value> args) {
  RETURN_IF_ERROR(CheckArguments(function, args));
  const std::vector<ValueType>& types = function.signature().result_types();
  std::vector<Slot> slots(args.size() + types.size());
  for (size_t i = 0; i < args.size(); ++i) slots[i] = args[i].slot();
  const std::span<Slot> results = std::span<Slot>(slots).subspan(args.size());
  RETURN_IF_ERROR(Invoke(
      function, std::span<const Slot>(slots).first(args.size()), results));
  std::vector<Value> values;
  values.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    values.push_back(Value::Adopt(types[i], results[i]));
  }
  return values;
}

absl::StatusOr<std::unique_ptr<Stack>> Context::TakeStack() {
  if (spare_stacks_.empty()) return Stack::Create(options_.stack_bytes);
  std::unique_ptr<Stack> stack = std::move(spare_stacks_.back());
  spare_stacks_.pop_back();
  return stack;
}

void Context::ReturnStack(std::unique_ptr<Stack> stack) {
  spare_stacks_.push_back(std::move(stack));
}

}  // namespace eyrie::vm
