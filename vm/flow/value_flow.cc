// A forward data flow over blocks, to a fixed point.
#include "vm/flow/value_flow.h"

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {
namespace {

using Kind = KnownValue::Kind;

// The work per byte of code: decoded bytes, and copies of known registers. This
// also bounds the memory, to 128 bytes per byte of code.
constexpr uint64_t kMaxWork = 16;
constexpr uint64_t kLeastWork = uint64_t{1} << 16;
constexpr uint64_t kRegisterWork = 8;

uint16_t KeyOf(uint16_t reg) {
  return IsRefRegister(reg) ? static_cast<uint16_t>(kRefBit | RefIndex(reg))
                            : reg;
}

// Returns the value of an instruction's only result, or nullopt if it is
// unknown.
std::optional<KnownValue> ResultOf(const Instruction& instruction,
                                   uint32_t offset,
                                   const KnownRegisters& registers) {
  const auto number = [&](int index) {
    return static_cast<int64_t>(instruction.reads[index].number);
  };
  const auto source = [&] {
    return registers.Get(static_cast<uint16_t>(number(0)));
  };
  switch (instruction.op->op) {
    case Op::kConstI32Zero:
    case Op::kConstRefZero:
      return KnownValue{};
    case Op::kConstI64Zero:
      return KnownValue{Kind::kInteger, /*wide=*/true, 0};
    case Op::kConstI32:
      return KnownValue{Kind::kInteger, false, static_cast<int32_t>(number(0))};
    case Op::kConstI64:
      return KnownValue{Kind::kInteger, /*wide=*/true, number(0)};
    case Op::kConstRefRodata:
      return KnownValue{Kind::kRodata, false, number(0)};
    case Op::kGlobalLoadRef:
      return KnownValue{Kind::kGlobal, false, number(0)};
    case Op::kAssignRef:
      return source();
    case Op::kExtI32I64S:
    case Op::kExtI32I64U:
    case Op::kTruncI64I32: {
      std::optional<KnownValue> value = source();
      if (!value.has_value() || value->kind != Kind::kInteger) {
        return std::nullopt;
      }
      value->wide = instruction.op->op != Op::kTruncI64I32;
      if (instruction.op->op == Op::kExtI32I64U) {
        value->number = static_cast<uint32_t>(value->number);
      } else {
        value->number = static_cast<int32_t>(value->number);
      }
      return value;
    }
    case Op::kCall:
    case Op::kCallVariadic:
    case Op::kCallYieldable:
    case Op::kCallVariadicYieldable:
      return KnownValue{Kind::kResult, false, offset};
    default:
      return std::nullopt;
  }
}

// Applies the instruction's effects on registers, except its branches' moves.
void Apply(const Instruction& instruction, uint32_t offset,
           KnownRegisters& registers) {
  std::optional<KnownValue> result = ResultOf(instruction, offset, registers);
  for (size_t i = 0; i < instruction.writes.size(); ++i) {
    const OperandKind kind = instruction.op->writes[static_cast<int>(i)];
    const OperandValue& written = instruction.writes[i];
    std::vector<uint16_t> targets = written.list;
    if (IsRegister(kind)) {
      targets = {static_cast<uint16_t>(written.number)};
    }
    for (const uint16_t reg : targets) {
      registers.Forget(reg);
      // The width of a call's result is not looked up, so both halves of a
      // possible pair are forgotten.
      if (!IsRefRegister(reg) && (IsWide(kind) || !written.list.empty())) {
        registers.Forget(static_cast<uint16_t>(reg + 1));
      }
      if (!result.has_value()) continue;
      registers.Set(reg, *result);
      ++result->index;  // of a call: one for each result
    }
  }
}

// Calls `visit` for each successor of the instruction, with its moves.
void VisitEdges(
    const Instruction& instruction,
    absl::FunctionRef<void(uint32_t target, const std::vector<uint16_t>& moves)>
        visit) {
  static const std::vector<uint16_t>& none = *new std::vector<uint16_t>();
  const OperandList& kinds = instruction.op->reads;
  for (int i = 0; i < kinds.count; ++i) {
    if (kinds[i] == OperandKind::kBlock) {
      const bool moves =
          i + 1 < kinds.count && kinds[i + 1] == OperandKind::kRemap;
      visit(static_cast<uint32_t>(instruction.reads[i].number),
            moves ? instruction.reads[i + 1].list : none);
    } else if (kinds[i] == OperandKind::kCases) {
      for (const BranchCase& one : instruction.reads[i].cases) {
        visit(one.target, one.remap);
      }
    }
  }
}

class Flow {
 public:
  Flow(std::span<const uint8_t> code, const KnownRegisters& entry)
      : code_(code), work_(kLeastWork + code.size() * kMaxWork) {
    entries_[0] = entry;
  }

  // Returns false if the function needs too much work.
  bool Run() {
    waiting_.insert(0);
    while (!waiting_.empty()) {
      const uint32_t block = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      if (!RunBlock(block)) return false;
    }
    return true;
  }

  // Returns what is known at the start of a block, or null if no path reaches
  // it.
  const KnownRegisters* EntryOf(uint32_t block) const {
    const auto found = entries_.find(block);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  bool Spend(uint64_t units) {
    if (units > work_) return false;
    work_ -= units;
    return true;
  }

  bool RunBlock(uint32_t block) {
    KnownRegisters registers = entries_[block];
    if (!Spend(registers.size() * kRegisterWork + 1)) return false;
    for (uint32_t pc = block; pc < code_.size();) {
      const uint32_t offset = pc;
      const Instruction instruction = Decode(code_, pc);
      if (!Spend(pc - offset)) return false;
      Apply(instruction, offset, registers);
      bool goes_on = true;
      VisitEdges(instruction, [&](uint32_t target, const auto& moves) {
        goes_on = goes_on && Enter(target, registers, moves);
      });
      if (!goes_on) return false;
      if (IsTerminator(instruction.op->op)) break;
    }
    return true;
  }

  bool Enter(uint32_t target, KnownRegisters registers,
             const std::vector<uint16_t>& moves) {
    registers.Move(moves);
    if (!Spend((registers.size() + moves.size()) * kRegisterWork + 1)) {
      return false;
    }
    const auto [entry, is_new] = entries_.try_emplace(target, registers);
    if (is_new || entry->second.Meet(registers)) waiting_.insert(target);
    return true;
  }

  const std::span<const uint8_t> code_;
  uint64_t work_;
  std::map<uint32_t, KnownRegisters> entries_;  // at blocks' starts, by offset
  std::set<uint32_t> waiting_;
};

}  // namespace

std::optional<KnownValue> KnownRegisters::Get(uint16_t reg) const {
  const auto found = values_.find(KeyOf(reg));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void KnownRegisters::Forget(uint16_t reg) {
  values_.erase(KeyOf(reg));
  if (IsRefRegister(reg) || reg % 2 == 0) return;
  const auto pair = values_.find(static_cast<uint16_t>(reg - 1));
  if (pair != values_.end() && pair->second.wide) values_.erase(pair);
}

void KnownRegisters::Set(uint16_t reg, const KnownValue& value) {
  values_[KeyOf(reg)] = value;
}

void KnownRegisters::Move(const std::vector<uint16_t>& pairs) {
  std::vector<std::pair<uint16_t, KnownValue>> moved;
  std::set<std::pair<uint16_t, uint16_t>> all;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    all.emplace(KeyOf(pairs[i]), KeyOf(pairs[i + 1]));
  }
  for (const auto& [from, to] : all) {
    const std::optional<KnownValue> value = Get(from);
    if (!value.has_value()) continue;
    // A wide value is kept only if both of its halves move together.
    if (value->wide && !all.contains({static_cast<uint16_t>(from + 1),
                                      static_cast<uint16_t>(to + 1)})) {
      continue;
    }
    moved.emplace_back(to, *value);
  }
  for (const auto& [from, to] : all) Forget(to);
  for (const auto& [to, value] : moved) Set(to, value);
}

bool KnownRegisters::Meet(const KnownRegisters& other) {
  const size_t before = values_.size();
  for (auto it = values_.begin(); it != values_.end();) {
    const auto found = other.values_.find(it->first);
    const bool same =
        found != other.values_.end() && found->second == it->second;
    it = same ? std::next(it) : values_.erase(it);
  }
  return values_.size() != before;
}

KnownRegisters ArgumentRegisters(const CallingConvention& signature) {
  KnownRegisters registers;
  uint16_t next = 0;
  const std::vector<ValueType>& types = signature.argument_types();
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != ValueType::kRef) continue;
    registers.Set(static_cast<uint16_t>(kRefBit | next++),
                  {Kind::kArgument, false, static_cast<int64_t>(i)});
  }
  return registers;
}

bool VisitFunction(const VerifiedModule& module, uint32_t function,
                   InstructionVisitor visit, const KnownRegisters& entry) {
  const std::span<const uint8_t> code =
      module.def().functions[function].bytecode;
  Flow flow(code, entry);
  const bool follows = flow.Run();
  KnownRegisters registers;
  for (uint32_t pc = 0; pc < code.size();) {
    const uint32_t offset = pc;
    const Instruction instruction = Decode(code, pc);
    if (instruction.op->op == Op::kBlock) {
      const KnownRegisters* const known =
          follows ? flow.EntryOf(offset) : nullptr;
      registers = known == nullptr ? KnownRegisters() : *known;
    }
    visit(offset, instruction, registers);
    if (follows) Apply(instruction, offset, registers);
  }
  return follows;
}

}  // namespace eyrie::vm
