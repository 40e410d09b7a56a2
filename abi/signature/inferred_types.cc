#include "abi/signature/inferred_types.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "vm/flow/value_flow.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/lower/code_walk.h"

namespace eyrie::abi {
namespace {

using vm::Instruction;
using vm::KnownRegisters;
using vm::KnownValue;
using vm::Op;
using vm::OperandKind;
using Kind = Type::Kind;

// Returns "assert" for hal.buffer_view.assert; "" for other imports.
absl::string_view BufferViewCall(const vm::VerifiedModule& module,
                                 uint32_t import) {
  absl::string_view name = module.def().imports[import].full_name;
  if (!absl::ConsumePrefix(&name, "hal.buffer_view.") &&
      !absl::ConsumePrefix(&name, "hal_inline.buffer_view.")) {
    return "";
  }
  return name;
}

// Returns the type that two paths agree on.
Type Common(const Type& a, const Type& b) {
  if (a == b) return a;
  if (!a.is(Kind::kArray) || !b.is(Kind::kArray)) return Type();
  Type common = a;
  if (a.element != b.element) common.element = hal::ElementType::kNone;
  if (!a.ranked || !b.ranked || a.shape.size() != b.shape.size()) {
    common.ranked = false;
    common.shape.clear();
  }
  for (size_t i = 0; i < common.shape.size(); ++i) {
    if (a.shape[i] != b.shape[i]) common.shape[i] = Type::kDynamic;
  }
  return common;
}

Type AnyArray() {
  Type type;
  type.kind = Kind::kArray;
  return type;
}

const std::vector<uint16_t>& RegistersOf(const Instruction& instruction) {
  static const std::vector<uint16_t>& none = *new std::vector<uint16_t>();
  for (int i = 0; i < instruction.op->reads.count; ++i) {
    if (instruction.op->reads[i] == OperandKind::kRegList) {
      return instruction.reads[static_cast<size_t>(i)].list;
    }
  }
  return none;
}

// Finds the blocks that every call of a function runs, by their offsets: those
// that lead from the first to the first real decision.
class CertainBlocks {
 public:
  // `code` is a verified function's.
  explicit CertainBlocks(std::span<const uint8_t> code) : code_(code.data()) {
    uint32_t block = 0;
    while (blocks_.insert(block).second) {
      const std::optional<uint32_t> next = NextOf(block);
      if (!next) break;
      block = *next;
    }
  }
  bool contains(uint32_t block) const { return blocks_.contains(block); }

 private:
  // The visitor of VisitInstruction: keeps where control may continue.
  struct Next {
    void Register(OperandKind, uint16_t, bool) {}
    void Listed(uint16_t, bool) {}
    void Goes(const vm::Edge& edge) { blocks.push_back(edge.block); }

    std::vector<uint32_t> blocks;
  };

  // Reports whether a short block fails. Many blocks may lead to one.
  bool Fails(uint32_t block) {
    const auto [known, is_new] = fails_.try_emplace(block, false);
    if (is_new) known->second = EndsInFailure(block);
    return known->second;
  }
  bool EndsInFailure(uint32_t block) const {
    constexpr int kMost = 8;  // instructions
    for (int i = 0; i < kMost; ++i) {
      Next next;
      const Op op = vm::VisitInstruction(code_, block, next).op;
      if (vm::IsTerminator(op)) return op == Op::kFail;
    }
    return false;
  }
  // Returns the only block that may follow, apart from those that fail.
  std::optional<uint32_t> NextOf(uint32_t block) {
    Next next;
    Op end;
    do {
      next.blocks.clear();
      end = vm::VisitInstruction(code_, block, next).op;
    } while (!vm::IsTerminator(end));
    std::optional<uint32_t> only;
    for (const uint32_t to : next.blocks) {
      if (Fails(to) || to == only) continue;
      if (only) return std::nullopt;
      only = to;
    }
    return only;
  }

