// Linking, calls and control flow of the oracle.
#include "tests/oracle/oracle.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tests/oracle/arithmetic.h"
#include "vm/module/backtrace.h"
#include "vm/native/native_module.h"
#include "vm/native/slot_call.h"

namespace eyrie::tests {

using vm::IsWide;
using vm::Op;
using vm::OperandKind;
using vm::Slot;
using vm::Value;
using vm::ValueType;

namespace {

// Stack bytes of one frame and of all, as in vm/limits/limits.h.
constexpr size_t kStackBytes = size_t{4} << 20;
size_t FrameBytes(const vm::FunctionDef& function) {
  return 64 + size_t{4} * function.i32_register_count +
         size_t{8} * function.ref_register_count;
}

Value CreateValue(ValueType type, uint64_t bits) {
  Slot slot;
  slot.i64 = static_cast<int64_t>(bits);
  return Value::Adopt(type, slot);
}
uint64_t BitsOf(const Value& value) {
  return IsWide(value.type()) ? static_cast<uint64_t>(value.i64())
                              : static_cast<uint32_t>(value.i32());
}

// Returns the error of `fail` with a code: one of the format's sixteen, one
// that means a missing variant, or UNKNOWN for any other code.
absl::Status FailWith(uint32_t code, absl::string_view message) {
  if (code >= 1 && code <= 16) {
    return absl::Status(static_cast<absl::StatusCode>(code),
                        message.empty() ? "fail" : message);
  }
  if (code == 18) return absl::UnimplementedError(message);
  return absl::UnknownError(message);
}

class OracleInstance final : public Instance {
 public:
  OracleInstance(OracleEngine& engine, vm::PrintSink print)
      : engine_(engine), print_(std::move(print)) {}
  ~OracleInstance() override {
    for (size_t i = linked_.size(); i-- > 0;) {
      if (linked_[i]) CallIfExported(*linked_[i], "__deinit").IgnoreError();
    }
    linked_.clear();
    while (!native_states_.empty()) native_states_.pop_back();
  }

  absl::Status Add(std::shared_ptr<const vm::Module> module);
  absl::StatusOr<std::vector<Value>> Call(absl::string_view function,
                                          std::span<const Value> args) override;
  int64_t suspensions() const override { return suspensions_; }

 private:
  absl::Status Link(const vm::ImportDef& def, LinkedImport& import);
  absl::Status CallIfExported(LinkedModule& module, absl::string_view name);
  absl::StatusOr<std::vector<Value>> Run(LinkedModule& module,
                                         uint32_t function,
                                         std::vector<Value> args);
  absl::Status Step(const Instruction& in);
  absl::Status Control(const Instruction& in);
  absl::Status Fail(const Instruction& in) {
    return FailWith(static_cast<uint32_t>(Top().Number(in.operands[0])),
                    in.operands[1].text);
  }
  void GoTo(uint32_t block, const std::vector<uint16_t>& moves);
  void ChooseBranch(const Instruction& in);
  void ChooseCase(const Instruction& in);
  absl::Status EnterCall(const Instruction& in);
  absl::Status CallNative(const LinkedImport& import,
                          const std::vector<uint16_t>& segments,
                          const std::vector<uint16_t>& args,
                          const std::vector<uint16_t>& results);
  absl::Status Enter(LinkedModule& module, uint32_t function,
                     std::vector<Value> args,
                     const std::vector<uint16_t>* results);
  void Return(const std::vector<uint16_t>& values);
  void Print(const Instruction& in);
  std::string Places() const;
  Activation& Top() { return frames_.back(); }
  Value TakeRegister(ValueType type, uint16_t reg);
  void PutRegister(const Value& value, uint16_t reg);

