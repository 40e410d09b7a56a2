// Calls, entries and branches on x86-64.
#include "vm/jit/machine_code.h"

#include "vm/jit/assembly.h"
#include "vm/jit/layout.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {

std::unique_ptr<asmjit::BaseAssembler> NewAssembler(asmjit::CodeHolder& code) {
  return std::make_unique<x86::Assembler>(&code);
}

const char* MissingInstructions() {
  // Uses asmjit: the compiler's builtin would take time at every start.
  const asmjit::CpuInfo& machine = asmjit::CpuInfo::host();
  const bool all = machine.hasFeature(asmjit::CpuFeatures::X86::kSSE4_1) &&
                   machine.hasFeature(asmjit::CpuFeatures::X86::kLZCNT);
  return all ? nullptr : "SSE4.1 and LZCNT.";
}

// The processor keeps its caches of instructions and of data equal.
void PublishCode(const uint8_t*, size_t) {}
bool MapsReusedCodeAgain() { return false; }

void TakeFuel(Assembly& code, const asmjit::Label& none) {
  x86::Assembler& a = AssemblerOf(code);
  a.sub(kFuel, 1);
  a.jl(none);
}

void Jump(Assembly& code, const asmjit::Label& label) {
  AssemblerOf(code).jmp(label);
}

void Trap(Assembly& code) { AssemblerOf(code).ud2(); }

void JumpIfZero(Assembly& code, uint8_t reg, const asmjit::Label& label) {
  x86::Assembler& a = AssemblerOf(code);
  a.test(x86::gpq(reg), x86::gpq(reg));
  a.jz(label);
}

void JumpIfEqual(Assembly& code, uint8_t reg, uint32_t value,
                 const asmjit::Label& label) {
  x86::Assembler& a = AssemblerOf(code);
  a.cmp(x86::gpd(reg), value);
  a.je(label);
}

void JumpUnlessEqual(Assembly& code, uint8_t reg, const Memory& with,
                     const asmjit::Label& label) {
  x86::Assembler& a = AssemblerOf(code);
  a.cmp(Sized(x86::gpq(reg), with.wide), OperandOf(with));
  a.jne(label);
}

void JumpUnlessByte(Assembly& code, const Memory& at, uint8_t value,
                    const asmjit::Label& label) {
  x86::Assembler& a = AssemblerOf(code);
  x86::Mem byte = OperandOf(at);
  byte.setSize(1);
  a.cmp(byte, uint32_t{value});
  a.jne(label);
}

void ShiftRight(Assembly& code, uint8_t reg, uint32_t by) {
  AssemblerOf(code).shr(x86::gpq(reg), by);
}

void JumpByTable(Assembly& code, uint8_t index, uint32_t count,
                 const asmjit::Label& table, const asmjit::Label& otherwise) {
  x86::Assembler& a = AssemblerOf(code);
  a.cmp(x86::gpd(index), count);
  a.jae(otherwise);
  a.mov(x86::eax, x86::gpd(index));
  a.lea(x86::rcx, x86::ptr(table));
  a.movsxd(x86::rax, x86::dword_ptr(x86::rcx, x86::rax, 2));
  a.add(x86::rax, x86::rcx);
  a.jmp(x86::rax);
}

void AddReference(Assembly& code) {
  x86::Assembler& a = AssemblerOf(code);
  a.lock().inc(x86::dword_ptr(x86::rax, RefObjectLayout::kCount));
}

void CallThunk(Assembly& code, size_t thunk) {
  AssemblerOf(code).call(Operands::State(thunk, 8));
}

void CallStub(Assembly& code, const asmjit::Label& stub, bool step) {
  x86::Assembler& a = AssemblerOf(code);
  a.mov(x86::edx, code.current().offset);
  if (step) a.mov(x86::eax, code.current().row);
  a.call(stub);
}

void JumpToThunk(Assembly& code, size_t thunk) {
  x86::Assembler& a = AssemblerOf(code);
  a.mov(x86::rcx, reinterpret_cast<uint64_t>(code.own().program.function));
  a.jmp(Operands::State(thunk, 8));
}

void CheckRoom(Assembly& code, uint32_t bytes, const asmjit::Label& full) {
  x86::Assembler& a = AssemblerOf(code);
  if (bytes <= kNearFrames) {
    a.cmp(kFrame, Operands::State(offsetof(CompiledState, near_limit), 8));
    a.jae(full);
    return;
  }
  a.lea(x86::rax, x86::ptr(kFrame, static_cast<int32_t>(bytes)));
  a.cmp(x86::rax, Operands::State(offsetof(CompiledState, stack_limit), 8));
  a.ja(full);
}

