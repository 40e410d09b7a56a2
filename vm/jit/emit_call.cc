#include "vm/jit/emit_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vm/jit/machine_code.h"
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
  void PassOther(const PassedNumber& number, const Access& access);
  // Returns a place in the callee's frame.
  Memory InCallee(uint32_t place, bool wide) const {
    return {Memory::Base::kFrame, own_ + place, wide};
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

Memory ResultAt(uint32_t result, bool wide) {
  return Homes::StateAt(offsetof(CompiledState, results) + size_t{result} * 8,
                        wide);
}

bool CallEmitter::Begin() {
  code_.Charge();
  if (callee_.result_count > kMaxCompiledResults) {
    const Slow slow = code_.AddSlow(Slow::Kind::kLeave);
    Jump(code_, slow.entry);
    return false;
  }
  const Slow full = code_.AddSlow(Slow::Kind::kLeave);
  CheckRoom(code_, own_ + callee_.frame_bytes, full.entry);
  return true;
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
                          n >= call_.numbers));
  }
  for (uint32_t n = 0; n < call_.refs; ++n, ++move) {
    TakeReference(move->from);
    StoreRegister(/*real=*/false, kResult,
                  InCallee(Frame::PlaceOfRef(move->to), /*wide=*/true));
  }
  MoveRegisters(std::move(moves[0]), /*real=*/false);
  MoveRegisters(std::move(moves[1]), /*real=*/true);
  for (const auto& [number, access] : others) {
    PassOther(number, *access);
  }
}

void CallEmitter::PassOther(const PassedNumber& number, const Access& access) {
  const Memory stored =
      InCallee(Frame::PlaceOfNumber(callee_, number.slot), number.wide);
  const uint8_t reg = RegisterOf(number);
  if (HomeOf(access).in_register()) {  // of the other bank; it has been stored
    LoadPassed(number, stored);
  } else if (number.real) {
    FloatIn(access, reg);
  } else {
    IntegerIn(access, reg);
  }
}

void CallEmitter::CallCompiled() {
  const asmjit::Label back = NewLabel();
  EnterFrame(code_, own_);
  if (&callee_ == &function()) {
    CallLabel(code_, code_.entry());
  } else if (callee_.compiled_entry.load(std::memory_order_acquire) !=
             nullptr) {
    CallAddress(code_, reinterpret_cast<uint64_t>(callee_.compiled.load()));
  } else {
    CallUncompiled(code_, callee_);
  }
  Bind(back);
  code_.marks().calls.push_back({back, current().offset});
  LeaveFrame(code_, own_);
}

void CallEmitter::TakeResults() {
  Reload();
  size_t number = 0;
  for (const Access& access : Accesses()) number += !access.written;
  if (ReturnsOneNumber(callee_)) {
    if (In(number).bank == Bank::kFloat) {
      FloatDone(In(number), kResult);
    } else {
      IntegerDone(In(number), kResult);
    }
    return;
  }
  const uint16_t* const to = call_.call.results();
  for (uint32_t r = 0; r < callee_.result_count; ++r) {
    if (callee_.results[r] == ValueType::kRef) continue;
    const Access& access = In(number++);
    LoadRegister(/*real=*/false, kResult, ResultAt(r, access.wide));
    IntegerDone(access, kResult);
  }
  for (uint32_t r = 0; r < callee_.result_count; ++r) {
    if (callee_.results[r] != ValueType::kRef) continue;
    LoadRegister(/*real=*/false, kResult, ResultAt(r, /*wide=*/true));
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
      const Memory to = ResultAt(r, ref || In(number).wide);
      if (ref) {
        TakeReference(values.values()[r]);
        StoreRegister(/*real=*/false, kResult, to);
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
      Jump(code_, exit);
      return;
    }
    exit = NewLabel();
    Bind(exit);
  }
  for (uint32_t ref = 0; ref < function().ref_count; ++ref) {
    DropReference(static_cast<uint16_t>(ref));
  }
  ReturnToCaller(code_);
}

void ReturnEmitter::ReturnNumber(const Access& value) {
  if (value.bank == Bank::kFloat) {
    const uint8_t from = FloatIn(value, kResult);
    if (from != kResult) MoveRegister(/*real=*/true, kResult, from);
  } else {
    const uint8_t from = IntegerIn(value, kResult);
    if (from != kResult) MoveInteger(kResult, from, value.wide);
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