  OracleEngine& engine_;
  vm::PrintSink print_;
  std::vector<std::shared_ptr<const vm::Module>> modules_;
  std::vector<std::unique_ptr<LinkedModule>> linked_;  // null if native
  std::vector<std::unique_ptr<vm::ModuleState>> native_states_;
  std::vector<Activation> frames_;
  size_t stack_bytes_ = 0;
  int64_t suspensions_ = 0;
  std::vector<Value> returned_;  // to the host
};

absl::Status OracleInstance::Add(std::shared_ptr<const vm::Module> module) {
  modules_.push_back(std::move(module));
  const vm::Module& added = *modules_.back();
  linked_.push_back(nullptr);
  native_states_.push_back(nullptr);
  if (added.AsBytecode() == nullptr) {
    ASSIGN_OR_RETURN(native_states_.back(), added.CreateState());
    return absl::OkStatus();
  }
  auto linked = std::make_unique<LinkedModule>();
  linked->module = added.AsBytecode()->shared_from_this();
  const vm::ModuleDef& def = linked->def();
  linked->globals.resize(def.global_bytes);
  linked->global_refs.resize(def.global_refs);
  linked->rodata.resize(def.rodata.size());
  linked->code.resize(def.functions.size());
  linked->imports.resize(def.imports.size());
  for (size_t i = 0; i < def.imports.size(); ++i) {
    linked->imports[i].signature =
        &linked->module->verified().import_signature(static_cast<uint32_t>(i));
    const absl::Status status = Link(def.imports[i], linked->imports[i]);
    if (!status.ok() && !def.imports[i].optional) return status;
  }
  linked_.back() = std::move(linked);
  return CallIfExported(*linked_.back(), "__init");
}

absl::Status OracleInstance::Link(const vm::ImportDef& def,
                                  LinkedImport& import) {
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i]->name() != def.module_name()) continue;
    if (const vm::BytecodeModule* bytecode = modules_[i]->AsBytecode()) {
      ASSIGN_OR_RETURN(import.function,
                       bytecode->ResolveImport(def.local_name(),
                                               import.signature->ToString()));
      import.module = linked_[i].get();
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(import.native, modules_[i]->BindImport(*native_states_[i],
                                                            def.local_name(),
                                                            *import.signature));
    return absl::OkStatus();
  }
  return absl::NotFoundError(def.full_name);
}

absl::Status OracleInstance::CallIfExported(LinkedModule& module,
                                            absl::string_view name) {
  const vm::ExportDef* found = module.def().FindExport(name);
  if (found == nullptr) return absl::OkStatus();
  return Run(module, found->function, {}).status();
}

absl::StatusOr<std::vector<Value>> OracleInstance::Call(
    absl::string_view function, std::span<const Value> args) {
  LinkedModule* module = linked_.back().get();
  if (module == nullptr) return absl::NotFoundError("a native module");
  const vm::ExportDef* found = module->def().FindExport(function);
  if (found == nullptr) return absl::NotFoundError(function);
  suspensions_ = 0;
  return Run(*module, found->function,
             std::vector<Value>(args.begin(), args.end()));
}

absl::StatusOr<std::vector<Value>> OracleInstance::Run(
    LinkedModule& module, uint32_t function, std::vector<Value> args) {
  std::vector<Activation> outer = std::exchange(frames_, {});
  const size_t outer_bytes = std::exchange(stack_bytes_, 0);
  absl::Status status = Enter(module, function, std::move(args), nullptr);
  uint64_t steps = 0;
  while (status.ok() && !frames_.empty()) {
    if (++steps > engine_.max_steps) {
      status = absl::AbortedError("too many steps");
      break;
    }
    Activation& top = Top();
    top.at = top.next;
    const Instruction& in = top.module->DecodeAt(top.function, top.at);
    top.next = in.end;
    ++engine_.executed[vm::RowOf(*in.info)];
    status = Step(in);
    if (!status.ok()) status = Annotate(status, Places());
  }
  frames_ = std::move(outer);
  stack_bytes_ = outer_bytes;
  std::vector<Value> results = std::exchange(returned_, {});
  if (!status.ok()) return status;
  return results;
}

std::string OracleInstance::Places() const {
  vm::Backtrace backtrace;
  for (size_t i = frames_.size(); i-- > 0;) {
    backtrace.Add(
        {&frames_[i].module->def(), frames_[i].function, frames_[i].at});
  }
  return vm::FormatBacktrace(backtrace, "");
}

absl::Status OracleInstance::Step(const Instruction& in) {
  if (const Compute compute = FindCompute(in.info->op)) {
    uint64_t values[vm::OperandList::kMax] = {};
    for (size_t i = 0; i < in.read_count(); ++i) {
      values[i] = vm::IsRegister(in.operands[i].kind)
                      ? Top().Number(in.operands[i])
                      : in.operands[i].bits;
    }
    ASSIGN_OR_RETURN(const uint64_t bits, compute(values));
    Top().SetNumber(in.result(), bits);
    return absl::OkStatus();
  }
  if (const Effect effect = FindObjectEffect(in.info->op)) {
    return effect(Top(), in);
  }
  if (const Effect effect = FindBufferEffect(in.info->op)) {
    return effect(Top(), in);
  }
  return Control(in);
}

