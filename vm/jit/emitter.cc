// The entries of a function's code, out-of-line code, and constants.
#include "vm/jit/emitter.h"

#include <algorithm>
#include <utility>

#include "vm/jit/layout.h"
#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {
namespace {

enum Stub { kStep, kSlowStep, kYieldable, kCharge, kLeave };
constexpr size_t kStubThunks[] = {
    offsetof(CompiledState, thunks.step),
    offsetof(CompiledState, thunks.slow_step),
    offsetof(CompiledState, thunks.yieldable),
    offsetof(CompiledState, thunks.charge),
    offsetof(CompiledState, thunks.leave),
};

}  // namespace

Emitter::Emitter(Body body, Inlined inlined, std::vector<View> views,
                 asmjit::CodeHolder& code)
    : own_(std::move(body)),
      inlined_(std::move(inlined)),
      views_(std::move(views)),
      checks_(FindChecks(own_.program, own_.webs, views_)),
      a_(&code) {
  for (size_t b = 0; b < program().blocks.size(); ++b) {
    blocks_.push_back(a_.newLabel());
  }
  for (const View& view : views_) {
    if (!outside_.contains(view.head)) outside_[view.head] = a_.newLabel();
  }
  for (const auto& [guard, run] : checks_.guards) {
    if (!run_ends_.contains(run.last)) run_ends_[run.last] = a_.newLabel();
  }
  entry_ = a_.newLabel();
  frame_entry_ = a_.newLabel();
  for (asmjit::Label& stub : stubs_) stub = a_.newLabel();
  for (uint32_t web = 0; web < webs().webs.size(); ++web) {
    const Home& home = homes()[web];
    if (!home.in_register()) continue;
    const int bank = home.kind == Home::Kind::kFloat ? 16 : 0;
    in_register_[home.reg + bank].push_back(web);
  }
  for (uint8_t reg = kFirstKept; reg <= kLastKept; ++reg) {
    if (!in_register_[reg].empty()) kept_.push_back(reg);
  }
  for (std::vector<uint32_t>& list : in_register_) {
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      return webs().webs[a].begin < webs().webs[b].begin;
    });
  }
}

Marks Emitter::Run(CompileStopped stopped) {
  constexpr uint32_t kLookEvery = 64;  // blocks, or pieces out of line
  EmitEntry();
  for (uint32_t b = 0; b < program().blocks.size(); ++b) {
    if (b % kLookEvery == 0 && stopped()) return {};
    EmitBlock(b);
  }
  a_.ud2();  // never reached
  EmitFrameEntry();
  NoteDepth(kept_.size());
  for (size_t i = 0; i < slows_.size(); ++i) {
    if (i % kLookEvery == 0 && stopped()) return {};
    EmitSlow(Slow(slows_[i]));
  }
  NoteDepth(0);
  EmitStubs();
  EmitConstants();
  marks_.entry = frame_entry_;
  marks_.words = static_cast<uint32_t>(kept_.size());
  marks_.unwinding.pushed = kept_;
  return std::move(marks_);
}

// Views are read on the edges that enter the loop, not on its backward edges.
void Emitter::EmitBlock(uint32_t block) {
  const auto outside = outside_.find(block);
  if (outside != outside_.end()) {
    a_.bind(outside->second);
    for (const View& view : views_) {
      if (view.head == block) LoadView(view);
    }
  }
  a_.bind(blocks_[block]);
  block_ = block;
  const Block& at = program().blocks[block];
  for (uint32_t n = at.first; n < at.end; ++n) {
    EmitInstruction(n);
    const auto end = run_ends_.find(n);
    if (end != run_ends_.end()) a_.bind(end->second);
  }
}

// Clears references that are not arguments, and numbers that are read before
// they are written.
void Emitter::EmitEntry() {
  a_.bind(entry_);
  Keep();
  std::vector<bool> argument(function().ref_count);
  for (uint32_t i = 0; i < function().argument_count; ++i) {
    const ArgumentPlace place = function().arguments[i];
    if (place.type == ValueType::kRef) argument[place.reg] = true;
  }
  bool zero = false;
  for (uint32_t ref = 0; ref < function().ref_count; ++ref) {
    if (argument[ref]) continue;
    if (!std::exchange(zero, true)) a_.xorps(x86::xmm0, x86::xmm0);
    if (ref + 1 < function().ref_count && !argument[ref + 1]) {
      x86::Mem pair = RefAt(ref);
      pair.setSize(16);
      a_.movups(pair, x86::xmm0);
      ++ref;
    } else {
      a_.movlps(RefAt(ref), x86::xmm0);
    }
  }
  ZeroNumbers();
  TakeArguments();
}

