// The environment, dispatch and workgroup of a kernel are in rdi, rsi and rdx.
#include "hal/cpu/isolate/testing/hostile_code.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "asmjit/x86.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/lane.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {
namespace {

namespace x86 = asmjit::x86;
using x86::Assembler;

Code Assemble(absl::FunctionRef<void(Assembler&)> write) {
  asmjit::CodeHolder holder;
  holder.init(asmjit::Environment(asmjit::Arch::kX64));
  Assembler a(&holder);
  write(a);
  const asmjit::CodeBuffer& buffer = holder.textSection()->buffer();
  return {buffer.data(), buffer.data() + buffer.size()};
}

// Loads the address of the first binding.
void LoadBinding(Assembler& a) {
  a.mov(x86::rcx,
        x86::ptr(x86::rsi, offsetof(DispatchState, binding_pointers)));
  a.mov(x86::rcx, x86::ptr(x86::rcx));
}

void Return(Assembler& a, int32_t code = 0) {
  a.mov(x86::eax, code);
  a.ret();
}

void Spin(Assembler& a) {
  const asmjit::Label again = a.newLabel();
  a.bind(again);
  a.jmp(again);
}

// Puts the address of the first lane's output into rcx.
void FindOutput(Assembler& a) {
  a.mov(x86::rcx, x86::rsi);
  a.and_(x86::rcx, -static_cast<int64_t>(kPage));
  a.add(x86::rcx,
        static_cast<int32_t>(OutputOffset(LaneCount(), 0) - InputOffset(0)));
}

x86::Mem Field(size_t offset) {
  return x86::dword_ptr(x86::rcx, static_cast<int32_t>(offset));
}

std::vector<HostileRow> SystemCallRows() {
  std::vector<HostileRow> rows;
  const struct {
    const char* name;
    int number;
    uint64_t arguments[2];
  } kRows[] = {
      {"open", SYS_open, {0, O_CREAT | O_RDWR}},
      {"unlink", SYS_unlink, {}},
      {"fork", SYS_fork, {}},
      {"numbers of x32", 0x40000001, {1}},
  };
  for (const auto& row : kRows) {
    rows.push_back({row.name,
                    Calls(row.number, row.arguments[0], row.arguments[1]),
                    absl::StrCat("SIGSYS: the system call ", row.number, " ")});
  }
  rows.push_back({"32-bit calls", Assemble([](Assembler& a) {
                    a.mov(x86::eax, 1);
                    a.int_(0x80);
                    Return(a);
                  }),
                  ": SIG"});
  return rows;
}

std::vector<HostileRow> MemoryRows() {
  return {
      {"write code", Assemble([](Assembler& a) {
         a.embed("\x48\x8d\x05\0\0\0\0", 7);  // lea rax, [rip]
         a.mov(x86::dword_ptr(x86::rax), 8);
       }),
       "SIGSEGV"},
      {"write a command",
       Assemble([](Assembler& a) { a.mov(x86::dword_ptr(x86::rsi), 8); }),
       "SIGSEGV", true},
      {"run data", Assemble([](Assembler& a) {
         LoadBinding(a);
         a.mov(x86::byte_ptr(x86::rcx), 0xc3);
         a.jmp(x86::rcx);
       }),
       "SIGSEGV", true},
      {"use all of the data area", Assemble([](Assembler& a) {
         LoadBinding(a);
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.mov(x86::byte_ptr(x86::rcx), 1);
         a.add(x86::rcx, 4096);
         a.jmp(again);
       }),
       "SIGBUS", true},
      {"recursion", Assemble([](Assembler& a) {
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.sub(x86::rsp, 1000);
         a.call(again);
       }),
       "SIGSEGV"},
      {"no stack", Assemble([](Assembler& a) {
         a.xor_(x86::esp, x86::esp);
         a.push(x86::rax);
       }),
       "SIGSEGV"},
  };
}

// Sets bits of the processor's flags.
void SetFlags(Assembler& a, uint32_t flags) {
  a.pushfq();
  a.or_(x86::dword_ptr(x86::rsp), flags);
  a.popfq();
  a.nop();
}

// Finds the data in the program's headers.
void WipeWorker(Assembler& a) {
  constexpr int32_t kProgram = 0x400000;
  const asmjit::Label next = a.newLabel();
  a.mov(x86::rdx, x86::ptr(kProgram + offsetof(Elf64_Ehdr, e_phoff)));
  a.add(x86::rdx, kProgram - static_cast<int32_t>(sizeof(Elf64_Phdr)));
  a.bind(next);
  a.add(x86::rdx, sizeof(Elf64_Phdr));
  a.cmp(x86::dword_ptr(x86::rdx, offsetof(Elf64_Phdr, p_type)), PT_LOAD);
  a.jne(next);
  a.test(x86::dword_ptr(x86::rdx, offsetof(Elf64_Phdr, p_flags)), PF_W);
  a.jz(next);
  a.mov(x86::rdi, x86::ptr(x86::rdx, offsetof(Elf64_Phdr, p_vaddr)));
  a.mov(x86::rcx, x86::ptr(x86::rdx, offsetof(Elf64_Phdr, p_memsz)));
  a.mov(x86::eax, 0xff);
  a.embed("\xf3\xaa", 2);  // rep stosb
  a.ud2();
}

// Rows that change the state of the processor or of the worker.
std::vector<HostileRow> StateRows() {
  return {
      {"one step at a time", Assemble([](Assembler& a) {
         SetFlags(a, 0x100);
         Spin(a);
       }),
       "SIGTRAP"},
      {"only aligned accesses", Assemble([](Assembler& a) {
         SetFlags(a, 0x40000);
         a.mov(x86::eax, x86::dword_ptr(x86::rsp, -15));
         Spin(a);
       }),
       "SIGBUS"},
      {"jump to no address", Assemble([](Assembler& a) {
         a.mov(x86::rax, uint64_t{1} << 47);
         a.jmp(x86::rax);
       }),
       "SIGSEGV at address 0x0 "},
      {"the system's page at a fixed address", Assemble([](Assembler& a) {
         a.mov(x86::rax, 0xffffffffff600000);
         a.call(x86::rax);
         Spin(a);
       }),
       ": SIGS"},
      {"forbid its data, and its handlers'", Assemble([](Assembler& a) {
         a.mov(x86::eax, ~0u);
         a.xor_(x86::ecx, x86::ecx);
         a.xor_(x86::edx, x86::edx);
         a.embed("\x0f\x01\xef", 3);  // wrpkru
         a.push(x86::rax);
       }),
       ": SIG"},
      {"a fault on the handlers' stack", Assemble([](Assembler& a) {
         a.or_(x86::rsp, 4095);
         a.add(x86::rsp, kPage + 65);
         a.ud2();
       }),
       "SIG", true},
      {"wipe the worker's own data", Assemble(WipeWorker), ": SIG"},
  };
}

std::vector<HostileRow> InstructionRows() {
  return {
      {"middle of an instruction", Assemble([](Assembler& a) {
         a.embed("\xeb\x01\xb8\x0f\x0b", 5);  // jumps into mov's constant
       }),
       "SIGILL"},
      {"breakpoint", Assemble([](Assembler& a) {
         a.xor_(x86::eax, x86::eax);
         a.int3();
       }),
       "SIGTRAP"},
      {"privileged", Assemble([](Assembler& a) { a.hlt(); }), "SIGSEGV"},
      {"division by zero", Assemble([](Assembler& a) {
         a.xor_(x86::ecx, x86::ecx);
         a.div(x86::ecx);
       }),
       "SIGFPE"},
      {"return elsewhere", Assemble([](Assembler& a) {
         a.mov(x86::eax, 1);
         a.push(x86::rax);
         a.ret();
       }),
       "SIGSEGV at address 0x1 "},
  };
}

}  // namespace

