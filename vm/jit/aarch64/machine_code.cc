// Calls, entries and branches on AArch64.
//
// A function pushes its return address, which a call leaves in x30, and its
// kept registers, two at a time, because the stack pointer must be a multiple
// of 16. The return address is the highest word, so that the words below it can
// be skipped (compiled.h).
#include "vm/jit/machine_code.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vm/jit/aarch64/operands.h"
#include "vm/jit/assembly.h"
#include "vm/jit/layout.h"

namespace eyrie::vm::jit {
namespace {

constexpr uint32_t kZeroRegister = a64::Gp::kIdZr;

// The registers that a function pushes, in the order of their addresses from
// the highest on; an even number.
std::vector<uint32_t> StackOf(const std::vector<uint8_t>& kept) {
  std::vector<uint32_t> registers = {kLink.id()};
  for (const uint8_t reg : kept) registers.push_back(reg);
  if (registers.size() % 2 != 0) registers.push_back(kZeroRegister);
  return registers;
}

void CallMemory(a64::Assembler& a, const a64::Mem& at) {
  a.ldr(kNear, at);
  a.blr(kNear);
}

}  // namespace

std::unique_ptr<asmjit::BaseAssembler> NewAssembler(asmjit::CodeHolder& code) {
  return std::make_unique<a64::Assembler>(&code);
}

const char* MissingInstructions() { return nullptr; }

// Other threads may have fetched what was there before; the system makes them
// discard it before they go on.
void PublishCode(const uint8_t* code, size_t size) {
  auto* begin = reinterpret_cast<char*>(const_cast<uint8_t*>(code));
  __builtin___clear_cache(begin, begin + size);
  constexpr int kSync = MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE;
  if (syscall(SYS_membarrier, kSync, 0, 0) == 0) return;
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
          0, 0);
  syscall(SYS_membarrier, kSync, 0, 0);
}

// Programs that interpret this machine's code, such as qemu, see new code only
// in a new mapping.
bool MapsReusedCodeAgain() { return true; }

void TakeFuel(Assembly& code, const asmjit::Label& none) {
  a64::Assembler& a = AssemblerOf(code);
  a.subs(kFuel, kFuel, 1);
  a.b_lt(none);
}

void Jump(Assembly& code, const asmjit::Label& label) {
  AssemblerOf(code).b(label);
}

void Trap(Assembly& code) { AssemblerOf(code).brk(0); }

void JumpIfZero(Assembly& code, uint8_t reg, const asmjit::Label& label) {
  AssemblerOf(code).cbz(Integer(reg), label);
}

void JumpIfEqual(Assembly& code, uint8_t reg, uint32_t value,
                 const asmjit::Label& label) {
  a64::Assembler& a = AssemblerOf(code);
  CompareConstant(a, Integer(reg, /*wide=*/false), value);
  a.b_eq(label);
}

void JumpUnlessEqual(Assembly& code, uint8_t reg, const Memory& with,
                     const asmjit::Label& label) {
  a64::Assembler& a = AssemblerOf(code);
  const a64::Gp other = Integer(kNear.id(), with.wide);
  a.ldr(other, Operands(code).At(with));
  a.cmp(Integer(reg, with.wide), other);
  a.b_ne(label);
}

void JumpUnlessByte(Assembly& code, const Memory& at, uint8_t value,
                    const asmjit::Label& label) {
  a64::Assembler& a = AssemblerOf(code);
  a.ldrb(kNear.w(), Operands(code).At(at));
  a.cmp(kNear.w(), uint32_t{value});
  a.b_ne(label);
}

void ShiftRight(Assembly& code, uint8_t reg, uint32_t by) {
  AssemblerOf(code).lsr(Integer(reg), Integer(reg), by);
}

void JumpByTable(Assembly& code, uint8_t index, uint32_t count,
                 const asmjit::Label& table, const asmjit::Label& otherwise) {
  a64::Assembler& a = AssemblerOf(code);
  CompareConstant(a, Integer(index, /*wide=*/false), count);
  a.b_hs(otherwise);
  a.mov(a64::w0, Integer(index, /*wide=*/false));
  a.adr(a64::x1, table);
  a.ldrsw(a64::x0, a64::ptr(a64::x1, a64::x0, a64::lsl(2)));
  a.add(a64::x0, a64::x0, a64::x1);
  a.br(a64::x0);
}

// Clobbers x2, kNear and kFar.
void AddReference(Assembly& code) {
  a64::Assembler& a = AssemblerOf(code);
  const asmjit::Label again = a.newLabel();
  a.add(kFar, a64::x0, uint32_t{RefObjectLayout::kCount});
  a.bind(again);
  a.ldxr(kNear.w(), a64::ptr(kFar));
  a.add(kNear.w(), kNear.w(), 1);
  a.stxr(a64::w2, kNear.w(), a64::ptr(kFar));
  a.cbnz(a64::w2, again);
}

void CallThunk(Assembly& code, size_t thunk) {
  CallMemory(AssemblerOf(code), Operands(code).State(thunk));
}

void CallStub(Assembly& code, const asmjit::Label& stub, bool step) {
  a64::Assembler& a = AssemblerOf(code);
  LoadBits(a, a64::w2, code.current().offset);
  if (step) LoadBits(a, a64::w1, code.current().row);
  a.bl(stub);
}

