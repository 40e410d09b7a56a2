#include "vm/jit/emit_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vm/jit/references.h"
#include "vm/lower/lowered.h"

namespace eyrie::vm::jit {
namespace {

class CallEmitter : public References {
 public:
  // The current instruction must be a call.
  explicit CallEmitter(Assembly& code)
      : References(code),
        call_(LoweredAt<LoweredCallFunction>(current().at)),
        callee_(*call_.callee),
        own_(function().frame_bytes) {}

  bool Begin();
  void PassArguments();
  void CallCompiled();
  void TakeResults();

 private:
  void CheckRoom(uint32_t bytes);
  void PassOther(const PassedNumber& number, const Access& access);
  // Returns a place in the callee's frame.
  x86::Mem InCallee(uint32_t place, uint32_t size) const {
    return x86::Mem(kFrame, static_cast<int32_t>(own_ + place), size);
  }

  const LoweredCallFunction& call_;
  const FunctionCode& callee_;
  const uint32_t own_;  // size of the caller's frame
};

class ReturnEmitter : public References {
 public:
  using References::References;

  void EmitReturn();
  void ReturnNumber(const Access& value);

 private:
  void EmitExit();
};

x86::Mem ResultAt(uint32_t result, bool wide) {
  return Homes::State(offsetof(CompiledState, results) + size_t{result} * 8,
                      wide ? 8 : 4);
}

bool CallEmitter::Begin() {
  code_.Charge();
  if (callee_.result_count > kMaxCompiledResults) {
    const Slow slow = code_.AddSlow(Slow::Kind::kLeave);
    a_.jmp(slow.entry);
    return false;
  }
  CheckRoom(own_ + callee_.frame_bytes);
  return true;
}

// Checks that there is room for `bytes` of frames, counted from the start of
// this one.
void CallEmitter::CheckRoom(uint32_t bytes) {
  const Slow full = code_.AddSlow(Slow::Kind::kLeave);
  if (bytes <= kNearFrames) {
    a_.cmp(kFrame, State(offsetof(CompiledState, near_limit), 8));
    a_.jae(full.entry);
    return;
  }
  a_.lea(x86::rax, x86::ptr(kFrame, static_cast<int32_t>(bytes)));
  a_.cmp(x86::rax, State(offsetof(CompiledState, stack_limit), 8));
  a_.ja(full.entry);
}

// Passes arguments in the callee's registers; those that have none, in its
// frame. An argument in a register of the other bank is moved through the
// frame.
void CallEmitter::PassArguments() {
  const std::vector<PassedNumber> passed = PassedNumbers(callee_);
  const LoweredMove* move = call_.moves();
  const uint32_t numbers = call_.numbers + uint32_t{call_.wides};
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
    Store(In(n), InCallee(Frame::PlaceOfNumber(callee_, move->to),
                          n >= call_.numbers ? 8 : 4));
  }
  for (uint32_t n = 0; n < call_.refs; ++n, ++move) {
    TakeReference(move->from);
    a_.mov(InCallee(Frame::PlaceOfRef(move->to), 8), x86::rax);
  }
  MoveRegisters(std::move(moves[0]), /*real=*/false);
  MoveRegisters(std::move(moves[1]), /*real=*/true);
  for (const auto& [number, access] : others) {
    PassOther(number, *access);
  }
}

void CallEmitter::PassOther(const PassedNumber& number, const Access& access) {
  const x86::Mem stored =
      InCallee(Frame::PlaceOfNumber(callee_, number.slot), number.wide ? 8 : 4);
  const uint8_t reg = RegisterOf(number);
  if (HomeOf(access).in_register()) {  // of the other bank; it has been stored
    LoadPassed(number, stored);
  } else if (number.real) {
    Float(access, x86::xmm(reg));
  } else {
    Integer(access, x86::gpq(reg));
  }
}

void CallEmitter::CallCompiled() {
  const asmjit::Label back = a_.newLabel();
  if (&callee_ == &function()) {
    a_.add(kFrame, own_);
    a_.call(code_.entry());
  } else if (callee_.compiled_entry.load(std::memory_order_acquire) !=
             nullptr) {
    a_.add(kFrame, own_);
    a_.call(reinterpret_cast<uint64_t>(callee_.compiled.load()));
  } else {
    a_.mov(x86::rax, reinterpret_cast<uint64_t>(&callee_));
    a_.add(kFrame, own_);
    a_.call(x86::qword_ptr(
        x86::rax, static_cast<int32_t>(offsetof(FunctionCode, compiled))));
  }
  a_.bind(back);
  code_.marks().calls.push_back({back, current().offset});
  a_.sub(kFrame, own_);
}

void CallEmitter::TakeResults() {
  Reload();
  size_t number = 0;
  for (const Access& access : Accesses()) number += !access.written;
  if (ReturnsOneNumber(callee_)) {
    if (In(number).bank == Bank::kFloat) {
      FloatDone(In(number), x86::xmm0);
    } else {
      IntegerDone(In(number), Sized(x86::rax, In(number).wide));
    }
    return;
  }
  const uint16_t* const to = call_.call.results();
  for (uint32_t r = 0; r < callee_.result_count; ++r) {
    if (callee_.results[r] == ValueType::kRef) continue;
    const Access& access = In(number++);
    const x86::Gp value = Sized(x86::rax, access.wide);
    a_.mov(value, ResultAt(r, access.wide));
    IntegerDone(access, value);
  }
  for (uint32_t r = 0; r < callee_.result_count; ++r) {
    if (callee_.results[r] != ValueType::kRef) continue;
    a_.mov(x86::rax, ResultAt(r, true));
    ReplaceReference(RefIndex(to[r]));
  }
}

void ReturnEmitter::EmitReturn() {
  const auto& values = LoweredAt<LoweredReturn>(current().at);
  if (ReturnsOneNumber(function())) {
    ReturnNumber(In(0));
  } else {
    size_t number = 0;
    for (uint32_t r = 0; r < values.count; ++r) {
      const bool ref = function().results[r] == ValueType::kRef;
      const bool wide = ref || In(number).wide;
      const x86::Mem to = ResultAt(r, wide);
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
void ReturnEmitter::EmitExit() {
  constexpr uint32_t kFew = 8;
  if (function().ref_count > kFew) {
    asmjit::Label& exit = code_.shared_exit();
    if (exit.isValid()) {
      a_.jmp(exit);
      return;
    }
    exit = a_.newLabel();
    a_.bind(exit);
  }
  for (uint32_t ref = 0; ref < function().ref_count; ++ref) {
    DropReference(static_cast<uint16_t>(ref));
  }
  const std::vector<uint8_t>& kept = code_.residents().kept();
  for (size_t i = kept.size(); i-- > 0;) {
    a_.pop(x86::gpq(kept[i]));
    code_.NoteDepth(i);
  }
  a_.ret();
  code_.NoteDepth(kept.size());
}

void ReturnEmitter::ReturnNumber(const Access& value) {
  if (value.bank == Bank::kFloat) {
    const x86::Xmm from = Float(value, x86::xmm0);
    if (from.id() != 0) a_.movaps(x86::xmm0, from);
  } else {
    const x86::Gp from = Integer(value, x86::rax);
    if (from.id() != 0) a_.mov(Sized(x86::rax, value.wide), from);
  }
}

}  // namespace

bool PassArguments(Assembly& code) {
  CallEmitter call(code);
  if (!call.Begin()) return false;
  call.PassArguments();
  return true;
}

void CallCompiled(Assembly& code) { CallEmitter(code).CallCompiled(); }

void TakeResults(Assembly& code) { CallEmitter(code).TakeResults(); }

void EmitReturn(Assembly& code) { ReturnEmitter(code).EmitReturn(); }

void ReturnNumber(Assembly& code) {
  ReturnEmitter emitter(code);
  emitter.ReturnNumber(emitter.In(0));
}

}  // namespace eyrie::vm::jit
