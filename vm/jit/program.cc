// Lowers the function again, with numbers as handlers, and decodes the result.
#include "vm/jit/program.h"

#include <algorithm>
#include <cstring>

namespace eyrie::vm::jit {
namespace {

constexpr uintptr_t kFormShift = 16;

Handler Numbered(Form form, size_t row) {
  return reinterpret_cast<Handler>(
      (static_cast<uintptr_t>(form) << kFormShift) | row);
}

template <typename T>
T Read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

Bank BankOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::kF32:
    case OperandKind::kF64:
    case OperandKind::kF32List:
    case OperandKind::kF64List:
      return Bank::kFloat;
    case OperandKind::kI32:
    case OperandKind::kI64:
    case OperandKind::kI32List:
    case OperandKind::kI64List:
      return Bank::kInteger;
    default:
      return Bank::kAny;
  }
}

Bank BankOf(ValueType type) {
  return type == ValueType::kF32 || type == ValueType::kF64 ? Bank::kFloat
                                                            : Bank::kInteger;
}

class Reader {
 public:
  Reader(const BytecodeModule& module, uint32_t function, Looks& looks)
      : module_(module), function_(module.function(function)), looks_(looks) {
    program_.module = &module;
    program_.function = &function_;
    program_.slots = module.def().functions[function].i32_register_count + 1;
    program_.code = Lower(module.verified(), module.functions(), function,
                          module.pauses(), Numbered);
  }

  Program Run() {
    const auto* code = reinterpret_cast<const uint8_t*>(program_.code.data());
    const auto size = static_cast<uint32_t>(program_.code.size() * 8);
    for (uint32_t offset = 0; offset < size;) {
      const auto number = Read<uintptr_t>(code + offset);
      Instruction next = {};
      next.form = static_cast<Form>(number >> kFormShift);
      next.row = static_cast<uint16_t>(number);
      next.offset = offset;
      next.at = code + offset;
      next.first_access = static_cast<uint32_t>(program_.accesses.size());
      offset += next.form == Form::kLowered ? ReadLowered(next) : ReadOp(next);
      next.access_count =
          static_cast<uint32_t>(program_.accesses.size()) - next.first_access;
      program_.instructions.push_back(next);
      if (looks_.Stop(1 + next.access_count)) return {};
    }
    if (size != 0) FindBlocks(size);
    if (looks_.stopped()) return {};
    return std::move(program_);
  }

 private:
  void Add(uint16_t slot, bool wide, Bank bank, bool written) {
    program_.accesses.push_back({slot, wide, written, bank});
  }
  void AddResults(const FunctionCode& callee, const uint16_t* to);

  // Each returns the size of the instruction.
  uint32_t ReadOp(const Instruction& i);
  uint32_t ReadLowered(const Instruction& i);
  uint32_t ReadCallFunction(const Instruction& i);
  uint32_t ReadCallImport(const Instruction& i);

  void AddOperand(OperandKind kind, const uint8_t* at, bool written);
  void FindBlocks(uint32_t size);

  const BytecodeModule& module_;
  const FunctionCode& function_;
  Looks& looks_;
  Program program_;
};

void Reader::AddOperand(OperandKind kind, const uint8_t* at, bool written) {
  if (IsRegister(kind)) {
    if (kind == OperandKind::kRef || kind == OperandKind::kRefMove) return;
    return Add(Read<uint16_t>(at), IsWide(kind), BankOf(kind), written);
  }
  if (!IsRegisterList(kind) || kind == OperandKind::kRefList) return;
  const RegisterList list(Read<const uint8_t*>(at));
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (IsRefRegister(list[i])) continue;
    Add(list[i], IsWide(kind), BankOf(kind), written);
  }
}