void Emitter::Keep() {
  NoteDepth(0);
  for (size_t i = 0; i < kept_.size();) {
    a_.push(x86::gpq(kept_[i]));
    NoteDepth(++i);
  }
}

// The entry for the host and the interpreter, with arguments in the frame.
void Emitter::EmitFrameEntry() {
  a_.bind(frame_entry_);
  NoteDepth(0);
  for (const PassedNumber& number : PassedNumbers(function())) {
    LoadPassed(number, FrameAt(number.slot, number.wide));
  }
  a_.jmp(entry_);
}

void Emitter::LoadPassed(const PassedNumber& number, const x86::Mem& from) {
  const uint8_t reg = RegisterOf(number);
  if (number.real) {
    a_.emit(number.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss,
            x86::xmm(reg), from);
  } else {
    a_.mov(Sized(x86::gpq(reg), number.wide), from);
  }
}

void Emitter::TakeArguments() {
  const std::vector<PassedNumber> passed = PassedNumbers(function());
  for (const PassedNumber& number : passed) {
    if (!IsWantedInFrame(number)) continue;
    const x86::Mem to = FrameAt(number.slot, number.wide);
    const uint8_t reg = RegisterOf(number);
    if (number.real) {
      a_.emit(number.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, to,
              x86::xmm(reg));
    } else {
      a_.mov(to, Sized(x86::gpq(reg), number.wide));
    }
  }
  RegisterMoves moves[2];
  std::vector<uint32_t> others;
  for (uint32_t w = 0; w < webs().webs.size(); ++w) {
    const Web& web = webs().webs[w];
    const Home& home = homes()[w];
    if (!web.entry || !home.in_register()) continue;
    auto from = std::find_if(passed.begin(), passed.end(), [&](auto& number) {
      return Fits(number, web, home);
    });
    if (from == passed.end()) {
      others.push_back(w);
    } else {
      moves[from->real].push_back({home.reg, RegisterOf(*from)});
    }
  }
  MoveRegisters(std::move(moves[0]), /*real=*/false);
  MoveRegisters(std::move(moves[1]), /*real=*/true);
  for (const uint32_t web : others) LoadWeb(web);
}

bool Emitter::IsWantedInFrame(const PassedNumber& number) const {
  if (webs().webs.empty()) return true;  // all numbers are in the frame
  for (const auto& [slot, web] : webs().entries) {
    if (slot < number.slot || slot > number.slot + int{number.wide}) continue;
    const Home& home = homes()[web];
    if (home.kind == Home::Kind::kFrame) return true;
    if (home.in_register() &&
        (home.shared || !Fits(number, webs().webs[web], home))) {
      return true;
    }
  }
  return false;
}

void Emitter::ZeroNumbers() {
  constexpr size_t kLongRun = 16;
  const std::vector<uint16_t>& slots = webs().zeroed;
  for (size_t i = 0; i < slots.size();) {
    size_t end = i + 1;
    while (end < slots.size() && slots[end] == slots[i] + (end - i)) ++end;
    if (end - i >= kLongRun) {
      a_.mov(x86::rdx, x86::rdi);
      a_.lea(x86::rdi, FrameAt(slots[i], false));
      a_.mov(x86::ecx, static_cast<uint32_t>(end - i));
      a_.xor_(x86::eax, x86::eax);
      a_.rep().stosd();
      a_.mov(x86::rdi, x86::rdx);
    } else {
      for (size_t at = i; at < end; ++at) {
        a_.mov(FrameAt(slots[at], false), 0);
      }
    }
    i = end;
  }
}

void Emitter::RefuseFunction() {
  a_.reportError(asmjit::kErrorInvalidInstruction);
}

void Emitter::EmitInstruction(uint32_t n) {
  number_ = n;
  current_ = &program().instructions[n];
  if (TreatmentOf(*current_) == Treatment::kStep) return EmitStep(n);
  if (current_->form != Form::kOp) return EmitControl();
  const Op op = current_->op().op;
  if (EmitInteger(op) || EmitFloat(op) || EmitObject(op)) return;
  EmitControl();
}

