#include "hal/cpu/isolate/hostile_rows.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>

#include "absl/strings/str_cat.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {

uint64_t host_word = 7;

const char kPastDeadline[] =
    "DEADLINE_EXCEEDED: The device's work is stopped: the call takes longer "
    "than its limit of time (100ms). ('hostile' did not stop, so its isolated "
    "worker was ended)";

namespace {

namespace x86 = asmjit::x86;
using x86::Assembler;

constexpr char kImpossible[] = "it was ended because it wrote an impossible";

// Loads the address of the first binding.
void LoadBinding(Assembler& a) {
  a.mov(x86::rcx,
        x86::ptr(x86::rsi, offsetof(DispatchState, binding_pointers)));
  a.mov(x86::rcx, x86::ptr(x86::rcx));
}

void Return(Assembler& a, int code = 0) {
  a.mov(x86::eax, code);
  a.ret();
}

// Makes a system call.
Code Calls(int number, uint64_t first, uint64_t second, uint64_t third) {
  return [=](Assembler& a) {
    a.mov(x86::rdi, first);
    a.mov(x86::rsi, second);
    a.mov(x86::rdx, third);
    a.mov(x86::r10d, 0x22);
    a.mov(x86::eax, number);
    a.syscall();
    Return(a);
  };
}

std::vector<HostileRow> SystemCallRows() {
  const auto self = static_cast<uint64_t>(getpid());
  const struct {
    const char* name;
    int number;
    uint64_t arguments[3];
  } kRows[] = {
      {"open", SYS_open, {0, O_CREAT | O_RDWR}},
      {"openat", SYS_openat, {}},
      {"read", SYS_read, {}},
      {"write", SYS_write, {1}},
      {"unlink", SYS_unlink, {}},
      {"socket", SYS_socket, {2, 1}},
      {"fork", SYS_fork, {}},
      {"clone", SYS_clone, {SIGCHLD}},
      {"execve", SYS_execve, {}},
      {"ptrace", SYS_ptrace, {}},
      {"kill the host", SYS_kill, {self, SIGKILL}},
      {"ask for the parent", SYS_getppid, {}},
      {"map executable memory", SYS_mmap, {0, 4096, 7}},
      {"make code writable", SYS_mprotect, {0x401000, 4096, 7}},
      {"unmap code", SYS_munmap, {0x401000, 4096}},
      {"grow the heap", SYS_brk, {}},
      {"write the host's memory", SYS_process_vm_writev, {self}},
      {"io_uring", SYS_io_uring_setup, {}},
      {"handle signals", SYS_rt_sigaction, {SIGSEGV}},
      {"add a filter", SYS_seccomp, {}},
      {"change a futex's memory", SYS_futex, {0, 6}},
      {"numbers of x32", 0x40000001, {1}},
      {"end a thread", SYS_exit, {}},
  };
  std::vector<HostileRow> rows;
  for (const auto& row : kRows) {
    rows.push_back({row.name,
                    Calls(row.number, row.arguments[0], row.arguments[1],
                          row.arguments[2]),
                    absl::StrCat("SIGSYS: the system call ", row.number, " ")});
  }
  rows.push_back(
      {"end well", Calls(SYS_exit_group, 0, 0, 0), "it exited with code 0"});
  rows.push_back({"end like a signal", Calls(SYS_exit_group, 1, 0, 0),
                  "it exited with code 1"});
  rows.push_back({"32-bit calls",
                  [](Assembler& a) {
                    a.mov(x86::eax, 1);
                    a.int_(0x80);
                    Return(a);
                  },
                  ": SIG"});
  return rows;
}

std::vector<HostileRow> MemoryRows() {
  const auto word = reinterpret_cast<uintptr_t>(&host_word);
  const std::string at_word =
      absl::StrCat("SIGSEGV at address 0x", absl::Hex(word));
  return {
      {"read at null", [](Assembler& a) { a.mov(x86::rax, x86::ptr(0)); },
       "SIGSEGV at address 0x0 "},
      {"read the host",
       [=](Assembler& a) {
         a.mov(x86::rax, word);
         a.mov(x86::rax, x86::ptr(x86::rax));
       },
       at_word},
      {"write the host",
       [=](Assembler& a) {
         a.mov(x86::rax, word);
         a.mov(x86::dword_ptr(x86::rax), 8);
       },
       at_word},
      {"write code",
       [](Assembler& a) {
         a.embed("\x48\x8d\x05\0\0\0\0", 7);  // lea rax, [rip]
         a.mov(x86::dword_ptr(x86::rax), 8);
       },
       "SIGSEGV"},
      {"write a command",
       [](Assembler& a) { a.mov(x86::dword_ptr(x86::rsi), 8); }, "SIGSEGV",
       true},
      {"run data",
       [](Assembler& a) {
         LoadBinding(a);
         a.mov(x86::byte_ptr(x86::rcx), 0xc3);
         a.jmp(x86::rcx);
       },
       "SIGSEGV", true},
      {"use all of the data area",
       [](Assembler& a) {
         LoadBinding(a);
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.mov(x86::byte_ptr(x86::rcx), 1);
         a.add(x86::rcx, 4096);
         a.jmp(again);
       },
       "SIGBUS", true},
      {"recursion",
       [](Assembler& a) {
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.sub(x86::rsp, 1000);
         a.call(again);
       },
       "SIGSEGV"},
      {"no stack",
       [](Assembler& a) {
         a.xor_(x86::esp, x86::esp);
         a.push(x86::rax);
       },
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
      {"one step at a time",
       [](Assembler& a) {
         SetFlags(a, 0x100);
         Spin(a);
       },
       "SIGTRAP"},
      {"only aligned accesses",
       [](Assembler& a) {
         SetFlags(a, 0x40000);
         a.mov(x86::eax, x86::dword_ptr(x86::rsp, -15));
         Spin(a);
       },
       "SIGBUS"},
      {"jump to no address",
       [](Assembler& a) {
         a.mov(x86::rax, uint64_t{1} << 47);
         a.jmp(x86::rax);
       },
       "SIGSEGV at address 0x0 "},
      {"the system's page at a fixed address",
       [](Assembler& a) {
         a.mov(x86::rax, 0xffffffffff600000);
         a.call(x86::rax);
         Spin(a);
       },
       ": SIGS"},
      {"forbid its data, and its handlers'",
       [](Assembler& a) {
         a.mov(x86::eax, ~0u);
         a.xor_(x86::ecx, x86::ecx);
         a.xor_(x86::edx, x86::edx);
         a.embed("\x0f\x01\xef", 3);  // wrpkru
         a.push(x86::rax);
       },
       ": SIG"},
      {"a fault on the handlers' stack",
       [](Assembler& a) {
         a.or_(x86::rsp, kPage - 1);
         a.add(x86::rsp, kPage + 65);
         a.ud2();
       },
       "SIG", true},
      {"wipe the worker's own data", WipeWorker, ": SIG"},
  };
}

std::vector<HostileRow> InstructionRows() {
  return {
      {"invalid instruction", [](Assembler& a) { a.ud2(); }, "SIGILL"},
      {"middle of an instruction",
       [](Assembler& a) {
         a.embed("\xeb\x01\xb8\x0f\x0b", 5);  // jumps into mov's constant
       },
       "SIGILL"},
      {"breakpoint",
       [](Assembler& a) {
         a.xor_(x86::eax, x86::eax);
         a.int3();
       },
       "SIGTRAP"},
      {"privileged", [](Assembler& a) { a.hlt(); }, "SIGSEGV"},
      {"division by zero",
       [](Assembler& a) {
         a.xor_(x86::ecx, x86::ecx);
         a.div(x86::ecx);
       },
       "SIGFPE"},
      {"return elsewhere",
       [](Assembler& a) {
         a.mov(x86::eax, 1);
         a.push(x86::rax);
         a.ret();
       },
       "SIGSEGV at address 0x1 "},
      {"spin", Spin, kPastDeadline, true},
      {"sleep for ever",
       [](Assembler& a) {
         a.mov(x86::rdi, x86::rsi);
         a.xor_(x86::esi, x86::esi);
         a.mov(x86::edx, x86::dword_ptr(x86::rdi));
         a.xor_(x86::r10d, x86::r10d);
         const asmjit::Label again = a.newLabel();
         a.bind(again);
         a.mov(x86::eax, SYS_futex);
         a.syscall();
         a.jmp(again);
       },
       kPastDeadline, true},
      {"failure", [](Assembler& a) { Return(a, 5); },
       "INTERNAL: Dispatch 'hostile' failed with code 5.", true},
  };
}

// Puts the address of the first lane's output into rcx.
void FindOutput(Assembler& a) {
  const uint32_t lanes =
      std::clamp(std::thread::hardware_concurrency(), 2u, kMaxLanes);
  a.mov(x86::rcx, x86::rsi);
  a.and_(x86::rcx, -static_cast<int64_t>(kPage));
  a.add(x86::rcx,
        static_cast<int32_t>(OutputOffset(lanes, 0) - InputOffset(0)));
}

x86::Mem Field(size_t offset) {
  return x86::dword_ptr(x86::rcx, static_cast<int32_t>(offset));
}

Code Writes(size_t offset, uint32_t value) {
  return [=](Assembler& a) {
    FindOutput(a);
    a.mov(Field(offset), value);
    Spin(a);
  };
}

// Says that a command of the right group has failed, and that all are done.
Code ForgesFailure(uint32_t command, uint32_t code) {
  return [=](Assembler& a) {
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
  };
}

std::vector<HostileRow> RingRows() {
  return {
      {"count too far", Writes(offsetof(LaneOutput, done), 1000), kImpossible,
       true},
      {"count backwards", Writes(offsetof(LaneOutput, done), ~0u - 5),
       kImpossible, true},
      {"another group's failure",
       Writes(offsetof(LaneOutput, failed_group), 99), kPastDeadline, true},
      {"failure of no command", ForgesFailure(12345, 1), kImpossible, true},
      {"failure without a code", ForgesFailure(0, 0), kImpossible, true},
      {"forged signal",
       [](Assembler& a) {
         FindOutput(a);
         a.mov(Field(offsetof(LaneOutput, signal)), 999);
         a.ud2();
       },
       "SIGILL", true},
  };
}

}  // namespace

std::vector<HostileRow> HostileRows() {
  std::vector<HostileRow> all;
  for (const auto& rows : {SystemCallRows(), MemoryRows(), StateRows(),
                           InstructionRows(), RingRows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

void AddKernel(Assembler& a) {
  a.mov(x86::rax, x86::ptr(x86::rsi, offsetof(DispatchState, constants)));
  a.mov(x86::eax, x86::dword_ptr(x86::rax));
  LoadBinding(a);
  a.mov(x86::edx, x86::dword_ptr(x86::rdx));
  a.add(x86::dword_ptr(x86::rcx, x86::rdx, 2), x86::eax);
  Return(a);
}

void CountsItselfDone(Assembler& a) {
  FindOutput(a);
  a.add(Field(offsetof(LaneOutput, done)), 1);
  Spin(a);
}

void Spin(Assembler& a) {
  const asmjit::Label again = a.newLabel();
  a.bind(again);
  a.jmp(again);
}

}  // namespace eyrie::hal::cpu::isolate