uint32_t Reader::ReadOp(const Instruction& i) {
  const OpInfo& op = i.op();
  if (op.op == Op::kCondBranch) {
    Add(static_cast<uint16_t>(LoweredAt<LoweredCondBranch>(i.at).condition),
        false, Bank::kInteger, false);
    return sizeof(LoweredCondBranch);
  }
  if (op.op == Op::kBranchTable) {
    const auto& table = LoweredAt<LoweredBranchTable>(i.at);
    Add(static_cast<uint16_t>(table.index), false, Bank::kInteger, false);
    return (sizeof(LoweredBranchTable) + (table.count + 1) * 4 + 7) & ~7u;
  }
  if (op.op == Op::kYield) return sizeof(LoweredYield);
  const LoweredLayout& layout = kLoweredLayouts[i.row];
  int next = 0;
  for (OperandKind kind : op.reads) {
    AddOperand(kind, i.at + layout.at[next++], /*written=*/false);
  }
  for (OperandKind kind : op.writes) {
    AddOperand(kind, i.at + layout.at[next++], /*written=*/true);
  }
  return i.form == Form::kOp ? layout.size() : layout.branch_size();
}

uint32_t Reader::ReadLowered(const Instruction& i) {
  if (IsJump(i) || IsFall(i)) {
    const std::span<const LoweredMove> moves = MovesOf(i);
    for (LoweredMove move : moves) {
      if (IsRefRegister(move.from)) continue;
      const bool wide = MovesWide(i, move);
      Add(move.from, wide, Bank::kAny, /*written=*/false);
      Add(MoveTo(move), wide, Bank::kAny, /*written=*/true);
    }
    return LoweredJump::Size(static_cast<uint32_t>(moves.size()));
  }
  if (i.is(Lowered::kCallFunction)) return ReadCallFunction(i);
  if (i.is(Lowered::kCallImport)) return ReadCallImport(i);
  const auto& values = LoweredAt<LoweredReturn>(i.at);
  for (uint32_t v = 0; v < values.count; ++v) {
    const ValueType type = function_.results[v];
    if (type == ValueType::kRef) continue;
    Add(values.values()[v], IsWide(type), BankOf(type), /*written=*/false);
  }
  return (sizeof(LoweredReturn) + values.count * 2 + 7) & ~7u;
}

uint32_t Reader::ReadCallFunction(const Instruction& i) {
  const auto& call = LoweredAt<LoweredCallFunction>(i.at);
  const LoweredMove* move = call.moves();
  for (uint32_t n = 0; n < call.numbers; ++n, ++move) {
    Add(move->from, false, Bank::kAny, false);
  }
  for (uint32_t n = 0; n < call.wides; ++n, ++move) {
    Add(move->from, true, Bank::kAny, false);
  }
  const uint16_t* to = call.call.results();
  for (uint32_t r = 0; r < call.callee->result_count; ++r) {
    const ValueType type = call.callee->results[r];
    if (type != ValueType::kRef) Add(to[r], IsWide(type), BankOf(type), true);
  }
  return call.call.size;
}

uint32_t Reader::ReadCallImport(const Instruction& i) {
  const auto& call = LoweredAt<LoweredCallImport>(i.at);
  const CallingConvention& callee =
      module_.verified().import_signature(call.import);
  const RegisterList arguments(call.arguments);
  const uint32_t* place = call.places();
  uint32_t next = 0;
  for (const CallElement& element : callee.arguments()) {
    uint32_t tuples = 1;
    if (element.variadic) tuples = *place++ & ~kPlaceCount;
    for (; tuples > 0; --tuples) {
      for (ValueType type : element.types) {
        const uint16_t reg = arguments[next++];
        ++place;
        if (type != ValueType::kRef)
          Add(reg, IsWide(type), BankOf(type), false);
      }
    }
  }
  const uint16_t* to = call.call.results();
  for (ValueType type : callee.result_types()) {
    if (type != ValueType::kRef) Add(*to, IsWide(type), BankOf(type), true);
    ++to;
  }
  return call.call.size;
}