Code Returns(int32_t code) {
  return Assemble([&](Assembler& a) { Return(a, code); });
}

Code Adds() {
  return Assemble([](Assembler& a) {
    a.mov(x86::rax, x86::ptr(x86::rsi, offsetof(DispatchState, constants)));
    a.mov(x86::eax, x86::dword_ptr(x86::rax));
    LoadBinding(a);
    a.mov(x86::edx, x86::dword_ptr(x86::rdx));
    a.add(x86::dword_ptr(x86::rcx, x86::rdx, 2), x86::eax);
    Return(a);
  });
}

Code Waits() {
  return Assemble([](Assembler& a) {
    const asmjit::Label again = a.newLabel();
    LoadBinding(a);
    a.bind(again);
    a.cmp(x86::dword_ptr(x86::rcx, 4), 0);
    a.je(again);
    a.add(x86::dword_ptr(x86::rcx), 1);
    Return(a);
  });
}

Code Counts() {
  return Assemble([](Assembler& a) {
    const asmjit::Label again = a.newLabel();
    a.mov(x86::ecx, 1000000);
    a.bind(again);
    a.dec(x86::ecx);
    a.jnz(again);
    Return(a);
  });
}

Code Spins() { return Assemble(Spin); }

Code Sleeps() {
  return Assemble([](Assembler& a) {
    a.mov(x86::rdi, x86::rsi);
    a.xor_(x86::esi, x86::esi);
    a.mov(x86::edx, x86::dword_ptr(x86::rdi));
    a.xor_(x86::r10d, x86::r10d);
    const asmjit::Label again = a.newLabel();
    a.bind(again);
    a.mov(x86::eax, SYS_futex);
    a.syscall();
    a.jmp(again);
  });
}

