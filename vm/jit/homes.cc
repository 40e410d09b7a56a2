#include "vm/jit/homes.h"

#include <algorithm>
#include <cstring>

#include "vm/jit/layout.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {

uint16_t Homes::OperandRegister(int operand) const {
  uint16_t reg;
  std::memcpy(&reg, current().at + LayOut(current().op()).at[operand], 2);
  return reg;
}

uint32_t Homes::OperandWord(int operand) const {
  uint32_t word;
  std::memcpy(&word, current().at + LayOut(current().op()).at[operand], 4);
  return word;
}

Memory Homes::FrameAt(uint16_t slot, bool wide) const {
  return {Memory::Base::kFrame, Frame::PlaceOfNumber(function(), slot), wide};
}

Memory Homes::RefAt(uint32_t index) const {
  return {Memory::Base::kFrame, Frame::PlaceOfRef(index), /*wide=*/true};
}

bool Homes::IsConstant(const Access& access, uint64_t* bits) const {
  if (HomeOf(access).kind != Home::Kind::kConstant) return false;
  *bits = webs().webs[access.web].bits;
  return true;
}

uint8_t Homes::IntegerIn(const Access& access, uint8_t scratch) {
  const Home& home = HomeOf(access);
  switch (home.kind) {
    case Home::Kind::kInteger:
      return home.reg;
    case Home::Kind::kFloat:
      FloatToInteger(scratch, home.reg, access.wide);
      break;
    case Home::Kind::kConstant:
      LoadConstant(/*real=*/false, scratch, webs().webs[access.web].bits,
                   access.wide);
      break;
    default:
      LoadRegister(/*real=*/false, scratch, FrameAt(access.slot, access.wide));
  }
  return scratch;
}

uint8_t Homes::FloatIn(const Access& access, uint8_t scratch) {
  const Home& home = HomeOf(access);
  switch (home.kind) {
    case Home::Kind::kFloat:
      return home.reg;
    case Home::Kind::kInteger:
      IntegerToFloat(scratch, home.reg, access.wide);
      break;
    case Home::Kind::kConstant:
      LoadConstant(/*real=*/true, scratch, webs().webs[access.web].bits,
                   access.wide);
      break;
    default:
      LoadRegister(/*real=*/true, scratch, FrameAt(access.slot, access.wide));
  }
  return scratch;
}

uint8_t Homes::IntegerTo(const Access& access, uint8_t scratch) const {
  const Home& home = HomeOf(access);
  return home.kind == Home::Kind::kInteger ? home.reg : scratch;
}

uint8_t Homes::FloatTo(const Access& access, uint8_t scratch) const {
  const Home& home = HomeOf(access);
  return home.kind == Home::Kind::kFloat ? home.reg : scratch;
}

bool Homes::IsStored(const Home& home) const {
  if (home.kind == Home::Kind::kFrame) return true;
  if (!home.shared || home.kind == Home::Kind::kNowhere) return false;
  const uint32_t block = code_.place().block;
  const uint32_t back_to = webs().back_to[block];
  const bool loops = back_to <= block;
  return loops ? home.last_look >= PositionOf(program().blocks[back_to].first)
               : home.last_look > PositionOf(number());
}

void Homes::IntegerDone(const Access& access, uint8_t reg) {
  const Home& home = HomeOf(access);
  if (home.kind == Home::Kind::kFloat) {
    IntegerToFloat(home.reg, reg, access.wide);
  } else if (home.kind == Home::Kind::kInteger && home.reg != reg) {
    MoveInteger(home.reg, reg, access.wide);
  }
  if (IsStored(home)) {
    StoreRegister(/*real=*/false, reg, FrameAt(access.slot, access.wide));
  }
}

void Homes::FloatDone(const Access& access, uint8_t reg) {
  const Home& home = HomeOf(access);
  if (home.kind == Home::Kind::kInteger) {
    FloatToInteger(home.reg, reg, access.wide);
  } else if (home.kind == Home::Kind::kFloat && home.reg != reg) {
    MoveRegister(/*real=*/true, home.reg, reg);
  }
  if (IsStored(home)) {
    StoreRegister(/*real=*/true, reg, FrameAt(access.slot, access.wide));
  }
}

void Homes::WriteConstant() {
  const Home& home = HomeOf(Out());
  const OpInfo& op = current().op();
  uint64_t bits = 0;
  if (op.reads.count != 0) {
    std::memcpy(&bits, current().at + LayOut(op).at[0], Out().wide ? 8 : 4);
  }
  if (home.kind == Home::Kind::kFrame) {
    return StoreBits(FrameAt(Out().slot, Out().wide), bits);
  }
  if (home.in_register()) {
    LoadConstant(home.kind == Home::Kind::kFloat, home.reg, bits, Out().wide);
  }
  if (IsStored(home)) StoreHome(Out());
}

void Homes::Store(const Access& access, const Memory& to) {
  const Home& home = HomeOf(access);
  uint64_t bits;
  if (IsConstant(access, &bits)) {
    StoreBits(to, bits);
  } else if (home.kind == Home::Kind::kFloat) {
    StoreRegister(/*real=*/true, home.reg, to);
  } else {
    StoreRegister(/*real=*/false, IntegerIn(access, 0), to);
  }
}

