// Interprets the worker's filter for every system call, with the numbers of
// each machine, so that no machine is needed to test them.
#include "hal/cpu/isolate/worker_filter.h"

#include <elf.h>
#include <linux/audit.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "gtest/gtest.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// Returns a filter's answer, or nothing if the program is wrong. The system
// knows more instructions, which this filter does not use.
std::optional<uint32_t> Answer(std::span<const sock_filter> code,
                               const seccomp_data& data) {
  uint32_t value = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    const sock_filter& line = code[i];
    switch (line.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (line.k % 4 != 0 || line.k + 4 > sizeof(data)) return std::nullopt;
        std::memcpy(&value, reinterpret_cast<const uint8_t*>(&data) + line.k,
                    4);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        i += value == line.k ? line.jt : line.jf;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        i += value > line.k ? line.jt : line.jf;
        break;
      case BPF_RET | BPF_K:
        return line.k;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// The numbers of the systems' headers, of which a compiler has one machine's.
struct FilteredMachine {
  const char* name;
  FilterNumbers numbers;
  uint32_t other_architecture;  // that the machine also runs
};

constexpr FilteredMachine kMachines[] = {
    {"x86_64", {AUDIT_ARCH_X86_64, 231, 202}, AUDIT_ARCH_I386},
    {"aarch64", {AUDIT_ARCH_AARCH64, 94, 98}, AUDIT_ARCH_ARM},
};

constexpr uint32_t kLastCall = 1023;
constexpr uint32_t kX32 = 0x40000000;  // added to the numbers of the x32 ABI
constexpr uint32_t kPrivate = FUTEX_PRIVATE_FLAG;

seccomp_data CallOf(uint32_t architecture, uint32_t number,
                    uint64_t operation) {
  seccomp_data data = {};
  data.nr = static_cast<int>(number);
  data.arch = architecture;
  data.args[1] = operation;
  return data;
}

TEST(WorkerFilter, PermitsWaitingAndEnding) {
  for (const FilteredMachine& machine : kMachines) {
    const auto code = WorkerFilter(machine.numbers);
    for (uint32_t number = 0; number <= kLastCall; ++number) {
      for (const uint64_t operation :
           {uint64_t{FUTEX_WAIT}, uint64_t{FUTEX_WAKE}, uint64_t{FUTEX_FD},
            uint64_t{FUTEX_REQUEUE}, uint64_t{kPrivate | FUTEX_WAIT},
            ~uint64_t{0}}) {
        const bool permitted =
            number == machine.numbers.exit_group ||
            (number == machine.numbers.futex && operation <= FUTEX_WAKE);
        EXPECT_EQ(Answer(code, CallOf(machine.numbers.architecture, number,
                                      operation)),
                  permitted ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP)
            << machine.name << " " << number << " " << operation;
      }
    }
  }
}

TEST(WorkerFilter, RefusesNumbersOfOtherCalls) {
  for (const FilteredMachine& machine : kMachines) {
    const auto code = WorkerFilter(machine.numbers);
    for (const uint32_t number :
         {machine.numbers.futex | kX32, machine.numbers.exit_group | kX32,
          ~uint32_t{0}}) {
      EXPECT_EQ(Answer(code, CallOf(machine.numbers.architecture, number, 0)),
                SECCOMP_RET_TRAP)
          << machine.name << " " << number;
    }
  }
}

// Numbers have other meanings there: on i386, 231 is fgetxattr.
TEST(WorkerFilter, EndsCallsOfOtherArchitectures) {
  for (const FilteredMachine& machine : kMachines) {
    const auto code = WorkerFilter(machine.numbers);
    for (uint32_t number = 0; number <= kLastCall; ++number) {
      EXPECT_EQ(Answer(code, CallOf(machine.other_architecture, number, 0)),
                SECCOMP_RET_KILL_PROCESS)
          << machine.name << " " << number;
    }
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate
