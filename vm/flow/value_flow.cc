// A forward data flow over blocks, to a fixed point.
#include "vm/flow/value_flow.h"

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/lower/code_walk.h"

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

// Runs instructions on known registers: visits their operands, in the order of
// VisitInstruction, and collects their edges.
class Step {
 public:
  Step(const uint8_t* code, KnownRegisters& registers)
      : code_(code), registers_(registers) {}

  // Applies the effects of the instruction at `pc`, except its edges' moves,
  // and moves `pc` past it.
  const OpInfo& Run(uint32_t& pc) {
    offset_ = pc;
    edges_.clear();
    source_ = 0;
    wrote_ = false;
    return VisitInstruction(code_, pc, *this);
  }
  // Returns the edges of the last instruction.
  const std::vector<Edge>& edges() const { return edges_; }

  void Register(OperandKind kind, uint16_t reg, bool written) {
    if (written) {
      Write(reg, IsWide(kind));
    } else {
      source_ = reg;
    }
  }
  // The width of a call's result is not looked up, so both halves of a possible
  // pair are forgotten.
  void Listed(uint16_t reg, bool written) {
    if (written) Write(reg, /*wide=*/true);
  }
  void Goes(const Edge& edge) { edges_.push_back(edge); }

 private:
  void Write(uint16_t reg, bool wide) {
    if (!wrote_) result_ = Result();
    wrote_ = true;
    registers_.Forget(reg);
    if (wide && !IsRefRegister(reg)) {
      registers_.Forget(static_cast<uint16_t>(reg + 1));
    }
    if (!result_.has_value()) return;
    registers_.Set(reg, *result_);
    ++result_->index;  // of a call: one for each result
  }
  // Returns the value of the instruction's only result, or of a call's first
  // one; nullopt if it is unknown.
  std::optional<KnownValue> Result() const;
  std::optional<KnownValue> Converted(Op op) const;

  const uint8_t* const code_;
  KnownRegisters& registers_;
  uint32_t offset_ = 0;
  uint16_t source_ = 0;  // the last register that was read
  bool wrote_ = false;
  std::optional<KnownValue> result_;
  std::vector<Edge> edges_;
};

std::optional<KnownValue> Step::Result() const {
  uint32_t at = offset_;
  const Op op = ReadOp(code_, at).op;  // `at` is then that of the operands
  switch (op) {
    case Op::kConstI32Zero:
    case Op::kConstRefZero:
      return KnownValue{};
    case Op::kConstI64Zero:
      return KnownValue{Kind::kInteger, /*wide=*/true, 0};
    case Op::kConstI32:
      return KnownValue{Kind::kInteger, false, LoadFrom<int32_t>(code_, at)};
    case Op::kConstI64:
      return KnownValue{Kind::kInteger, /*wide=*/true,
                        LoadFrom<int64_t>(code_, at)};
    case Op::kConstRefRodata:
      return KnownValue{Kind::kRodata, false, LoadFrom<uint32_t>(code_, at)};
    case Op::kGlobalLoadRef:
      return KnownValue{Kind::kGlobal, false, LoadFrom<uint32_t>(code_, at)};
    case Op::kAssignRef:
      return registers_.Get(source_);
    case Op::kExtI32I64S:
    case Op::kExtI32I64U:
    case Op::kTruncI64I32:
      return Converted(op);
    case Op::kCall:
    case Op::kCallVariadic:
    case Op::kCallYieldable:
    case Op::kCallVariadicYieldable:
      return KnownValue{Kind::kResult, false, offset_};
    default:
      return std::nullopt;
  }
}

std::optional<KnownValue> Step::Converted(Op op) const {
  const std::optional<int64_t> number = IntegerOf(registers_.Get(source_));
  if (!number) return std::nullopt;
  const bool wide = op != Op::kTruncI64I32;
  return KnownValue{Kind::kInteger, wide,
                    op == Op::kExtI32I64U
                        ? int64_t{static_cast<uint32_t>(*number)}
                        : static_cast<int32_t>(*number)};
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

  // Returns what is known at the start of a block: nothing if no path reaches
  // it. To be called once for each block.
  KnownRegisters TakeEntry(uint32_t block) {
    const auto found = entries_.find(block);
    return found == entries_.end() ? KnownRegisters()
                                   : std::move(found->second);
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
    Step step(code_.data(), registers);
    for (uint32_t pc = block; pc < code_.size();) {
      const uint32_t offset = pc;
      const Op op = step.Run(pc).op;
      if (!Spend(pc - offset)) return false;
      for (const Edge& edge : step.edges()) {
        if (!Enter(edge, registers)) return false;
      }
      if (IsTerminator(op)) break;
    }
    return true;
  }

  bool Enter(const Edge& edge, KnownRegisters registers) {
    registers.Move(edge.moves);
    const size_t copied = registers.size() + 2 * size_t{edge.moves.size()};
    if (!Spend(copied * kRegisterWork + 1)) return false;
    const auto [entry, is_new] =
        entries_.try_emplace(edge.block, std::move(registers));
    if (is_new || entry->second.Meet(registers)) waiting_.insert(edge.block);
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

void KnownRegisters::Move(const RemapList& moves) {
  std::vector<std::pair<uint16_t, KnownValue>> moved;
  std::set<std::pair<uint16_t, uint16_t>> all;
  for (uint32_t i = 0; i < moves.size(); ++i) {
    all.emplace(KeyOf(moves.from(i)), KeyOf(moves.to(i)));
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
                   InstructionVisitor visit, const KnownRegisters& entry,
                   OpFilter wants) {
  const std::span<const uint8_t> code =
      module.def().functions[function].bytecode;
  Flow flow(code, entry);
  const bool follows = flow.Run();
  KnownRegisters registers;
  Step step(code.data(), registers);
  for (uint32_t pc = 0; pc < code.size();) {
    const uint32_t offset = pc;
    const OpInfo& op = ReadOp(code.data(), pc);
    if (op.op == Op::kBlock && follows) registers = flow.TakeEntry(offset);
    pc = offset;
    if (wants(op.op)) visit(offset, Decode(code, pc), registers);
    pc = offset;
    step.Run(pc);
    if (!follows) registers = KnownRegisters();
  }
  return follows;
}

}  // namespace eyrie::vm