void Homes::Load(const Access& access, const Memory& from) {
  if (HomeOf(access).kind == Home::Kind::kFloat) {
    const uint8_t out = FloatTo(access, 0);
    LoadRegister(/*real=*/true, out, from);
    FloatDone(access, out);
  } else {
    const uint8_t out = IntegerTo(access, 0);
    LoadRegister(/*real=*/false, out, from);
    IntegerDone(access, out);
  }
}

void Homes::StoreHome(const Access& access) {
  const Home& home = HomeOf(access);
  if (home.kind == Home::Kind::kFrame) return;
  Store(access, FrameAt(access.slot, access.wide));
}

void Homes::LoadWeb(uint32_t number) {
  const Web& web = webs().webs[number];
  if (web.view) {  // loaded together with the other web of its view
    for (const View& view : code_.views()) {
      if (view.count_web == number) LoadView(view);
    }
    return;
  }
  const Home& home = homes()[number];
  if (!home.in_register()) return;
  LoadRegister(home.kind == Home::Kind::kFloat, home.reg,
               FrameAt(web.slot, web.wide));
}

void Homes::LoadElements(const Element& element, uint8_t data, uint8_t count,
                         const asmjit::Label& otherwise) {
  auto object = [](uint32_t field) {
    return Memory{Memory::Base::kPointer, field, /*wide=*/true};
  };
  const bool list = element.of == Element::Of::kList;
  LoadRegister(/*real=*/false, 1, RefAt(element.ref));
  LoadRegister(/*real=*/false, 2,
               StateAt(list ? offsetof(CompiledState, list_type)
                            : offsetof(CompiledState, buffer_type)));
  JumpIfZero(code_, 1, otherwise);
  JumpUnlessEqual(code_, 2, object(RefObjectLayout::kType), otherwise);
  if (list) {
    JumpUnlessByte(code_, object(ListLayout::kKind),
                   static_cast<uint8_t>(element.kind), otherwise);
    LoadRegister(/*real=*/false, count, object(ListLayout::kSize));
    LoadRegister(/*real=*/false, data, object(ListLayout::kStorage));
    return;
  }
  if (element.stores) {
    JumpUnlessByte(code_, object(BufferLayout::kMutable), 1, otherwise);
  }
  LoadRegister(/*real=*/false, count, object(BufferLayout::kSize));
  if (element.shift != 0) ShiftRight(code_, count, element.shift);
  LoadRegister(/*real=*/false, data, object(BufferLayout::kData));
}

void Homes::LoadView(const View& view) {
  const uint8_t count = homes()[view.count_web].reg;
  const asmjit::Label done = NewLabel();
  LoadConstant(/*real=*/false, count, 0, /*wide=*/true);
  LoadElements(view.element, homes()[view.data_web].reg, count, done);
  Bind(done);
}

void Homes::LoadHome(const Access& access) {
  if (HomeOf(access).in_register()) LoadWeb(access.web);
}

void Homes::Move(const Access& from, const Access& to) {
  const Home& target = HomeOf(to);
  if (target.kind == Home::Kind::kNowhere) return;
  uint64_t bits;
  if (target.kind == Home::Kind::kFrame && IsConstant(from, &bits)) {
    return StoreBits(FrameAt(to.slot, to.wide), bits);
  }
  const bool real = target.kind == Home::Kind::kFloat ||
                    (HomeOf(from).kind == Home::Kind::kFloat &&
                     target.kind == Home::Kind::kFrame);
  if (real) {
    FloatDone(to, FloatIn(from, FloatTo(to, 0)));
  } else {
    IntegerDone(to, IntegerIn(from, IntegerTo(to, 0)));
  }
}

void Homes::Reload() {
  const uint32_t position = PositionOf(number());
  code_.residents().VisitAt(position, [&](uint32_t web) {
    const Home& home = homes()[web];
    if (!webs().webs[web].Crosses(position)) return;
    if (!IsKept(home) || webs().webs[web].view) LoadWeb(web);
  });
}

void Homes::LoadLive() {
  const uint32_t position = PositionOf(number());
  code_.residents().VisitAt(position, [&](uint32_t web) {
    if (webs().webs[web].end >= position) LoadWeb(web);
  });
}

void Homes::MoveRegisters(RegisterMoves moves, bool real) {
  std::erase_if(moves, [](auto& pair) { return pair.first == pair.second; });
  while (!moves.empty()) {
    auto ready = std::find_if(moves.begin(), moves.end(), [&](auto& pair) {
      return std::none_of(moves.begin(), moves.end(), [&](auto& other) {
        return other.second == pair.first;
      });
    });
    if (ready != moves.end()) {
      MoveRegister(real, ready->first, ready->second);
      moves.erase(ready);
    } else {  // only cycles are left: break one with register 0
      constexpr uint8_t kScratch = 0;
      MoveRegister(real, kScratch, moves[0].second);
      moves[0].second = kScratch;
    }
  }
}

}  // namespace eyrie::vm::jit