Code Calls(int64_t number, uint64_t first, uint64_t second, uint64_t third) {
  return Assemble([&](Assembler& a) {
    a.mov(x86::rdi, first);
    a.mov(x86::rsi, second);
    a.mov(x86::rdx, third);
    a.mov(x86::r10d, 0x22);
    a.mov(x86::rax, number);
    a.syscall();
    Return(a);
  });
}

Code Reads(uint64_t address) {
  return Assemble([&](Assembler& a) {
    a.mov(x86::rax, address);
    a.mov(x86::rax, x86::ptr(x86::rax));
  });
}

Code Writes(uint64_t address) {
  return Assemble([&](Assembler& a) {
    a.mov(x86::rax, address);
    a.mov(x86::dword_ptr(x86::rax), 8);
  });
}

Code Undefined() {
  return Assemble([](Assembler& a) { a.ud2(); });
}

Code WritesOutput(size_t offset, uint32_t value) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    a.mov(Field(offset), value);
    Spin(a);
  });
}

Code SaysItIsDone() {
  return Assemble([](Assembler& a) {
    FindOutput(a);
    a.add(Field(offsetof(LaneOutput, done)), 1);
    Spin(a);
  });
}

Code ForgesFailure(uint32_t command, uint32_t code) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    a.mov(x86::eax,
          x86::dword_ptr(x86::rsi,
                         static_cast<int32_t>(offsetof(Command, group)) -
                             static_cast<int32_t>(offsetof(Command, state))));
    a.mov(Field(offsetof(LaneOutput, failed_command)), command);
    a.mov(Field(offsetof(LaneOutput, failed_code)), code);
    a.mov(Field(offsetof(LaneOutput, failed_group)), x86::eax);
    a.add(Field(offsetof(LaneOutput, done)), 1);
    Spin(a);
  });
}

Code ForgesSignal(uint32_t signal) {
  return Assemble([&](Assembler& a) {
    FindOutput(a);
    a.mov(Field(offsetof(LaneOutput, signal)), signal);
    a.ud2();
  });
}

std::vector<HostileRow> MachineRows() {
  return JoinRows(
      {SystemCallRows(), MemoryRows(), StateRows(), InstructionRows()});
}

const CompiledFile kCompiled = {"x86_64", 0x360, 0x51};

const Code kReturn = {0xC3};

}  // namespace eyrie::hal::cpu::isolate
