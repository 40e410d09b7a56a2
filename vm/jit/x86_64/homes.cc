// Moves between registers, memory and constants on x86-64.
#include "vm/jit/homes.h"

#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {

using asmjit::Operand;

void Homes::LoadRegister(bool real, uint8_t to, const Memory& from) {
  x86::Assembler& a = AssemblerOf(code_);
  if (real) {
    a.emit(from.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, x86::xmm(to),
           OperandOf(from));
  } else {
    a.mov(Sized(x86::gpq(to), from.wide), OperandOf(from));
  }
}

void Homes::StoreRegister(bool real, uint8_t from, const Memory& to) {
  x86::Assembler& a = AssemblerOf(code_);
  if (real) {
    a.emit(to.wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, OperandOf(to),
           x86::xmm(from));
  } else {
    a.mov(OperandOf(to), Sized(x86::gpq(from), to.wide));
  }
}

void Homes::MoveRegister(bool real, uint8_t to, uint8_t from) {
  if (real) {
    AssemblerOf(code_).movaps(x86::xmm(to), x86::xmm(from));
  } else {
    AssemblerOf(code_).mov(x86::gpq(to), x86::gpq(from));
  }
}

void Homes::MoveInteger(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).mov(Sized(x86::gpq(to), wide),
                         Sized(x86::gpq(from), wide));
}

void Homes::IntegerToFloat(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).emit(wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd,
                          x86::xmm(to), Sized(x86::gpq(from), wide));
}

void Homes::FloatToInteger(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).emit(wide ? x86::Inst::kIdMovq : x86::Inst::kIdMovd,
                          Sized(x86::gpq(to), wide), x86::xmm(from));
}

void Homes::LoadConstant(bool real, uint8_t to, uint64_t bits, bool wide) {
  x86::Assembler& a = AssemblerOf(code_);
  if (real && bits == 0) {
    a.xorps(x86::xmm(to), x86::xmm(to));
  } else if (real) {
    a.emit(wide ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, x86::xmm(to),
           Operands(code_).ConstantAt(bits, wide));
  } else if (bits == 0) {
    a.xor_(x86::gpd(to), x86::gpd(to));
  } else if (bits <= 0xFFFFFFFF) {
    a.mov(x86::gpd(to), static_cast<uint32_t>(bits));
  } else {
    a.mov(x86::gpq(to), bits);
  }
}

void Homes::StoreBits(const Memory& to, uint64_t bits) {
  x86::Assembler& a = AssemblerOf(code_);
  const auto value = static_cast<int64_t>(bits);
  if (!to.wide || value == static_cast<int32_t>(value)) {
    a.mov(OperandOf(to), asmjit::Imm(static_cast<int32_t>(bits)));
    return;
  }
  a.mov(x86::rax, bits);
  a.mov(OperandOf(to), x86::rax);
}

bool Operands::IsSmall(const Access& access, int64_t* value) const {
  uint64_t bits;
  if (!IsConstant(access, &bits)) return false;
  *value = access.wide ? static_cast<int64_t>(bits)
                       : static_cast<int32_t>(static_cast<uint32_t>(bits));
  return *value == static_cast<int32_t>(*value);
}

Operand Operands::IntegerOperand(const Access& access, const x86::Gp& scratch) {
  int64_t value;
  if (IsSmall(access, &value)) return asmjit::Imm(value);
  if (HomeOf(access).kind == Home::Kind::kFrame) return FrameOperand(access);
  return Integer(access, scratch);
}

Operand Operands::FloatOperand(const Access& access, const x86::Xmm& scratch) {
  uint64_t bits;
  if (IsConstant(access, &bits)) return ConstantAt(bits, access.wide);
  if (HomeOf(access).kind == Home::Kind::kFrame) return FrameOperand(access);
  return Float(access, scratch);
}

}  // namespace eyrie::vm::jit
