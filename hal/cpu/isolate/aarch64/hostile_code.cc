// The environment, dispatch and workgroup of a kernel are in x0, x1 and x2.
#include "hal/cpu/isolate/testing/hostile_code.h"

#include <elf.h>
#include <sys/syscall.h>

#include "absl/functional/function_ref.h"
#include "asmjit/arm/a64assembler.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/lane.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {
namespace {

namespace a64 = asmjit::a64;
using a64::Assembler;
using a64::sp;
using a64::w0;
using a64::w2;
using a64::w3;
using a64::w4;
using a64::w5;
using a64::x0;
using a64::x1;
using a64::x2;
using a64::x3;
using a64::x30;
using a64::x4;
using a64::x5;
using a64::x6;
using a64::x8;

Code Assemble(absl::FunctionRef<void(Assembler&)> write) {
  asmjit::CodeHolder holder;
  holder.init(asmjit::Environment(asmjit::Arch::kAArch64));
  Assembler a(&holder);
  write(a);
  const asmjit::CodeBuffer& buffer = holder.textSection()->buffer();
  return {buffer.data(), buffer.data() + buffer.size()};
}

a64::Mem At(const a64::Gp& base, int64_t offset = 0) {
  return a64::ptr(base, static_cast<int32_t>(offset));
}

void Set(Assembler& a, const a64::Gp& to, uint64_t value) {
  a.movz(to, value & 0xFFFF);
  for (uint32_t shift = 16; shift < 64; shift += 16) {
    a.movk(to, value >> shift & 0xFFFF, shift);
  }
}

// Loads the address of the first binding.
void LoadBinding(Assembler& a) {
  a.ldr(x3, At(x1, offsetof(DispatchState, binding_pointers)));
  a.ldr(x3, At(x3));
}

void Return(Assembler& a, int32_t code = 0) {
  Set(a, x0, static_cast<uint32_t>(code));
  a.ret(x30);
}

void Spin(Assembler& a) {
  const asmjit::Label again = a.newLabel();
  a.bind(again);
  a.b(again);
}

// The scan of code takes UDF for padding, which begins no function.
void Undefine(Assembler& a) {
  a.mov(x4, x4);
  a.udf(0);
}

// Puts the address of the first lane's output into x3.
void FindOutput(Assembler& a) {
  a.and_(x3, x1, ~uint64_t{kPage - 1});
  Set(a, x4, OutputOffset(LaneCount(), 0) - InputOffset(0));
  a.add(x3, x3, x4);
}

void SetField(Assembler& a, size_t offset, uint32_t value) {
  Set(a, x4, value);
  a.str(w4, At(x3, offset));
}

void AddDone(Assembler& a) {
  a.ldr(w4, At(x3, offsetof(LaneOutput, done)));
  a.add(w4, w4, 1);
  a.str(w4, At(x3, offsetof(LaneOutput, done)));
}

std::vector<HostileRow> MemoryRows() {
  return {
      {"write code", Assemble([](Assembler& a) {
         const asmjit::Label here = a.newLabel();
         a.bind(here);
         a.adr(x3, here);
         a.str(w0, At(x3));
       }),
       "SIGSEGV"},
      {"write a command", Assemble([](Assembler& a) { a.str(w0, At(x1)); }),
       "SIGSEGV", true},
      {"run data", Assemble([](Assembler& a) {
         LoadBinding(a);
         Set(a, x4, 0xD65F03C0);  // ret
         a.str(w4, At(x3));
         a.br(x3);
       }),
       "SIGSEGV", true},
      {"use all of the data area", Assemble([](Assembler& a) {
         LoadBinding(a);
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.str(w0, At(x3));
         a.add(x3, x3, 4096);
         a.b(again);
       }),
       "SIGBUS", true},
      {"recursion", Assemble([](Assembler& a) {
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.sub(sp, sp, 1024);
         a.str(x30, At(sp));
         a.bl(again);
       }),
       "SIGSEGV"},
      {"no stack", Assemble([](Assembler& a) {
         Set(a, x3, 0);
         a.mov(sp, x3);
         a.str(x0, At(sp));
       }),
       "SIGSEGV at address 0x0 "},
  };
}

// Finds the data in the program's headers.
void WipeWorker(Assembler& a) {
  constexpr uint64_t kProgram = 0x400000;
  const asmjit::Label next = a.newLabel(), again = a.newLabel();
  Set(a, x3, kProgram);
  a.ldr(x4, At(x3, offsetof(Elf64_Ehdr, e_phoff)));
  a.add(x3, x3, x4);
  a.sub(x3, x3, sizeof(Elf64_Phdr));
  a.bind(next);
  a.add(x3, x3, sizeof(Elf64_Phdr));
  a.ldr(w4, At(x3, offsetof(Elf64_Phdr, p_type)));
  a.cmp(w4, PT_LOAD);
  a.b_ne(next);
  a.ldr(w4, At(x3, offsetof(Elf64_Phdr, p_flags)));
  a.tbz(w4, 1, next);  // PF_W
  a.ldr(x4, At(x3, offsetof(Elf64_Phdr, p_vaddr)));
  a.ldr(x5, At(x3, offsetof(Elf64_Phdr, p_memsz)));
  Set(a, x6, ~uint64_t{0});
  a.bind(again);
  a.str(x6, At(x4));
  a.add(x4, x4, 8);
  a.subs(x5, x5, 8);
  a.b_hi(again);
  Undefine(a);
}

// Rows that change the state of the processor or of the worker.
std::vector<HostileRow> StateRows() {
  return {
      {"only aligned accesses", Assemble([](Assembler& a) {
         a.sub(x3, sp, 15);
         a.ldaxr(x4, At(x3));
       }),
       "SIGBUS"},
      {"an unaligned stack", Assemble([](Assembler& a) {
         a.sub(x3, sp, 8);
         a.mov(sp, x3);
         a.str(x0, At(sp));
         Undefine(a);  // Qemu does not check the stack
       }),
       ": SIG"},
      {"jump to no address", Assemble([](Assembler& a) {
         Set(a, x3, uint64_t{1} << 55);
         a.br(x3);
       }),
       "SIGSEGV"},
      {"jump into an instruction", Assemble([](Assembler& a) {
         const asmjit::Label here = a.newLabel();
         a.bind(here);
         a.adr(x3, here);
         a.add(x3, x3, 2);
         a.br(x3);
       }),
       "SIGBUS"},
      {"a fault on the handlers' stack", Assemble([](Assembler& a) {
         a.mov(x3, sp);
         a.orr(x3, x3, 4095);
         Set(a, x4, kPage + 65);
         a.add(x3, x3, x4);
         a.mov(sp, x3);
         Undefine(a);
       }),
       "SIG", true},
      {"wipe the worker's own data", Assemble(WipeWorker), ": SIG"},
  };
}

std::vector<HostileRow> InstructionRows() {
  return {
      {"breakpoint", Assemble([](Assembler& a) { a.brk(1); }), "SIGTRAP"},
      {"privileged",
       Assemble([](Assembler& a) { a.embedUInt32(0xD5381000); }),  // SCTLR_EL1
       "SIGILL"},
      {"a call of the hypervisor",
       Assemble([](Assembler& a) { a.embedUInt32(0xD4000002); }), "SIGILL"},
      {"division by zero", Assemble([](Assembler& a) {
         Set(a, x3, 0);
         a.udiv(x4, x1, x3);  // is zero
         a.ldr(x4, At(x4));
       }),
       "SIGSEGV at address 0x0 "},
      {"return elsewhere", Assemble([](Assembler& a) {
         Set(a, x30, 4);
         a.ret(x30);
       }),
       "SIGSEGV at address 0x4 "},
  };
}

}  // namespace

