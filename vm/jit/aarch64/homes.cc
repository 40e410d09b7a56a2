// Moves between registers, memory and constants on AArch64.
#include "vm/jit/homes.h"

#include "vm/jit/aarch64/operands.h"

namespace eyrie::vm::jit {

a64::Mem AddressOf(a64::Assembler& a, const a64::Gp& base, uint64_t offset,
                   uint32_t width) {
  const bool scaled = offset % width == 0 && offset / width < 4096;
  if (scaled || offset < 256) {
    return a64::ptr(base, static_cast<int32_t>(offset));
  }
  LoadBits(a, kFar, offset);
  return a64::ptr(base, kFar);
}

void LoadBits(a64::Assembler& a, const a64::Gp& to, uint64_t bits) {
  a.mov(to, asmjit::Imm(bits));
}

void AddConstant(a64::Assembler& a, const a64::Gp& to, const a64::Gp& from,
                 int64_t value) {
  const uint64_t size =
      value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (size < 4096 && value >= 0) {
    a.add(to, from, asmjit::Imm(size));
  } else if (size < 4096) {
    a.sub(to, from, asmjit::Imm(size));
  } else {
    const a64::Gp by = Integer(kNear.id(), to.isGpX());
    LoadBits(a, by,
             to.isGpX() ? static_cast<uint64_t>(value)
                        : static_cast<uint32_t>(value));
    a.add(to, from, by);
  }
}

void CompareConstant(a64::Assembler& a, const a64::Gp& reg, int64_t value) {
  if (value >= 0 && value < 4096) {
    a.cmp(reg, asmjit::Imm(value));
    return;
  }
  const a64::Gp with = Integer(kNear.id(), reg.isGpX());
  LoadBits(a, with,
           reg.isGpX() ? static_cast<uint64_t>(value)
                       : static_cast<uint32_t>(value));
  a.cmp(reg, with);
}

a64::Mem Operands::At(const Memory& memory) {
  const a64::GpX& base = memory.base == Memory::Base::kFrame    ? kFrame
                         : memory.base == Memory::Base::kState  ? kState
                         : memory.base == Memory::Base::kObject ? a64::x0
                                                                : kPointer;
  return AddressOf(a_, base, memory.offset, memory.wide ? 8 : 4);
}

bool Operands::IsSigned(const Access& access, int64_t* value) const {
  uint64_t bits;
  if (!IsConstant(access, &bits)) return false;
  *value = access.wide ? static_cast<int64_t>(bits)
                       : static_cast<int32_t>(static_cast<uint32_t>(bits));
  return true;
}

void Homes::LoadRegister(bool real, uint8_t to, const Memory& from) {
  a64::Assembler& a = AssemblerOf(code_);
  const a64::Mem at = Operands(code_).At(from);
  if (real) {
    a.ldr(Real(to, from.wide), at);
  } else {
    a.ldr(Integer(to, from.wide), at);
  }
}

void Homes::StoreRegister(bool real, uint8_t from, const Memory& to) {
  a64::Assembler& a = AssemblerOf(code_);
  const a64::Mem at = Operands(code_).At(to);
  if (real) {
    a.str(Real(from, to.wide), at);
  } else {
    a.str(Integer(from, to.wide), at);
  }
}

void Homes::MoveRegister(bool real, uint8_t to, uint8_t from) {
  if (real) {
    AssemblerOf(code_).fmov(Real(to), Real(from));
  } else {
    AssemblerOf(code_).mov(Integer(to), Integer(from));
  }
}

void Homes::MoveInteger(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).mov(Integer(to, wide), Integer(from, wide));
}

void Homes::IntegerToFloat(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).fmov(Real(to, wide), Integer(from, wide));
}

void Homes::FloatToInteger(uint8_t to, uint8_t from, bool wide) {
  AssemblerOf(code_).fmov(Integer(to, wide), Real(from, wide));
}

void Homes::LoadConstant(bool real, uint8_t to, uint64_t bits, bool wide) {
  a64::Assembler& a = AssemblerOf(code_);
  if (!real) {
    LoadBits(a, Integer(to, wide), bits);
  } else if (bits == 0) {
    a.fmov(Real(to), a64::xzr);
  } else {
    a.ldr(Real(to, wide), a64::ptr(code_.constants().LabelOf(bits, wide, a)));
  }
}

void Homes::StoreBits(const Memory& to, uint64_t bits) {
  a64::Assembler& a = AssemblerOf(code_);
  const a64::Gp from = Integer(0, to.wide);
  if (bits != 0) LoadBits(a, from, bits);
  const a64::Mem at = Operands(code_).At(to);
  if (bits != 0) {
    a.str(from, at);
  } else if (to.wide) {
    a.str(a64::xzr, at);
  } else {
    a.str(a64::wzr, at);
  }
}

}  // namespace eyrie::vm::jit