absl::Status OracleInstance::Control(const Instruction& in) {
  switch (in.info->op) {
    case Op::kBlock:
      return absl::OkStatus();
    case Op::kBranch:
    case Op::kBreak:
      GoTo(in.operands[0].place(), in.operands[1].list);
      return absl::OkStatus();
    case Op::kYield:
      ++suspensions_;
      GoTo(in.operands[0].place(), in.operands[1].list);
      return absl::OkStatus();
    case Op::kCondBreak:
      GoTo(in.operands[1].place(), in.operands[2].list);
      return absl::OkStatus();
    case Op::kCondBranch:
      ChooseBranch(in);
      return absl::OkStatus();
    case Op::kBranchTable:
      ChooseCase(in);
      return absl::OkStatus();
    case Op::kCall:
    case Op::kCallVariadic:
    case Op::kCallYieldable:
    case Op::kCallVariadicYieldable:
      return EnterCall(in);
    case Op::kReturn:
      Return(in.operands[0].list);
      return absl::OkStatus();
    case Op::kFail:
      return Fail(in);
    case Op::kImportResolved: {
      const uint32_t import = in.operands[0].place() & ~vm::kImportBit;
      Top().SetNumber(in.result(), Top().module->imports[import].resolved());
      return absl::OkStatus();
    }
    case Op::kTrace:
    case Op::kPrint:
      Print(in);
      return absl::OkStatus();
    default:
      return absl::InternalError(
          absl::StrCat("The oracle does not know ", in.info->text, "."));
  }
}

// Moves registers one after another, as listed.
void OracleInstance::GoTo(uint32_t block, const std::vector<uint16_t>& moves) {
  Activation& top = Top();
  for (size_t i = 0; i < moves.size(); i += 2) {
    if (vm::IsRefRegister(moves[i])) {
      Ref<RefObject>& from = top.RefAt(moves[i]);
      Ref<RefObject> value =
          vm::IsMove(moves[i]) ? std::exchange(from, nullptr) : from;
      top.RefAt(moves[i + 1]) = std::move(value);
    } else {
      top.numbers[moves[i + 1]] = top.numbers[moves[i]];
    }
  }
  top.next = block;
}

void OracleInstance::ChooseBranch(const Instruction& in) {
  const size_t first = Top().Number(in.operands[0]) != 0 ? 1 : 3;
  GoTo(in.operands[first].place(), in.operands[first + 1].list);
}

void OracleInstance::ChooseCase(const Instruction& in) {
  const uint64_t index = Top().Number(in.operands[0]);
  const std::vector<Target>& cases = in.operands[3].cases;
  if (index < cases.size()) {
    GoTo(cases[index].block, cases[index].moves);
  } else {
    GoTo(in.operands[1].place(), in.operands[2].list);
  }
}

Value OracleInstance::TakeRegister(ValueType type, uint16_t reg) {
  if (type != ValueType::kRef) {
    return CreateValue(type, Top().Number(reg, IsWide(type)));
  }
  Ref<RefObject>& ref = Top().RefAt(reg);
  return Value(vm::IsMove(reg) ? std::exchange(ref, nullptr) : ref);
}

void OracleInstance::PutRegister(const Value& value, uint16_t reg) {
  if (value.is_ref()) {
    Top().RefAt(reg) = Ref<RefObject>::Share(value.ref());
  } else {
    Top().SetNumber(reg, IsWide(value.type()), BitsOf(value));
  }
}

absl::Status OracleInstance::EnterCall(const Instruction& in) {
  const bool variadic = in.info->reads[1] == OperandKind::kSegments;
  const size_t args_at = variadic ? 2 : 1;
  const bool yieldable = in.read_count() > args_at + 1;
  const std::vector<uint16_t>& args = in.operands[args_at].list;
  const std::vector<uint16_t>& results = in.result().list;
  Activation& caller = Top();
  if (yieldable) caller.next = in.operands[args_at + 1].place();
  LinkedModule* module = caller.module;
  uint32_t function = in.operands[0].place();
  if ((function & vm::kImportBit) != 0) {
    const LinkedImport& import = module->imports[function & ~vm::kImportBit];
    if (!import.resolved()) return absl::NotFoundError("optional import");
    if (import.native.resolved()) {
      const absl::Status status = CallNative(
          import, variadic ? in.operands[1].list : args, args, results);
      if (!yieldable || !vm::IsPending(status)) return status;
      ++suspensions_;
      caller.next = in.offset;  // it is called again
      return absl::OkStatus();
    }
    module = import.module;
    function = import.function;
  }
  const auto& types =
      module->module->verified().signature(function).argument_types();
  std::vector<Value> values;
  for (size_t i = 0; i < types.size(); ++i) {
    values.push_back(TakeRegister(types[i], args[i]));
  }
  return Enter(*module, function, std::move(values), &results);
}