void EnterFrame(Assembly& code, uint32_t bytes) {
  AssemblerOf(code).add(kFrame, bytes);
}

void LeaveFrame(Assembly& code, uint32_t bytes) {
  AssemblerOf(code).sub(kFrame, bytes);
}

void CallLabel(Assembly& code, const asmjit::Label& entry) {
  AssemblerOf(code).call(entry);
}

void CallAddress(Assembly& code, uint64_t entry) {
  AssemblerOf(code).call(entry);
}

void CallUncompiled(Assembly& code, const FunctionCode& callee) {
  x86::Assembler& a = AssemblerOf(code);
  a.mov(x86::rax, reinterpret_cast<uint64_t>(&callee));
  a.call(x86::qword_ptr(
      x86::rax, static_cast<int32_t>(offsetof(FunctionCode, compiled))));
}

void CallImport(Assembly& code, const LoweredCallImport& call,
                const uint32_t* places) {
  x86::Assembler& a = AssemblerOf(code);
  const FunctionCode& function = *code.body().program.function;
  a.mov(x86::rax, Operands::State(offsetof(CompiledState, imports), 8));
  if (call.import != 0) a.add(x86::rax, call.import * ImportLayout::kSize);
  a.lea(x86::rsi, x86::ptr(kFrame, static_cast<int32_t>(function.frame_bytes)));
  a.mov(x86::rdx, reinterpret_cast<uint64_t>(places));
  a.mov(x86::rcx, reinterpret_cast<uint64_t>(&function));
  CallThunk(code, offsetof(CompiledState, thunks.import));
}

void Keep(Assembly& code) {
  code.NoteDepth(0);
  size_t words = 0;
  for (const uint8_t reg : code.residents().kept()) {
    AssemblerOf(code).push(x86::gpq(reg));
    code.NoteDepth(++words);
  }
}

void ReturnToCaller(Assembly& code) {
  x86::Assembler& a = AssemblerOf(code);
  const std::vector<uint8_t>& kept = code.residents().kept();
  for (size_t i = kept.size(); i-- > 0;) {
    a.pop(x86::gpq(kept[i]));
    code.NoteDepth(i);
  }
  a.ret();
  code.NoteDepth(kept.size());
}

// The call has pushed the return address.
uint32_t KeptWords(size_t kept) { return static_cast<uint32_t>(kept); }
uint32_t PushedWords(size_t kept) { return static_cast<uint32_t>(kept); }

std::vector<uint8_t> PushedRegisters(const std::vector<uint8_t>& kept) {
  return kept;  // r12 to r14, whose numbers are the same
}

void ClearReferences(Assembly& code, const std::vector<bool>& arguments) {
  Operands operands(code);
  x86::Assembler& a = AssemblerOf(code);
  bool zero = false;
  for (uint32_t ref = 0; ref < arguments.size(); ++ref) {
    if (arguments[ref]) continue;
    if (!std::exchange(zero, true)) a.xorps(x86::xmm0, x86::xmm0);
    if (ref + 1 < arguments.size() && !arguments[ref + 1]) {
      x86::Mem pair = operands.RefOperand(ref);
      pair.setSize(16);
      a.movups(pair, x86::xmm0);
      ++ref;
    } else {
      a.movlps(operands.RefOperand(ref), x86::xmm0);
    }
  }
}

void ClearNumbers(Assembly& code, std::span<const uint16_t> slots) {
  constexpr size_t kLongRun = 16;
  const Operands operands(code);
  x86::Assembler& a = AssemblerOf(code);
  auto at = [&](uint16_t slot) {
    return OperandOf(operands.FrameAt(slot, /*wide=*/false));
  };
  for (size_t i = 0; i < slots.size();) {
    size_t end = i + 1;
    while (end < slots.size() && slots[end] == slots[i] + (end - i)) ++end;
    if (end - i >= kLongRun) {
      a.mov(x86::rdx, x86::rdi);
      a.lea(x86::rdi, at(slots[i]));
      a.mov(x86::ecx, static_cast<uint32_t>(end - i));
      a.xor_(x86::eax, x86::eax);
      a.rep().stosd();
      a.mov(x86::rdi, x86::rdx);
    } else {
      for (size_t n = i; n < end; ++n) a.mov(at(slots[n]), 0);
    }
    i = end;
  }
}

}  // namespace eyrie::vm::jit