Code Returns(int32_t code) {
  return Assemble([&](Assembler& a) { Return(a, code); });
}

Code Adds() {
  return Assemble([](Assembler& a) {
    a.ldr(x5, At(x1, offsetof(DispatchState, constants)));
    a.ldr(w5, At(x5));
    LoadBinding(a);
    a.ldr(w4, At(x2));
    a.add(x3, x3, x4, a64::lsl(2));
    a.ldr(w4, At(x3));
    a.add(w4, w4, w5);
    a.str(w4, At(x3));
    Return(a);
  });
}

Code Waits() {
  return Assemble([](Assembler& a) {
    const asmjit::Label again = a.newLabel();
    LoadBinding(a);
    a.bind(again);
    a.ldr(w4, At(x3, 4));
    a.cbz(w4, again);
    a.ldr(w4, At(x3));
    a.add(w4, w4, 1);
    a.str(w4, At(x3));
    Return(a);
  });
}

Code Counts() {
  return Assemble([](Assembler& a) {
    const asmjit::Label again = a.newLabel();
    Set(a, x3, 1000000);
    a.bind(again);
    a.subs(x3, x3, 1);
    a.b_ne(again);
    Return(a);
  });
}

Code Spins() { return Assemble(Spin); }

Code Sleeps() {
  return Assemble([](Assembler& a) {
    const asmjit::Label again = a.newLabel();
    a.bind(again);
    a.mov(x0, x1);
    a.ldr(w2, At(x1));
    Set(a, x3, 0);
    a.mov(x6, x1);
    Set(a, x1, 0);
    Set(a, x8, SYS_futex);
    a.svc(0);
    a.mov(x1, x6);
    a.b(again);
  });
}

Code Calls(int64_t number, uint64_t first, uint64_t second, uint64_t third) {
  return Assemble([&](Assembler& a) {
    Set(a, x0, first);
    Set(a, x1, second);
    Set(a, x2, third);
    Set(a, x3, 0x22);
    Set(a, x8, static_cast<uint64_t>(number));
    a.svc(0);
    Return(a);
  });
}

Code Reads(uint64_t address) {
  return Assemble([&](Assembler& a) {
    Set(a, x3, address);
    a.ldr(x3, At(x3));
  });
}

Code Writes(uint64_t address) {
  return Assemble([&](Assembler& a) {
    Set(a, x3, address);
    a.str(w3, At(x3));
  });
}

Code Undefined() { return Assemble(Undefine); }

Code WritesOutput(size_t offset, uint32_t value) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    SetField(a, offset, value);
    Spin(a);
  });
}

Code SaysItIsDone() {
  return Assemble([](Assembler& a) {
    FindOutput(a);
    AddDone(a);
    Spin(a);
  });
}

Code ForgesFailure(uint32_t command, uint32_t code) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    Set(a, x5, offsetof(Command, state) - offsetof(Command, group));
    a.sub(x5, x1, x5);
    a.ldr(w5, At(x5));
    SetField(a, offsetof(LaneOutput, failed_command), command);
    SetField(a, offsetof(LaneOutput, failed_code), code);
    a.str(w5, At(x3, offsetof(LaneOutput, failed_group)));
    AddDone(a);
    Spin(a);
  });
}

Code ForgesSignal(uint32_t signal) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    SetField(a, offsetof(LaneOutput, signal), signal);
    Undefine(a);
  });
}

std::vector<HostileRow> MachineRows() {
  return JoinRows({MemoryRows(), StateRows(), InstructionRows()});
}

const CompiledFile kCompiled = {"arm_64", 0x354, 0x54};

const Code kReturn = {0xC0, 0x03, 0x5F, 0xD6};

}  // namespace eyrie::hal::cpu::isolate
