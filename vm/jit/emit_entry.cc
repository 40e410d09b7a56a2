#include "vm/jit/emit_entry.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vm/jit/homes.h"

namespace eyrie::vm::jit {
namespace {

class EntryEmitter : public Homes {
 public:
  using Homes::Homes;

  void EmitEntry();
  asmjit::Label EmitFrameEntry();
  void TakeArguments();
  void Keep();

 private:
  void ZeroNumbers();
  bool IsWantedInFrame(const PassedNumber& number) const;
};

void EntryEmitter::EmitEntry() {
  a_.bind(code_.entry());
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

void EntryEmitter::Keep() {
  code_.NoteDepth(0);
  size_t words = 0;
  for (const uint8_t reg : code_.residents().kept()) {
    a_.push(x86::gpq(reg));
    code_.NoteDepth(++words);
  }
}

asmjit::Label EntryEmitter::EmitFrameEntry() {
  const asmjit::Label entry = a_.newLabel();
  a_.bind(entry);
  code_.NoteDepth(0);
  for (const PassedNumber& number : PassedNumbers(function())) {
    LoadPassed(number, FrameAt(number.slot, number.wide));
  }
  a_.jmp(code_.entry());
  return entry;
}

void EntryEmitter::TakeArguments() {
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

bool EntryEmitter::IsWantedInFrame(const PassedNumber& number) const {
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

void EntryEmitter::ZeroNumbers() {
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

}  // namespace

void EmitEntry(Assembly& code) { EntryEmitter(code).EmitEntry(); }

asmjit::Label EmitFrameEntry(Assembly& code) {
  return EntryEmitter(code).EmitFrameEntry();
}

void EmitTurnEntry(Assembly& code, const asmjit::Label& back) {
  EntryEmitter emitter(code);
  const asmjit::Label turn = code.assembler().newLabel();
  code.assembler().bind(turn);
  emitter.Keep();
  emitter.LoadLive();
  code.assembler().jmp(back);
  code.marks().turns.push_back({turn, code.current().offset});
}

void TakeArguments(Assembly& code) { EntryEmitter(code).TakeArguments(); }

}  // namespace eyrie::vm::jit