void Reader::FindBlocks(uint32_t size) {
  std::vector<bool> begins(size / 8 + 1);
  begins[0] = true;
  for (size_t n = 0; n < program_.instructions.size(); ++n) {
    if (looks_.Stop()) return;
    const Instruction& i = program_.instructions[n];
    for (uint32_t target : TargetsOf(i)) begins[target / 8] = true;
    if (EndsBlock(i) && n + 1 < program_.instructions.size()) {
      begins[program_.instructions[n + 1].offset / 8] = true;
    }
  }
  program_.block_at_offset.assign(size / 8 + 1, Program::kNone);
  for (uint32_t n = 0; n < program_.instructions.size(); ++n) {
    const uint32_t offset = program_.instructions[n].offset;
    if (!begins[offset / 8]) continue;
    if (!program_.blocks.empty()) program_.blocks.back().end = n;
    program_.block_at_offset[offset / 8] =
        static_cast<uint32_t>(program_.blocks.size());
    program_.blocks.push_back({n, n, 0, 0});
  }
  program_.blocks.back().end =
      static_cast<uint32_t>(program_.instructions.size());
  for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
    Block& block = program_.blocks[b];
    block.first_successor = static_cast<uint32_t>(program_.successors.size());
    const Instruction& last = program_.instructions[block.end - 1];
    for (uint32_t target : TargetsOf(last)) {
      program_.successors.push_back(program_.BlockAt(target));
    }
    if (!EndsBlock(last)) program_.successors.push_back(b + 1);
    // Lists each successor once, even if a table has it several times.
    const auto begin = program_.successors.begin() + block.first_successor;
    std::sort(begin, program_.successors.end());
    program_.successors.erase(std::unique(begin, program_.successors.end()),
                              program_.successors.end());
    block.successor_count = static_cast<uint32_t>(program_.successors.size()) -
                            block.first_successor;
    if (looks_.Stop(1 + block.successor_count)) return;
  }
}

bool Between(const Instruction& i, Lowered first, Lowered last) {
  return i.form == Form::kLowered && i.row >= static_cast<uint16_t>(first) &&
         i.row <= static_cast<uint16_t>(last);
}

// Visits a row of opcodes.def: the operands that are moved from, then the
// results.
void VisitRefOperands(const Instruction& i,
                      const std::function<void(uint16_t)>& moved,
                      const std::function<void(uint16_t)>& written) {
  if (i.is(Op::kCondBranch) || i.is(Op::kBranchTable) || i.is(Op::kYield)) {
    return;
  }
  const LoweredLayout& layout = kLoweredLayouts[i.row];
  int next = 0;
  auto visit = [&](OperandKind kind,
                   const std::function<void(uint16_t)>& each) {
    const uint8_t* at = i.at + layout.at[next++];
    if (kind == OperandKind::kRef || kind == OperandKind::kRefMove) {
      return each(Read<uint16_t>(at));
    }
    if (kind != OperandKind::kRefList && kind != OperandKind::kRegList) return;
    const RegisterList list(Read<const uint8_t*>(at));
    for (uint32_t n = 0; n < list.size(); ++n) {
      if (IsRefRegister(list[n])) each(list[n]);
    }
  };
  for (OperandKind kind : i.op().reads) visit(kind, moved);
  for (OperandKind kind : i.op().writes) {
    visit(kind, [&](uint16_t reg) { written(RefIndex(reg)); });
  }
}

}  // namespace

bool IsJump(const Instruction& i) {
  return Between(i, Lowered::kJump, Lowered::kJumpBackMoves);
}

bool IsFall(const Instruction& i) {
  return Between(i, Lowered::kFallBackMove32x1, Lowered::kFallBackMove64x3);
}

bool IsReturn(const Instruction& i) {
  return Between(i, Lowered::kReturnNothing, Lowered::kReturnMany);
}

bool TakesFuel(const Instruction& i) {
  return i.form == Form::kTurn || IsFall(i) ||
         Between(i, Lowered::kJumpBack, Lowered::kJumpBackMoves);
}