void Emitter::CallStub(int stub, uint32_t step) {
  stub_used_[stub] = true;
  a_.mov(x86::edx, current_->offset);
  if (stub <= kSlowStep) a_.mov(x86::eax, step);
  a_.call(stubs_[stub]);
}

void Emitter::EmitStep(uint32_t n) {
  if (current_->is(Lowered::kCallImport)) {
    EmitCharge();
    EmitImport();
  } else {
    CallStub(kStep, current_->row);
  }
  Reload(n);
  for (const Access& access : Accesses()) {
    if (access.written) LoadHome(access);
  }
}

void Emitter::EmitImport() {
  const auto& call = LoweredAt<LoweredCallImport>(current_->at);
  if (call.yieldable != 0) return CallStub(kYieldable, 0);
  a_.mov(x86::rax, State(offsetof(CompiledState, imports), 8));
  if (call.import != 0) a_.add(x86::rax, call.import * ImportLayout::kSize);
  a_.lea(x86::rsi,
         x86::ptr(kFrame, static_cast<int32_t>(function().frame_bytes)));
  const uint8_t* pc = function().Lowered() + current_->offset;
  const auto* places = LoweredAt<LoweredCallImport>(pc).places();
  a_.mov(x86::rdx, reinterpret_cast<uint64_t>(places));
  a_.mov(x86::rcx, reinterpret_cast<uint64_t>(&function()));
  a_.call(State(offsetof(CompiledState, thunks.import), 8));
}

Emitter::Slow& Emitter::NewSlow(SlowKind kind) {
  slows_.push_back({kind, number_, a_.newLabel(), a_.newLabel(), again_});
  return slows_.back();
}

void Emitter::EmitSlow(const Slow& slow) {
  number_ = slow.instruction;
  current_ = &program().instructions[number_];
  a_.bind(slow.entry);
  switch (slow.kind) {
    case SlowKind::kStep:
      for (const Access& access : Accesses()) {
        if (!access.written) StoreHome(access);
      }
      CallStub(kSlowStep, current_->row);
      for (const Access& access : Accesses()) {
        if (access.written) LoadHome(access);
      }
      if (const auto run = checks_.guards.find(slow.instruction);
          run != checks_.guards.end() && !slow.again) {
        return EmitAgain(run->first, run->second);
      }
      break;
    case SlowKind::kCharge:
      CallStub(kCharge, 0);
      break;
    case SlowKind::kLeave:
      for (const Access& access : Accesses()) {
        if (!access.written) StoreHome(access);
      }
      CallStub(kLeave, 0);
      return;
  }
  a_.jmp(slow.back);
  if (slow.kind != SlowKind::kCharge || !TakesFuel(*current_)) return;
  const asmjit::Label turn = a_.newLabel();
  a_.bind(turn);
  Keep();
  EmitTurnEntry(slow.instruction, {slow.back, current_->offset});
  marks_.turns.push_back({turn, current_->offset});
}

void Emitter::EmitAgain(uint32_t guard, const Checks::Guard& run) {
  again_ = true;
  block_ = run.block;
  for (uint32_t n = guard + 1; n <= run.last; ++n) EmitInstruction(n);
  again_ = false;
  a_.jmp(run_ends_[run.last]);
}

void Emitter::EmitStubs() {
  for (int stub = 0; stub < kStubs; ++stub) {
    if (!stub_used_[stub]) continue;
    a_.bind(stubs_[stub]);
    a_.mov(x86::rcx, reinterpret_cast<uint64_t>(&function()));
    a_.jmp(State(kStubThunks[stub], 8));
  }
}

void Emitter::EmitConstants() {
  for (const Table& table : tables_) {
    a_.align(asmjit::AlignMode::kData, 4);
    a_.bind(table.label);
    for (uint32_t target :
         TargetsOf(program().instructions[table.instruction])) {
      a_.embedLabelDelta(LabelAt(target, table.block), table.label, 4);
    }
  }
  for (const bool wide : {true, false}) {
    if (!constants_.empty()) a_.align(asmjit::AlignMode::kData, wide ? 16 : 4);
    for (const Constant& constant : constants_) {
      if (constant.wide != wide) continue;
      a_.bind(constant.label);
      a_.embed(&constant.bits, wide ? 8 : 4);
      if (wide) a_.embedUInt64(0);  // masks have 16 bytes
    }
  }
}

}  // namespace eyrie::vm::jit
