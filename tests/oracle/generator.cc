// Blocks, branches and calls of random functions.
#include "tests/oracle/generator.h"

#include <utility>

#include "tests/oracle/test_module.h"
#include "vm/isa/callconv.h"

namespace eyrie::tests {

using vm::Op;
using vm::OperandKind;
using vm::ValueType;

namespace {

// Instructions that share objects, release them, or use them while others
// release them. Chosen more often, so that one loop contains several of them.
constexpr Op kOften[] = {
    Op::kDiscardRefs,   Op::kAssignRef,     Op::kConstRefRodata,
    Op::kGlobalLoadRef, Op::kGlobalLoadRef, Op::kGlobalStoreRef,
    Op::kBufferLoadI8U, Op::kBufferLoadI32, Op::kBufferStoreI32,
    Op::kListGetI32,    Op::kListSetI32,    Op::kCall,
};

}  // namespace

FunctionGenerator::FunctionGenerator(Random& random, const Program& program,
                                     uint32_t function)
    : random_(random), program_(program), function_(function) {}

// The last body block returns. Blocks that count down follow it.
Blocks FunctionGenerator::Create() {
  body_blocks_ = 2 + random_.Below(4);
  blocks_.resize(body_blocks_);
  Prologue();
  for (uint32_t block = 0; block + 1 < body_blocks_; ++block) {
    current_ = block;
    Body();
    Terminate(block);
  }
  current_ = body_blocks_ - 1;
  Body();
  // Prints the remaining refs and some computed values.
  Instruction print;
  print.info = &vm::InfoOf(Op::kPrint);
  print.operands = {{OperandKind::kString, 0, {}, {}, "end"},
                    {OperandKind::kRegList, 0, {}, {}, {}}};
  for (uint16_t reg = kAny; reg < kListOfLists; ++reg) {
    print.operands[1].list.push_back(reg | vm::kRefBit);
  }
  Put(std::move(print));
  for (int i = 0; i < 3; ++i) {
    Emit(Op::kGlobalStoreI64,
         {random_.Below(kGlobalBytes - 7), General(OperandKind::kI64)});
  }
  Instruction in;
  in.info = &vm::InfoOf(Op::kReturn);
  Operand& values = in.operands.emplace_back();
  values.kind = OperandKind::kRegList;
  for (ValueType type : program_.functions[function_].results) {
    values.list.push_back(type == ValueType::kRef ? MaybeMove(AnyRef())
                                                  : General(type));
  }
  Put(std::move(in));
  return std::move(blocks_);
}

void FunctionGenerator::Emit(Op op, std::initializer_list<uint64_t> operands) {
  Instruction in;
  in.info = &vm::InfoOf(op);
  auto next = operands.begin();
  for (OperandKind kind : in.info->reads) {
    in.operands.push_back({kind, *next++, {}, {}, {}});
  }
  for (OperandKind kind : in.info->writes) {
    in.operands.push_back({kind, *next++, {}, {}, {}});
  }
  Put(std::move(in));
}

// Sets every register according to its role.
void FunctionGenerator::Prologue() {
  // Functions that are called by others run more often, so they get less fuel.
  Emit(Op::kConstI32, {1 + random_.Below(function_ == 0 ? 6 : 3), kFuel});
  Emit(Op::kConstI32, {0xFFFFFFFF, kMinusOne});
  for (uint64_t i = 0; i < 4; ++i) {
    Emit(Op::kConstI32, {random_.Below(i == 3 ? 6 : 4), kSmall + i});
    Emit(Op::kConstI64, {random_.Below(i == 3 ? 9 : 4), kSmallWide + 2 * i});
  }
  Emit(Op::kConstI64, {40 + random_.Below(24), kLength});
  Emit(Op::kConstF64, {0x7FF8000000000000, kNan64});
  Emit(Op::kConstF32, {0x7FC00000, kNan32});
  Emit(Op::kConstI32Zero, {kAlignment});
  Emit(Op::kConstI32, {4 + random_.Below(4), kSize});
  for (uint16_t reg = kBuffers; reg < kRefCount; ++reg) Refill(reg);
  for (uint64_t list : {kVariantList, kBufferList}) {
    Emit(Op::kListSetRef, {list | vm::kRefBit, kSmall + random_.Below(3),
                           kBuffers | vm::kRefBit});
  }
  for (int i = 0; i < 5; ++i) {
    const OperandKind kind =
        random_.OneIn(2) ? OperandKind::kImmI64 : OperandKind::kImmI32;
    if (kind == OperandKind::kImmI64) {
      Emit(Op::kConstI64, {Interesting(kind), General(OperandKind::kI64)});
    } else {
      Emit(Op::kConstI32, {Interesting(kind), General(OperandKind::kI32)});
    }
  }
}

bool FunctionGenerator::IsAvailable(const vm::OpInfo& info) const {
  return info.major <= program_.major && !vm::IsTerminator(info.op) &&
         info.op != Op::kBlock;
}

void FunctionGenerator::Body() {
  const uint32_t count = 2 + random_.Below(8);
  for (uint32_t i = 0; i < count; ++i) {
    const vm::OpInfo& info = random_.OneIn(4)
                                 ? vm::InfoOf(random_.Of(kOften))
                                 : vm::kOps[random_.Below(vm::kOpCount)];
    if (random_.OneIn(16)) {
      EmitCall(/*yieldable=*/false, current_);
    } else if (IsAvailable(info)) {
      EmitRandom(info);
    }
  }
}

// Returns a register to move: often one that the current block has just
// written.
uint16_t FunctionGenerator::MovedNumber(bool wide) {
  const std::vector<Instruction>& block = blocks_[current_];
  for (size_t i = block.size(); i > 0 && random_.OneIn(2); --i) {
    const Instruction& in = block[i - 1];
    if (in.info->writes.count != 1 || !vm::IsRegister(in.result().kind) ||
        (in.result().reg() & vm::kRefBit) != 0) {
      continue;
    }
    if (in.result().wide() == wide) return in.result().reg();
  }
  return static_cast<uint16_t>(wide ? 2 * random_.Below(kNumberCount / 2)
                                    : random_.Below(kNumberCount));
}

// Returns no moves (often), a few of one width, as loops have them, or a
// mixture. Both halves of a wide value move, usually the lower one first.
FunctionGenerator::Regs FunctionGenerator::Moves() {
  enum { kNone, kNarrow, kWide, kMixed } style = kNone;
  static constexpr decltype(style) kStyles[] = {kNone, kNarrow, kWide, kMixed};
  style = random_.Of(kStyles);
  Regs moves;
  if (style == kNone) return moves;
  for (uint32_t i = 1 + random_.Below(style == kMixed ? 5 : 3); i > 0; --i) {
    const bool wide = style == kWide || (style == kMixed && random_.OneIn(3));
    if (style == kMixed && random_.OneIn(3)) {
      AddRefMove(moves);
    } else if (wide) {
      const uint16_t from = MovedNumber(/*wide=*/true);
      const uint16_t to = General(OperandKind::kI64);
      const uint16_t first = random_.OneIn(8) ? 1 : 0;
      for (uint16_t half : {first, static_cast<uint16_t>(1 - first)}) {
        moves.push_back(from + half);
        moves.push_back(to + half);
      }
    } else {
      moves.push_back(MovedNumber(/*wide=*/false));
      moves.push_back(General(OperandKind::kI32));
    }
  }
  return moves;
}

void FunctionGenerator::AddRefMove(Regs& moves) {
  const bool typed = random_.OneIn(2);
  const RefRole role = typed ? random_.OneIn(2) ? kBuffers : kLists : kAny;
  moves.push_back(MaybeMove(typed ? Role(role) : AnyRef()));
  moves.push_back(Role(role));
}

// Returns a block that counts down, then continues at `block` or returns.
uint32_t FunctionGenerator::GuardOf(uint32_t block) {
  const auto found = guards_.find(block);
  if (found != guards_.end()) return found->second;
  const auto guard = static_cast<uint32_t>(blocks_.size());
  guards_[block] = guard;
  blocks_.emplace_back();
  const uint32_t back = std::exchange(current_, guard);
  CountDown(block);
  current_ = back;
  return guard;
}

void FunctionGenerator::CountDown(uint32_t block) {
  Emit(Op::kAddI32, {kFuel, kMinusOne, kFuel});
  Instruction in;
  in.info = &vm::InfoOf(Op::kCondBranch);
  in.operands = {{OperandKind::kI32, kFuel, {}, {}, {}},
                 {OperandKind::kBlock, block, {}, {}, {}},
                 Remap(),
                 {OperandKind::kBlock, body_blocks_ - 1, {}, {}, {}},
                 Remap()};
  Put(std::move(in));
}

uint32_t FunctionGenerator::TargetFrom(uint32_t from) {
  // Branches never lead to the prologue, because it refuels.
  const uint32_t target = 1 + random_.Below(body_blocks_ - 1);
  return target > from ? target : GuardOf(target);
}

Operand FunctionGenerator::BlockOperand(uint32_t from) {
  return {OperandKind::kBlock, TargetFrom(from), {}, {}, {}};
}

void FunctionGenerator::Terminate(uint32_t block) {
  // A loop of one block; other loops may be entered in the middle.
  if (block > 0 && random_.OneIn(3)) return CountDown(block);
  // Chooses any terminator of the table. Returns and most fails are replaced
  // by branches, because they would end the function.
  const vm::OpInfo* info = nullptr;
  do {
    info = &vm::kOps[random_.Below(vm::kOpCount)];
    if (info->op == Op::kReturn) info = &vm::InfoOf(Op::kBranch);
    if (info->op == Op::kFail && !random_.OneIn(6)) {
      info = &vm::InfoOf(Op::kCondBranch);
    }
  } while (!vm::IsTerminator(info->op) || info->major > program_.major);
  if (info->op == Op::kCallYieldable ||
      info->op == Op::kCallVariadicYieldable) {
    return EmitCall(/*yieldable=*/true, block);
  }
  Instruction in;
  in.info = info;
  for (OperandKind kind : info->reads) {
    Operand operand;
    operand.kind = kind;
    switch (kind) {
      case OperandKind::kBlock:
        operand = BlockOperand(block);
        break;
      case OperandKind::kRemap:
        operand = Remap();
        break;
      case OperandKind::kCases:
        operand.cases.resize(random_.Below(4));
        for (Target& target : operand.cases) {
          target = {TargetFrom(block), Moves()};
        }
        break;
      default:
        operand = RandomOperand(
            *info, static_cast<uint32_t>(in.operands.size()), kind);
    }
    in.operands.push_back(std::move(operand));
  }
  if (info->op == Op::kCondBranch && random_.OneIn(2)) {
    in.operands[0].bits = EmitComparison();
  }
  Put(std::move(in));
}

// Emits a comparison, as compilers do before a branch on its result.
uint64_t FunctionGenerator::EmitComparison() {
  const vm::OpInfo* info = nullptr;
  do {
    info = &vm::kOps[random_.Below(vm::kOpCount)];
  } while (!info->has(vm::kCompares));
  EmitRandom(*info);
  return blocks_[current_].back().result().bits;
}

// Emits a call of a later function, or of an import, in a fitting form.
void FunctionGenerator::EmitCall(bool yieldable, uint32_t from) {
  const auto& imports = ImportedFunctions();
  const auto functions = static_cast<uint32_t>(program_.functions.size());
  const uint32_t behind = functions - function_ - 1;
  vm::CallingConvention callee;
  Operand function = {OperandKind::kFunc, 0, {}, {}, {}};
  if (behind > 0 && random_.OneIn(2)) {
    function.bits = function_ + 1 + random_.Below(behind);
    callee = *vm::CallingConvention::Parse(
        program_.functions[function.bits].convention);
  } else {
    // The import after the existing ones is missing.
    const auto count = static_cast<uint32_t>(imports.size());
    uint32_t import = random_.Below(count);
    if (random_.OneIn(64)) import = count;
    function.bits = import | vm::kImportBit;
    callee = import == count
                 ? vm::CallingConvention()
                 : *vm::CallingConvention::Parse(imports[import].signature);
  }
  Operand segments = {OperandKind::kSegments, 0, {}, {}, {}};
  Operand args = {OperandKind::kRegList, 0, {}, {}, {}};
  for (const vm::CallElement& element : callee.arguments()) {
    const uint32_t tuples = element.variadic ? random_.Below(4) : 1;
    segments.list.push_back(static_cast<uint16_t>(tuples));
    for (uint32_t i = 0; i < tuples; ++i) {
      for (ValueType type : element.types) {
        args.list.push_back(type == ValueType::kRef ? MaybeMove(AnyRef())
                                                    : General(type));
      }
    }
  }
  Operand results = {OperandKind::kRegList, 0, {}, {}, {}};
  for (ValueType type : callee.result_types()) {
    results.list.push_back(type == ValueType::kRef ? Role(kAny)
                                                   : General(type));
  }
  const bool import = (function.bits & vm::kImportBit) != 0;
  const bool spread = callee.is_variadic() || (import && random_.OneIn(8));
  const Op op = yieldable
                    ? spread ? Op::kCallVariadicYieldable : Op::kCallYieldable
                : spread ? Op::kCallVariadic
                         : Op::kCall;
  Instruction in;
  in.info = &vm::InfoOf(op);
  in.operands.push_back(std::move(function));
  if (spread) in.operands.push_back(std::move(segments));
  in.operands.push_back(std::move(args));
  if (yieldable) in.operands.push_back(BlockOperand(from));
  in.operands.push_back(std::move(results));
  const Instruction copy = in;
  Put(std::move(in));
  if (!yieldable) RefillMoved(copy);
}

}  // namespace eyrie::tests