  const uint8_t* const code_;
  std::set<uint32_t> blocks_;
  std::map<uint32_t, bool> fails_;  // by block
};

// Reports whether Inference::Run looks at such instructions.
bool IsOfInterest(Op op) {
  return op == Op::kBlock || op == Op::kReturn || op == Op::kCall ||
         op == Op::kCallVariadic || op == Op::kCallYieldable ||
         op == Op::kCallVariadicYieldable;
}

class Inference {
 public:
  Inference(TypeInference& all, uint32_t function)
      : all_(all), module_(all.module()), function_(function) {}

  InferredTypes Run();

 private:
  void Visit(uint32_t offset, const Instruction& instruction,
             const KnownRegisters& registers, bool is_certain);
  void VisitImport(absl::string_view call, uint32_t offset,
                   std::span<const uint16_t> list,
                   const KnownRegisters& registers, bool is_certain);
  void VisitCall(uint32_t callee, uint32_t offset,
                 std::span<const uint16_t> list,
                 const KnownRegisters& registers, bool is_certain);
  void VisitReturn(std::span<const uint16_t> list,
                   const KnownRegisters& registers);
  // Reads an element type, an encoding and dimensions.
  static Type ReadType(std::span<const uint16_t> list,
                       const KnownRegisters& registers);
  // Sets what is known of an argument, unless more is known already.
  void Learn(const std::optional<KnownValue>& value, const Type& type);
  Type TypeOf(const std::optional<KnownValue>& value) const;