bool MovesWide(const Instruction& i, LoweredMove move) {
  return Between(i, Lowered::kJumpMove64x1, Lowered::kJumpMove64x3) ||
         Between(i, Lowered::kJumpBackMove64x1, Lowered::kJumpBackMove64x3) ||
         Between(i, Lowered::kFallBackMove64x1, Lowered::kFallBackMove64x3) ||
         (!IsRefRegister(move.from) && (move.to & LoweredMove::kWide) != 0);
}

std::span<const LoweredMove> MovesOf(const Instruction& i) {
  const auto& jump = LoweredAt<LoweredJump>(i.at);
  return {jump.moves(), jump.move_count};
}

std::vector<uint32_t> TargetsOf(const Instruction& i) {
  std::vector<uint32_t> targets;
  auto add = [&](int32_t distance) {
    targets.push_back(i.offset + static_cast<uint32_t>(distance));
  };
  if (i.form == Form::kBranch || i.form == Form::kTurn) {
    const uint8_t* at = i.at + kLoweredLayouts[i.row].branch_at();
    add(Read<int32_t>(at));
    add(Read<int32_t>(at + 4));
  } else if (IsJump(i)) {
    add(LoweredAt<LoweredJump>(i.at).target);
  } else if (i.is(Op::kCondBranch)) {
    add(LoweredAt<LoweredCondBranch>(i.at).target);
    add(LoweredAt<LoweredCondBranch>(i.at).otherwise);
  } else if (i.is(Op::kBranchTable)) {
    const auto& table = LoweredAt<LoweredBranchTable>(i.at);
    for (uint32_t t = 0; t <= table.count; ++t) add(table.targets()[t]);
  }
  return targets;
}

void VisitWrittenRefs(const Program& program, const Instruction& i,
                      const std::function<void(uint16_t)>& visit) {
  const bool discards = i.is(Op::kDiscardRefs);
  auto moved = [&](uint16_t reg) {
    if (IsMove(reg) || discards) visit(RefIndex(reg));
  };
  if (IsJump(i) || IsFall(i)) {
    for (LoweredMove move : MovesOf(i)) {
      if (!IsRefRegister(move.from)) continue;
      moved(move.from);
      visit(RefIndex(move.to));
    }
  } else if (i.is(Lowered::kCallFunction)) {
    const auto& call = LoweredAt<LoweredCallFunction>(i.at);
    const LoweredMove* refs = call.moves() + call.numbers + call.wides;
    for (uint32_t n = 0; n < call.refs; ++n) moved(refs[n].from);
    const uint16_t* to = call.call.results();
    for (uint32_t r = 0; r < call.callee->result_count; ++r) {
      if (call.callee->results[r] == ValueType::kRef) visit(RefIndex(to[r]));
    }
  } else if (i.is(Lowered::kCallImport)) {
    const auto& call = LoweredAt<LoweredCallImport>(i.at);
    const RegisterList arguments(call.arguments);
    for (uint32_t n = 0; n < arguments.size(); ++n) {
      if (IsRefRegister(arguments[n])) moved(arguments[n]);
    }
    const uint16_t* to = call.call.results();
    for (ValueType type : program.module->verified()
                              .import_signature(call.import)
                              .result_types()) {
      if (type == ValueType::kRef) visit(RefIndex(*to));
      ++to;
    }
  } else if (i.form != Form::kLowered) {
    VisitRefOperands(i, moved, visit);
  }
}

bool EndsBlock(const Instruction& i) {
  return i.form == Form::kBranch || i.form == Form::kTurn || IsJump(i) ||
         i.is(Op::kCondBranch) || i.is(Op::kBranchTable) || i.is(Op::kFail) ||
         IsReturn(i);
}

Program ReadProgram(const BytecodeModule& module, uint32_t function,
                    Looks& looks) {
  return Reader(module, function, looks).Run();
}

}  // namespace eyrie::vm::jit
