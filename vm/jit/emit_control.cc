// Comparisons, branches, calls and returns.
#include <algorithm>
#include <utility>
#include <vector>

#include "vm/jit/emitter.h"

namespace eyrie::vm::jit {

namespace Inst = x86::Inst;
using Cond = x86::CondCode;
using Parity = Condition::Parity;

Condition Emitter::Compare(Op op) {
  switch (op) {
    case Op::kCmpEqRef:
    case Op::kCmpNeRef:
      a_.mov(x86::rax, RefAt(OperandRegister(0)));
      a_.cmp(x86::rax, RefAt(OperandRegister(1)));
      return {op == Op::kCmpEqRef ? Cond::kE : Cond::kNE, Parity::kAny};
    case Op::kCmpNzRef:
      a_.cmp(RefAt(OperandRegister(0)), 0);
      return {Cond::kNE, Parity::kAny};
    case Op::kCmpNzI32:
    case Op::kCmpNzI64: {
      const x86::Gp in = Integer(In(0), x86::rax);
      a_.test(in, in);
      return {Cond::kNE, Parity::kAny};
    }
    default:
      break;
  }
  Cond code;
  switch (op) {
    case Op::kCmpEqI32:
    case Op::kCmpEqI64:
      code = Cond::kE;
      break;
    case Op::kCmpNeI32:
    case Op::kCmpNeI64:
      code = Cond::kNE;
      break;
    case Op::kCmpLtI32S:
    case Op::kCmpLtI64S:
      code = Cond::kL;
      break;
    case Op::kCmpLtI32U:
    case Op::kCmpLtI64U:
      code = Cond::kB;
      break;
    default:
      return CompareFloats(op);
  }
  const x86::Gp left = Integer(In(0), x86::rax);
  a_.emit(Inst::kIdCmp, left, IntegerOperand(In(1), x86::rcx));
  return {code, Parity::kAny};
}

// If operands are unordered, ucomiss sets the carry, zero and parity flags.
Condition Emitter::CompareFloats(Op op) {
  bool swapped = false;
  Condition condition = {Cond::kE, Parity::kAny};
  switch (op) {
    case Op::kCmpEqF32O:
    case Op::kCmpEqF64O:
      condition = {Cond::kE, Parity::kAndOrdered};
      break;
    case Op::kCmpEqF32U:
    case Op::kCmpEqF64U:
      break;
    case Op::kCmpNeF32O:
    case Op::kCmpNeF64O:
    case Op::kCmpNeF32U:
    case Op::kCmpNeF64U:
      condition = {Cond::kNE, Parity::kOrUnordered};
      break;
    case Op::kCmpLtF32O:
    case Op::kCmpLtF64O:
      swapped = true;
      condition = {Cond::kA, Parity::kAny};
      break;
    case Op::kCmpLtF32U:
    case Op::kCmpLtF64U:
      condition = {Cond::kB, Parity::kAny};
      break;
    case Op::kCmpLteF32O:
    case Op::kCmpLteF64O:
      swapped = true;
      condition = {Cond::kAE, Parity::kAny};
      break;
    case Op::kCmpLteF32U:
    case Op::kCmpLteF64U:
      condition = {Cond::kBE, Parity::kAny};
      break;
    case Op::kCmpNanF32:
    case Op::kCmpNanF64:
      condition = {Cond::kP, Parity::kAny};
      break;
    default:
      RefuseFunction();
      return condition;
  }
  const Access& last = In(op == Op::kCmpNanF32 || op == Op::kCmpNanF64 ? 0 : 1);
  const Access& left = swapped ? last : In(0);
  const Access& right = swapped ? In(0) : last;
  const x86::Xmm first = Float(left, x86::xmm0);
  a_.emit(left.wide ? Inst::kIdUcomisd : Inst::kIdUcomiss, first,
          FloatOperand(right, x86::xmm1));
  return condition;
}

void Emitter::EmitComparison(Op op) {
  if (!OutIsUsed()) return;
  const Condition condition = Compare(op);
  a_.emit(Inst::setccFromCond(condition.code), x86::al);
  if (condition.parity == Parity::kAndOrdered) {
    a_.setnp(x86::cl);
    a_.and_(x86::al, x86::cl);
  } else if (condition.parity == Parity::kOrUnordered) {
    a_.setp(x86::cl);
    a_.or_(x86::al, x86::cl);
  }
  a_.movzx(x86::eax, x86::al);
  IntegerDone(Out(), x86::eax);
}

asmjit::Label Emitter::LabelAt(uint32_t offset, uint32_t from) const {
  const uint32_t block = program().BlockAt(offset);
  const auto outside = outside_.find(block);
  if (outside == outside_.end()) return blocks_[block];
  uint32_t last = block;
  for (const View& view : views_) {
    if (view.head == block) last = view.last;
  }
  return from >= block && from <= last ? blocks_[block] : outside->second;
}

bool Emitter::IsNext(const asmjit::Label& label) const {
  if (number_ + 1 >= program().instructions.size()) return false;
  const uint32_t next =
      program().BlockAt(program().instructions[number_ + 1].offset);
  if (next == Program::kNone) return false;
  const auto outside = outside_.find(next);
  return (outside == outside_.end() ? blocks_[next] : outside->second).id() ==
         label.id();
}

void Emitter::JumpTo(const asmjit::Label& label) {
  if (!IsNext(label)) a_.jmp(label);
}

void Emitter::EmitBranch(const Condition& condition) {
  const std::vector<uint32_t> targets = TargetsOf(*current_);
  const asmjit::Label yes = BlockLabel(targets[0]);
  const asmjit::Label no = BlockLabel(targets[1]);
  if (condition.parity == Parity::kAndOrdered) {
    a_.jp(no);
    a_.je(yes);
    return JumpTo(no);
  }
  if (condition.parity == Parity::kOrUnordered) {
    a_.jp(yes);
    a_.jne(yes);
    return JumpTo(no);
  }
  if (IsNext(yes)) {
    a_.emit(Inst::jccFromCond(x86::negateCond(condition.code)), no);
    return;
  }
  a_.emit(Inst::jccFromCond(condition.code), yes);
  JumpTo(no);
}

void Emitter::EmitCharge() {
  const Slow slow = NewSlow(SlowKind::kCharge);
  a_.sub(kFuel, 1);
  a_.jl(slow.entry);
  a_.bind(slow.back);
}

void Emitter::EmitControl() {
  const Instruction& i = *current_;
  if (TakesFuel(i)) EmitCharge();
  if (i.form == Form::kBranch || i.form == Form::kTurn) {
    if (!OutIsUsed()) return EmitBranch(Compare(i.op().op));
    EmitComparison(i.op().op);
    a_.test(x86::eax, x86::eax);
    return EmitBranch({Cond::kNE, Parity::kAny});
  }
  if (i.is(Op::kCondBranch)) {
    const x86::Gp condition = Integer(In(0), x86::rax);
    a_.test(condition, condition);
    return EmitBranch({Cond::kNE, Parity::kAny});
  }
  if (i.is(Op::kBranchTable)) return EmitBranchTable();
  if (i.form == Form::kOp && i.op().has(kCompares)) {
    return EmitComparison(i.op().op);
  }
  if (IsJump(i) || IsFall(i)) return EmitJump();
  if (i.is(Lowered::kCallFunction)) return EmitCall();
  if (IsReturn(i)) return EmitReturn();
  RefuseFunction();
}

void Emitter::EmitJump() {
  size_t access = 0;
  for (LoweredMove move : MovesOf(*current_)) {
    if (IsRefRegister(move.from)) {
      AssignReference(move.from, RefIndex(move.to));
    } else {
      Move(In(access), In(access + 1));
      access += 2;
    }
  }
  if (IsJump(*current_)) JumpTo(BlockLabel(TargetsOf(*current_)[0]));
}

void Emitter::EmitBranchTable() {
  constexpr size_t kFewTargets = 5;
  const std::vector<uint32_t> targets = TargetsOf(*current_);
  const x86::Gp index = Integer(In(0), x86::rax);
  const size_t count = targets.size() - 1;
  if (count < kFewTargets) {
    for (size_t t = 0; t < count; ++t) {
      a_.cmp(index, static_cast<uint32_t>(t));
      a_.je(BlockLabel(targets[t]));
    }
    return JumpTo(BlockLabel(targets[count]));
  }
  tables_.push_back({a_.newLabel(), number_, block_});
  a_.cmp(index, static_cast<uint32_t>(count));
  a_.jae(BlockLabel(targets[count]));
  a_.mov(x86::eax, index);
  a_.lea(x86::rcx, x86::ptr(tables_.back().label));
  a_.movsxd(x86::rax, x86::dword_ptr(x86::rcx, x86::rax, 2));
  a_.add(x86::rax, x86::rcx);
  a_.jmp(x86::rax);
}

// Passes arguments in the callee's registers; those that have none, in its
// frame. An argument in a register of the other bank is moved through the
// frame.
void Emitter::PassArguments(const LoweredCallFunction& call, uint32_t own) {
  const std::vector<PassedNumber> passed = PassedNumbers(*call.callee);
  auto to = [&](uint32_t place, uint32_t size) {
    return x86::Mem(kFrame, static_cast<int32_t>(own + place), size);
  };
  const LoweredMove* move = call.moves();
  const uint32_t numbers = call.numbers + uint32_t{call.wides};
  RegisterMoves moves[2];
  std::vector<std::pair<PassedNumber, const Access*>> others;
  for (uint32_t n = 0; n < numbers; ++n, ++move) {
    const auto number =
        std::find_if(passed.begin(), passed.end(),
                     [&](auto& passed) { return passed.slot == move->to; });
    const bool in_register = number != passed.end();
    const Home& home = HomeOf(In(n));
    if (in_register && home.kind == KindOf(*number)) {
      moves[number->real].push_back({RegisterOf(*number), home.reg});
      continue;
    }
    if (in_register) others.push_back({*number, &In(n)});
    if (in_register && !home.in_register()) continue;
    Store(In(n), to(Frame::PlaceOfNumber(*call.callee, move->to),
                    n >= call.numbers ? 8 : 4));
  }
  for (uint32_t n = 0; n < call.refs; ++n, ++move) {
    TakeReference(move->from);
    a_.mov(to(Frame::PlaceOfRef(move->to), 8), x86::rax);
  }
  MoveRegisters(std::move(moves[0]), /*real=*/false);
  MoveRegisters(std::move(moves[1]), /*real=*/true);
  for (const auto& [number, access] : others) {
    PassOther(number, *access, own, *call.callee);
  }
}

void Emitter::PassOther(const PassedNumber& number, const Access& access,
                        uint32_t own, const FunctionCode& callee) {
  const x86::Mem stored(
      kFrame,
      static_cast<int32_t>(own + Frame::PlaceOfNumber(callee, number.slot)),
      number.wide ? 8 : 4);
  const uint8_t reg = RegisterOf(number);
  if (HomeOf(access).in_register()) {  // of the other bank; it has been stored
    LoadPassed(number, stored);
  } else if (number.real) {
    Float(access, x86::xmm(reg));
  } else {
    Integer(access, x86::gpq(reg));
  }
}

// Checks that there is room for `bytes` of frames, counted from the start of
// this one.
void Emitter::EmitRoom(uint32_t bytes) {
  const Slow full = NewSlow(SlowKind::kLeave);
  if (bytes <= kNearFrames) {
    a_.cmp(kFrame, State(offsetof(CompiledState, near_limit), 8));
    a_.jae(full.entry);
    return;
  }
  a_.lea(x86::rax, x86::ptr(kFrame, static_cast<int32_t>(bytes)));
  a_.cmp(x86::rax, State(offsetof(CompiledState, stack_limit), 8));
  a_.ja(full.entry);
}

// The callee's frame follows this one. The callee stores what other code may
// read; its header is written only if control leaves compiled code.
void Emitter::EmitCall() {
  const auto& call = LoweredAt<LoweredCallFunction>(current_->at);
  const FunctionCode& callee = *call.callee;
  const uint32_t own = function().frame_bytes;
  EmitCharge();
  if (callee.result_count > kMaxCompiledResults) {
    const Slow slow = NewSlow(SlowKind::kLeave);
    a_.jmp(slow.entry);
    return;
  }
  EmitRoom(own + callee.frame_bytes);
  PassArguments(call, own);
  const auto inlined = inlined_.find(number_);
  if (inlined != inlined_.end()) {
    EmitInlined(*inlined->second);
  } else {
    CallCompiled(callee);
  }
  Reload(number_);
  TakeResults(callee, call.call.results());
}

void Emitter::CallCompiled(const FunctionCode& callee) {
  const uint32_t own = function().frame_bytes;
  const asmjit::Label back = a_.newLabel();
  if (&callee == &function()) {
    a_.add(kFrame, own);
    a_.call(entry_);
  } else if (callee.compiled_entry.load(std::memory_order_acquire) != nullptr) {
    a_.add(kFrame, own);
    a_.call(reinterpret_cast<uint64_t>(callee.compiled.load()));
  } else {
    a_.mov(x86::rax, reinterpret_cast<uint64_t>(&callee));
    a_.add(kFrame, own);
    a_.call(x86::qword_ptr(
        x86::rax, static_cast<int32_t>(offsetof(FunctionCode, compiled))));
  }
  a_.bind(back);
  marks_.calls.push_back({back, current_->offset});
  a_.sub(kFrame, own);
}

// Emits a copy of the callee's instructions, with arguments and results where a
// call has them.
void Emitter::EmitInlined(const Body& body) {
  const Instruction* const call = current_;
  const uint32_t number = number_;
  body_ = &body;
  TakeArguments();
  const auto last = static_cast<uint32_t>(program().instructions.size()) - 1;
  for (uint32_t n = 0; n < last; ++n) EmitInstruction(n);
  current_ = &program().instructions[last];
  ReturnNumber(In(0));
  body_ = &own_;
  current_ = call;
  number_ = number;
}

void Emitter::TakeResults(const FunctionCode& callee, const uint16_t* to) {
  size_t number = 0;
  for (const Access& access : Accesses()) number += !access.written;
  if (ReturnsOneNumber(callee)) {
    if (In(number).bank == Bank::kFloat) {
      FloatDone(In(number), x86::xmm0);
    } else {
      IntegerDone(In(number), Sized(x86::rax, In(number).wide));
    }
    return;
  }
  auto result = [&](uint32_t r, bool wide) {
    return State(offsetof(CompiledState, results) + size_t{r} * 8,
                 wide ? 8 : 4);
  };
  for (uint32_t r = 0; r < callee.result_count; ++r) {
    if (callee.results[r] == ValueType::kRef) continue;
    const Access& access = In(number++);
    const x86::Gp value = Sized(x86::rax, access.wide);
    a_.mov(value, result(r, access.wide));
    IntegerDone(access, value);
  }
  for (uint32_t r = 0; r < callee.result_count; ++r) {
    if (callee.results[r] != ValueType::kRef) continue;
    a_.mov(x86::rax, result(r, true));
    ReplaceReference(RefIndex(to[r]));
  }
}

void Emitter::ReturnNumber(const Access& value) {
  if (value.bank == Bank::kFloat) {
    const x86::Xmm from = Float(value, x86::xmm0);
    if (from.id() != 0) a_.movaps(x86::xmm0, from);
  } else {
    const x86::Gp from = Integer(value, x86::rax);
    if (from.id() != 0) a_.mov(Sized(x86::rax, value.wide), from);
  }
}

void Emitter::EmitReturn() {
  const auto& values = LoweredAt<LoweredReturn>(current_->at);
  if (ReturnsOneNumber(function())) {
    ReturnNumber(In(0));
  } else {
    size_t number = 0;
    for (uint32_t r = 0; r < values.count; ++r) {
      const bool ref = function().results[r] == ValueType::kRef;
      const bool wide = ref || In(number).wide;
      const x86::Mem to =
          State(offsetof(CompiledState, results) + size_t{r} * 8, wide ? 8 : 4);
      if (ref) {
        TakeReference(values.values()[r]);
        a_.mov(to, x86::rax);
      } else {
        Store(In(number++), to);
      }
    }
  }
  EmitExit();
}

// If there are many references, all returns except the first share one exit.
// Otherwise the code would grow with the product of returns and references.
void Emitter::EmitExit() {
  constexpr uint32_t kFew = 8;
  if (function().ref_count > kFew) {
    if (exit_.isValid()) {
      a_.jmp(exit_);
      return;
    }
    exit_ = a_.newLabel();
    a_.bind(exit_);
  }
  for (uint32_t ref = 0; ref < function().ref_count; ++ref) {
    DropReference(static_cast<uint16_t>(ref));
  }
  for (size_t i = kept_.size(); i-- > 0;) {
    a_.pop(x86::gpq(kept_[i]));
    NoteDepth(i);
  }
  a_.ret();
  NoteDepth(kept_.size());
}

}  // namespace eyrie::vm::jit