  TypeInference& all_;
  const vm::VerifiedModule& module_;
  const uint32_t function_;
  InferredTypes types_;
  // By the offsets of calls: the views that they create, and the functions that
  // they call.
  std::map<int64_t, Type> created_;
  std::map<int64_t, uint32_t> called_;
  std::vector<std::vector<std::optional<KnownValue>>> returns_;
};

InferredTypes Inference::Run() {
  const vm::CallingConvention& signature = module_.signature(function_);
  types_.arguments.resize(signature.argument_types().size());
  types_.results.resize(signature.result_types().size());
  const CertainBlocks certain(module_.def().functions[function_].bytecode);
  bool is_certain = false;
  const bool follows = vm::VisitFunction(
      module_, function_,
      [&](uint32_t offset, const Instruction& instruction,
          const KnownRegisters& registers) {
        if (instruction.op->op == Op::kBlock) {
          is_certain = certain.contains(offset);
        }
        Visit(offset, instruction, registers, is_certain);
      },
      vm::ArgumentRegisters(signature), IsOfInterest);
  if (!follows) return types_;
  for (size_t i = 0; i < returns_.size(); ++i) {
    for (size_t j = 0; j < types_.results.size(); ++j) {
      const Type type = TypeOf(returns_[i][j]);
      types_.results[j] = i == 0 ? type : Common(types_.results[j], type);
    }
  }
  return types_;
}

void Inference::Visit(uint32_t offset, const Instruction& instruction,
                      const KnownRegisters& registers, bool is_certain) {
  const Op op = instruction.op->op;
  if (op == Op::kBlock) return;
  if (op == Op::kReturn) {
    return VisitReturn(RegistersOf(instruction), registers);
  }
  const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
  const std::vector<uint16_t>& list = RegistersOf(instruction);
  if ((callee & vm::kImportBit) == 0) {
    return VisitCall(callee, offset, list, registers, is_certain);
  }
  const absl::string_view call =
      BufferViewCall(module_, callee & ~vm::kImportBit);
  if (!call.empty() && !list.empty()) {
    VisitImport(call, offset, list, registers, is_certain);
  }
}

Type Inference::ReadType(std::span<const uint16_t> list,
                         const KnownRegisters& registers) {
  Type type = AnyArray();
  if (list.size() < 2 || list.size() - 2 > Signature::kMaxRank) return type;
  if (const auto element = vm::IntegerOf(registers.Get(list[0]))) {
    const auto known = static_cast<hal::ElementType>(*element);
    if (hal::BitCount(known) != 0) type.element = known;
  }
  type.ranked = true;
  for (const uint16_t dim : list.subspan(2)) {
    const std::optional<int64_t> size = vm::IntegerOf(registers.Get(dim));
    type.shape.push_back(size && *size >= 0 ? *size : Type::kDynamic);
  }
  return type;
}

void Inference::VisitImport(absl::string_view call, uint32_t offset,
                            std::span<const uint16_t> list,
                            const KnownRegisters& registers, bool is_certain) {
  constexpr size_t kAsserted = 2;  // the view, the message; then the type
  constexpr size_t kCreated = 3;   // the buffer, the offset, the length
  if (call == "create") {
    if (list.size() >= kCreated) {
      created_[offset] = ReadType(list.subspan(kCreated), registers);
    }
    return;
  }
  // Others, such as trace, have something else there.
  static constexpr absl::string_view kOfView[] = {
      "assert", "buffer", "dim", "rank", "element_type", "encoding_type"};
  if (!is_certain || !absl::c_linear_search(kOfView, call)) return;
  const std::optional<KnownValue> view = registers.Get(list[0]);
  const bool is_assert = call == "assert" && list.size() >= kAsserted;
  Learn(view,
        is_assert ? ReadType(list.subspan(kAsserted), registers) : AnyArray());
}

void Inference::VisitCall(uint32_t callee, uint32_t offset,
                          std::span<const uint16_t> list,
                          const KnownRegisters& registers, bool is_certain) {
  const bool forwards =
      std::any_of(list.begin(), list.end(), [&](uint16_t reg) {
        const std::optional<KnownValue> value = registers.Get(reg);
        return value && value->kind == KnownValue::Kind::kArgument;
      });
  if (!forwards) return;
  const InferredTypes& types = all_.Of(callee);
  for (size_t i = 0; is_certain && i < types.arguments.size(); ++i) {
    if (i < list.size()) Learn(registers.Get(list[i]), types.arguments[i]);
  }
  called_[offset] = callee;
}

void Inference::VisitReturn(std::span<const uint16_t> list,
                            const KnownRegisters& registers) {
  std::vector<std::optional<KnownValue>>& values = returns_.emplace_back();
  for (const uint16_t reg : list) values.push_back(registers.Get(reg));
  values.resize(types_.results.size());
}

void Inference::Learn(const std::optional<KnownValue>& value,
                      const Type& type) {
  if (type.is(Kind::kUnknown)) return;
  if (!value || value->kind != KnownValue::Kind::kArgument) return;
  Type& known = types_.arguments[static_cast<size_t>(value->number)];
  if (known.is(Kind::kUnknown) || (known.is(Kind::kArray) && !known.ranked)) {
    known = type;
  }
}

Type Inference::TypeOf(const std::optional<KnownValue>& value) const {
  if (!value) return Type();
  if (value->kind == KnownValue::Kind::kArgument) {
    return types_.arguments[static_cast<size_t>(value->number)];
  }
  if (value->kind != KnownValue::Kind::kResult) return Type();
  const auto created = created_.find(value->number);
  if (created != created_.end()) return created->second;
  const auto called = called_.find(value->number);
  if (called == called_.end()) return Type();
  const std::vector<Type>& results = all_.Of(called->second).results;
  return value->index < results.size() ? results[value->index] : Type();
}

}  // namespace

const InferredTypes& TypeInference::Of(uint32_t function) {
  static const InferredTypes& none = *new InferredTypes();
  // Another function may lead to this one in fewer calls.
  if (calls_ == kMaxCalls && !known_.contains(function)) return none;
  const auto [known, is_new] = known_.try_emplace(function);
  if (!is_new) return known->second;
  ++calls_;
  known->second = Inference(*this, function).Run();
  --calls_;
  return known->second;
}

}  // namespace eyrie::abi