void JumpToThunk(Assembly& code, size_t thunk) {
  a64::Assembler& a = AssemblerOf(code);
  LoadBits(a, a64::x3, reinterpret_cast<uint64_t>(code.own().program.function));
  a.ldr(kNear, Operands(code).State(thunk));
  a.br(kNear);
}

void CheckRoom(Assembly& code, uint32_t bytes, const asmjit::Label& full) {
  a64::Assembler& a = AssemblerOf(code);
  Operands operands(code);
  if (bytes <= kNearFrames) {
    a.ldr(kNear, operands.State(offsetof(CompiledState, near_limit)));
    a.cmp(kFrame, kNear);
    a.b_hs(full);
    return;
  }
  AddConstant(a, a64::x0, kFrame, bytes);
  a.ldr(kNear, operands.State(offsetof(CompiledState, stack_limit)));
  a.cmp(a64::x0, kNear);
  a.b_hi(full);
}

void EnterFrame(Assembly& code, uint32_t bytes) {
  AddConstant(AssemblerOf(code), kFrame, kFrame, bytes);
}

void LeaveFrame(Assembly& code, uint32_t bytes) {
  AddConstant(AssemblerOf(code), kFrame, kFrame, -int64_t{bytes});
}

void CallLabel(Assembly& code, const asmjit::Label& entry) {
  AssemblerOf(code).bl(entry);
}

void CallAddress(Assembly& code, uint64_t entry) {
  a64::Assembler& a = AssemblerOf(code);
  LoadBits(a, kNear, entry);
  a.blr(kNear);
}

void CallUncompiled(Assembly& code, const FunctionCode& callee) {
  a64::Assembler& a = AssemblerOf(code);
  LoadBits(a, a64::x0, reinterpret_cast<uint64_t>(&callee));
  CallMemory(a, AddressOf(a, a64::x0, offsetof(FunctionCode, compiled), 8));
}

void CallImport(Assembly& code, const LoweredCallImport& call,
                const uint32_t* places) {
  a64::Assembler& a = AssemblerOf(code);
  Operands operands(code);
  const FunctionCode& function = *code.body().program.function;
  a.ldr(a64::x0, operands.State(offsetof(CompiledState, imports)));
  if (call.import != 0) {
    AddConstant(a, a64::x0, a64::x0,
                int64_t{call.import} * ImportLayout::kSize);
  }
  AddConstant(a, a64::x1, kFrame, function.frame_bytes);
  LoadBits(a, a64::x2, reinterpret_cast<uint64_t>(places));
  LoadBits(a, a64::x3, reinterpret_cast<uint64_t>(&function));
  CallThunk(code, offsetof(CompiledState, thunks.import));
}

void Keep(Assembly& code) {
  a64::Assembler& a = AssemblerOf(code);
  code.NoteDepth(0);
  const std::vector<uint32_t> stack = StackOf(code.residents().kept());
  for (size_t i = 0; i < stack.size(); i += 2) {
    a.stp(Integer(stack[i + 1]), Integer(stack[i]), a64::ptr_pre(a64::sp, -16));
    code.NoteDepth(i + 2);
  }
}

void ReturnToCaller(Assembly& code) {
  a64::Assembler& a = AssemblerOf(code);
  const std::vector<uint32_t> stack = StackOf(code.residents().kept());
  for (size_t i = stack.size(); i > 0; i -= 2) {
    a.ldp(Integer(stack[i - 1]), Integer(stack[i - 2]),
          a64::ptr_post(a64::sp, 16));
    code.NoteDepth(i - 2);
  }
  a.ret(kLink);
  code.NoteDepth(stack.size());
}

uint32_t PushedWords(size_t kept) {
  return static_cast<uint32_t>((kept + 2) / 2 * 2);
}
uint32_t KeptWords(size_t kept) { return PushedWords(kept) - 1; }

std::vector<uint8_t> PushedRegisters(const std::vector<uint8_t>& kept) {
  std::vector<uint8_t> pushed;
  pushed.reserve(kept.size() + 1);
  pushed.push_back(kUnwindRules.return_address);
  for (const uint8_t reg : kept) pushed.push_back(reg);
  return pushed;
}

void ClearReferences(Assembly& code, const std::vector<bool>& arguments) {
  Operands operands(code);
  for (uint32_t ref = 0; ref < arguments.size(); ++ref) {
    if (!arguments[ref]) operands.StoreBits(operands.RefAt(ref), 0);
  }
}

void ClearNumbers(Assembly& code, std::span<const uint16_t> slots) {
  constexpr size_t kLongRun = 16;
  Operands operands(code);
  a64::Assembler& a = AssemblerOf(code);
  for (size_t i = 0; i < slots.size();) {
    size_t end = i + 1;
    while (end < slots.size() && slots[end] == slots[i] + (end - i)) ++end;
    if (end - i >= kLongRun) {
      const Memory first = operands.FrameAt(slots[i], /*wide=*/false);
      const asmjit::Label again = a.newLabel();
      AddConstant(a, a64::x1, kFrame, first.offset);
      LoadBits(a, a64::x2, end - i);
      a.bind(again);
      a.str(a64::wzr, a64::ptr_post(a64::x1, 4));
      a.subs(a64::x2, a64::x2, 1);
      a.b_ne(again);
    } else {
      for (size_t n = i; n < end; ++n) {
        operands.StoreBits(operands.FrameAt(slots[n], /*wide=*/false), 0);
      }
    }
    i = end;
  }
}

}  // namespace eyrie::vm::jit
