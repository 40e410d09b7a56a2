#include "vm/jit/homes.h"

#include <algorithm>
#include <cstring>

#include "vm/jit/layout.h"

namespace eyrie::vm::jit {

using asmjit::Operand;

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

x86::Mem Homes::FrameAt(uint16_t slot, bool wide) const {
  return x86::Mem(kFrame,
                  static_cast<int32_t>(Frame::PlaceOfNumber(function(), slot)),
                  wide ? 8 : 4);
}

x86::Mem Homes::RefAt(uint32_t index) const {
  return x86::Mem(kFrame, static_cast<int32_t>(Frame::PlaceOfRef(index)), 8);
}

bool Homes::IsConstant(const Access& access, uint64_t* bits) const {
  if (HomeOf(access).kind != Home::Kind::kConstant) return false;
  *bits = webs().webs[access.web].bits;
  return true;
}

bool Homes::IsSmall(const Access& access, int64_t* value) const {
  uint64_t bits;
  if (!IsConstant(access, &bits)) return false;
  *value = access.wide ? static_cast<int64_t>(bits)
                       : static_cast<int32_t>(static_cast<uint32_t>(bits));
  return *value == static_cast<int32_t>(*value);
}

x86::Gp Homes::Integer(const Access& access, const x86::Gp& scratch) {
  const Home& home = HomeOf(access);
  const x86::Gp to = Sized(scratch, access.wide);
  switch (home.kind) {
    case Home::Kind::kInteger:
      return Sized(x86::gpq(home.reg), access.wide);
    case Home::Kind::kFloat:
      a_.emit(access.wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd, to,
              x86::xmm(home.reg));
      break;
    case Home::Kind::kConstant: {
      const uint64_t bits = webs().webs[access.web].bits;
      if (bits == 0) {
        a_.xor_(x86::gpd(to.id()), x86::gpd(to.id()));
      } else if (bits <= 0xFFFFFFFF) {
        a_.mov(x86::gpd(to.id()), static_cast<uint32_t>(bits));
      } else {
        a_.mov(to, bits);
      }
      break;
    }
    default:
      a_.mov(to, FrameAt(access.slot, access.wide));
  }
  return to;
}

x86::Xmm Homes::Float(const Access& access, const x86::Xmm& scratch) {
  const Home& home = HomeOf(access);
  if (home.kind == Home::Kind::kFloat) return x86::xmm(home.reg);
  if (home.kind == Home::Kind::kInteger) {
    a_.emit(access.wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd, scratch,
            Sized(x86::gpq(home.reg), access.wide));
    return scratch;
  }
  uint64_t bits;
  if (IsConstant(access, &bits) && bits == 0) {
    a_.xorps(scratch, scratch);
    return scratch;
  }
  a_.emit(access.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, scratch,
          home.kind == Home::Kind::kConstant
              ? ConstantAt(webs().webs[access.web].bits, access.wide)
              : FrameAt(access.slot, access.wide));
  return scratch;
}

Operand Homes::IntegerOperand(const Access& access, const x86::Gp& scratch) {
  int64_t value;
  if (IsSmall(access, &value)) return asmjit::Imm(value);
  if (HomeOf(access).kind == Home::Kind::kFrame) {
    return FrameAt(access.slot, access.wide);
  }
  return Integer(access, scratch);
}

Operand Homes::FloatOperand(const Access& access, const x86::Xmm& scratch) {
  uint64_t bits;
  if (IsConstant(access, &bits)) return ConstantAt(bits, access.wide);
  if (HomeOf(access).kind == Home::Kind::kFrame) {
    return FrameAt(access.slot, access.wide);
  }
  return Float(access, scratch);
}

x86::Gp Homes::IntegerOut(const Access& access, const x86::Gp& scratch) const {
  const Home& home = HomeOf(access);
  const bool own = home.kind == Home::Kind::kInteger;
  return Sized(own ? x86::gpq(home.reg) : scratch, access.wide);
}

x86::Xmm Homes::FloatOut(const Access& access, const x86::Xmm& scratch) const {
  const Home& home = HomeOf(access);
  return home.kind == Home::Kind::kFloat ? x86::xmm(home.reg) : scratch;
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

void Homes::IntegerDone(const Access& access, const x86::Gp& reg) {
  const Home& home = HomeOf(access);
  const x86::Gp from = Sized(reg, access.wide);
  if (home.kind == Home::Kind::kFloat) {
    a_.emit(access.wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd,
            x86::xmm(home.reg), from);
  } else if (home.kind == Home::Kind::kInteger && home.reg != reg.id()) {
    a_.mov(Sized(x86::gpq(home.reg), access.wide), from);
  }
  if (IsStored(home)) {
    a_.mov(FrameAt(access.slot, access.wide), from);
  }
}

void Homes::FloatDone(const Access& access, const x86::Xmm& reg) {
  const Home& home = HomeOf(access);
  if (home.kind == Home::Kind::kInteger) {
    a_.emit(access.wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd,
            Sized(x86::gpq(home.reg), access.wide), reg);
  } else if (home.kind == Home::Kind::kFloat && home.reg != reg.id()) {
    a_.movaps(x86::xmm(home.reg), reg);
  }
  if (IsStored(home)) {
    a_.emit(access.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss,
            FrameAt(access.slot, access.wide), reg);
  }
}

void Homes::StoreBits(const x86::Mem& to, uint64_t bits, bool wide) {
  const auto value = static_cast<int64_t>(bits);
  if (!wide || value == static_cast<int32_t>(value)) {
    a_.mov(to, asmjit::Imm(static_cast<int32_t>(bits)));
    return;
  }
  a_.mov(x86::rax, bits);
  a_.mov(to, x86::rax);
}

// Stores to memory, through rax if necessary.
void Homes::Store(const Access& access, const x86::Mem& to) {
  const Home& home = HomeOf(access);
  uint64_t bits;
  if (IsConstant(access, &bits)) {
    StoreBits(to, bits, access.wide);
  } else if (home.kind == Home::Kind::kFloat) {
    a_.emit(access.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, to,
            x86::xmm(home.reg));
  } else {
    a_.mov(to, Integer(access, x86::rax));
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
  if (home.kind == Home::Kind::kInteger) {
    a_.mov(Sized(x86::gpq(home.reg), web.wide), FrameAt(web.slot, web.wide));
  } else if (home.kind == Home::Kind::kFloat) {
    a_.emit(web.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss,
            x86::xmm(home.reg), FrameAt(web.slot, web.wide));
  }
}

void Homes::LoadView(const View& view) {
  const x86::Gp count = x86::gpq(homes()[view.count_web].reg);
  const x86::Gp data = x86::gpq(homes()[view.data_web].reg);
  const bool list = view.element.of == Element::Of::kList;
  const asmjit::Label done = a_.newLabel();
  a_.mov(data, RefAt(view.element.ref));
  a_.xor_(Sized(count, false), Sized(count, false));
  a_.mov(x86::rcx, State(list ? offsetof(CompiledState, list_type)
                              : offsetof(CompiledState, buffer_type),
                         8));
  a_.test(data, data);
  a_.jz(done);
  a_.cmp(x86::rcx, x86::qword_ptr(data, RefObjectLayout::kType));
  a_.jne(done);
  if (list) {
    a_.cmp(x86::byte_ptr(data, ListLayout::kKind),
           static_cast<uint32_t>(view.element.kind));
    a_.jne(done);
    a_.mov(count, x86::qword_ptr(data, ListLayout::kSize));
    a_.mov(data, x86::qword_ptr(data, ListLayout::kStorage));
  } else {
    if (view.element.stores) {
      a_.cmp(x86::byte_ptr(data, BufferLayout::kMutable), 0);
      a_.je(done);
    }
    a_.mov(count, x86::qword_ptr(data, BufferLayout::kSize));
    if (view.element.shift != 0) a_.shr(count, view.element.shift);
    a_.mov(data, x86::qword_ptr(data, BufferLayout::kData));
  }
  a_.bind(done);
}

void Homes::LoadPassed(const PassedNumber& number, const x86::Mem& from) {
  const uint8_t reg = RegisterOf(number);
  if (number.real) {
    a_.emit(number.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss,
            x86::xmm(reg), from);
  } else {
    a_.mov(Sized(x86::gpq(reg), number.wide), from);
  }
}

void Homes::LoadHome(const Access& access) {
  if (HomeOf(access).in_register()) LoadWeb(access.web);
}

void Homes::Move(const Access& from, const Access& to) {
  const Home& target = HomeOf(to);
  if (target.kind == Home::Kind::kNowhere) return;
  uint64_t bits;
  if (target.kind == Home::Kind::kFrame && IsConstant(from, &bits)) {
    return StoreBits(FrameAt(to.slot, to.wide), bits, to.wide);
  }
  const bool real = target.kind == Home::Kind::kFloat ||
                    (HomeOf(from).kind == Home::Kind::kFloat &&
                     target.kind == Home::Kind::kFrame);
  if (real) {
    const x86::Xmm out = FloatOut(to, x86::xmm0);
    FloatDone(to, Float(from, out));
  } else {
    const x86::Gp out = IntegerOut(to, x86::rax);
    IntegerDone(to, Integer(from, out));
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
  auto move = [&](uint8_t to, uint8_t from) {
    if (real) {
      a_.movaps(x86::xmm(to), x86::xmm(from));
    } else {
      a_.mov(x86::gpq(to), x86::gpq(from));
    }
  };
  std::erase_if(moves, [](auto& pair) { return pair.first == pair.second; });
  while (!moves.empty()) {
    auto ready = std::find_if(moves.begin(), moves.end(), [&](auto& pair) {
      return std::none_of(moves.begin(), moves.end(), [&](auto& other) {
        return other.second == pair.first;
      });
    });
    if (ready != moves.end()) {
      move(ready->first, ready->second);
      moves.erase(ready);
    } else {  // only cycles are left: break one with rax or xmm0
      constexpr uint8_t kScratch = 0;
      move(kScratch, moves[0].second);
      moves[0].second = kScratch;
    }
  }
}

}  // namespace eyrie::vm::jit