absl::Status OracleInstance::Enter(LinkedModule& module, uint32_t function,
                                   std::vector<Value> args,
                                   const std::vector<uint16_t>* results) {
  const vm::FunctionDef& def = module.def().functions[function];
  if (stack_bytes_ + FrameBytes(def) > kStackBytes) {
    return absl::ResourceExhaustedError("stack");
  }
  stack_bytes_ += FrameBytes(def);
  Activation& frame = frames_.emplace_back();
  frame.module = &module;
  frame.function = function;
  frame.numbers.resize(def.i32_register_count);
  frame.refs.resize(def.ref_register_count);
  frame.results = results;
  vm::RegisterCounts counts;
  const auto layout = module.module->verified().argument_layout(function);
  for (const Value& value : args) {
    const auto reg = static_cast<uint16_t>(counts.Add(value.type(), layout));
    PutRegister(value, value.is_ref() ? reg | vm::kRefBit : reg);
  }
  args.clear();  // the frame holds them from here on
  return absl::OkStatus();
}

void OracleInstance::Return(const std::vector<uint16_t>& values) {
  const auto& types = Top().signature().result_types();
  std::vector<Value> taken;
  for (size_t i = 0; i < types.size(); ++i) {
    taken.push_back(TakeRegister(types[i], values[i]));
  }
  const std::vector<uint16_t>* results = Top().results;
  stack_bytes_ -= FrameBytes(Top().module->def().functions[Top().function]);
  frames_.pop_back();
  if (frames_.empty()) {
    returned_ = std::move(taken);
    return;
  }
  for (size_t i = 0; i < taken.size(); ++i)
    PutRegister(taken[i], (*results)[i]);
}

// Arguments with a move bit are released after the function returns; it borrows
// all of them. A span is passed as its count, then its elements.
absl::Status OracleInstance::CallNative(const LinkedImport& import,
                                        const std::vector<uint16_t>& segments,
                                        const std::vector<uint16_t>& args,
                                        const std::vector<uint16_t>& results) {
  std::vector<Slot> slots;
  size_t next = 0;
  for (size_t i = 0; i < import.signature->arguments().size(); ++i) {
    const vm::CallElement& element = import.signature->arguments()[i];
    const size_t tuples = element.variadic ? segments[i] : 1;
    if (element.variadic)
      slots.emplace_back().i64 = static_cast<int64_t>(tuples);
    for (size_t t = 0; t < tuples; ++t) {
      for (ValueType type : element.types) {
        const uint16_t reg = args[next++];
        Slot& slot = slots.emplace_back();
        if (type == ValueType::kRef) {
          slot.ref = Top().RefAt(reg).get();
        } else {
          slot.i64 = static_cast<int64_t>(Top().Number(reg, IsWide(type)));
        }
      }
    }
  }
  const auto& types = import.signature->result_types();
  std::vector<Slot> returned(types.size());
  RETURN_IF_ERROR(vm::CallWithSlots(import.native, *import.signature,
                                    slots.data(), returned.data()));
  for (uint16_t reg : args) {
    if (vm::IsRefRegister(reg) && vm::IsMove(reg)) Top().RefAt(reg).reset();
  }
  for (size_t i = 0; i < types.size(); ++i) {
    PutRegister(Value::Adopt(types[i], returned[i]), results[i]);
  }
  return absl::OkStatus();
}

void OracleInstance::Print(const Instruction& in) {
  const bool trace = in.info->op == Op::kTrace;
  std::string line = absl::StrCat(trace ? "trace " : "", in.operands[0].text);
  const char* separator = "(";
  for (uint16_t reg : in.operands[1].list) {
    line += separator;
    separator = ", ";
    if (vm::IsRefRegister(reg)) {
      Ref<RefObject>& ref = Top().RefAt(reg);
      line += ref ? ref->type().name : "null";
      if (vm::IsMove(reg)) ref.reset();
    } else {
      absl::StrAppend(&line, static_cast<int32_t>(Top().numbers[reg]));
    }
  }
  if (print_) print_(line + (in.operands[1].list.empty() ? "()" : ")"));
}

}  // namespace

const Instruction& LinkedModule::DecodeAt(uint32_t function, uint32_t offset) {
  auto& decoded = code[function];
  auto it = decoded.find(offset);
  if (it == decoded.end()) {
    it =
        decoded
            .emplace(offset, Decode(def().functions[function].bytecode, offset))
            .first;
  }
  return it->second;
}

absl::StatusOr<std::unique_ptr<Instance>> OracleEngine::Load(
    std::vector<std::shared_ptr<const vm::Module>> modules,
    vm::PrintSink print) {
  auto instance = std::make_unique<OracleInstance>(*this, std::move(print));
  for (auto& module : modules) {
    RETURN_IF_ERROR(instance->Add(std::move(module)));
  }
  return std::unique_ptr<Instance>(std::move(instance));
}

}  // namespace eyrie::tests
