#include "vm/jit/emit_entry.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vm/jit/homes.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {
namespace {

class EntryEmitter : public Homes {
 public:
  using Homes::Homes;

  void EmitEntry();
  asmjit::Label EmitFrameEntry();
  void TakeArguments();

 private:
  bool IsWantedInFrame(const PassedNumber& number) const;
};

void EntryEmitter::EmitEntry() {
  Bind(code_.entry());
  Keep(code_);
  std::vector<bool> argument(function().ref_count);
  for (uint32_t i = 0; i < function().argument_count; ++i) {
    const ArgumentPlace place = function().arguments[i];
    if (place.type == ValueType::kRef) argument[place.reg] = true;
  }
  ClearReferences(code_, argument);
  ClearNumbers(code_, webs().zeroed);
  TakeArguments();
}

asmjit::Label EntryEmitter::EmitFrameEntry() {
  const asmjit::Label entry = NewLabel();
  Bind(entry);
  code_.NoteDepth(0);
  for (const PassedNumber& number : PassedNumbers(function())) {
    LoadPassed(number, FrameAt(number.slot, number.wide));
  }
  Jump(code_, code_.entry());
  return entry;
}

void EntryEmitter::TakeArguments() {
  const std::vector<PassedNumber> passed = PassedNumbers(function());
  for (const PassedNumber& number : passed) {
    if (!IsWantedInFrame(number)) continue;
    StoreRegister(number.real, RegisterOf(number),
                  FrameAt(number.slot, number.wide));
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

}  // namespace

void EmitEntry(Assembly& code) { EntryEmitter(code).EmitEntry(); }

asmjit::Label EmitFrameEntry(Assembly& code) {
  return EntryEmitter(code).EmitFrameEntry();
}

void EmitTurnEntry(Assembly& code, const asmjit::Label& back) {
  EntryEmitter emitter(code);
  const asmjit::Label turn = code.assembler().newLabel();
  code.assembler().bind(turn);
  Keep(code);
  emitter.LoadLive();
  Jump(code, back);
  code.marks().turns.push_back({turn, code.current().offset});
}

void TakeArguments(Assembly& code) { EntryEmitter(code).TakeArguments(); }

}  // namespace eyrie::vm::jit
