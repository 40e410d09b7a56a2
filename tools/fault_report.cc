// The handler only uses what signal handlers may use: it does not allocate or
// lock.
#include "tools/fault_report.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "hal/cpu/code_places.h"
#include "hal/cpu/machine/signal_place.h"

namespace eyrie::tools {
namespace {

struct Fault {
  int signal;
  absl::string_view name;
  bool has_address;  // of the memory that was accessed
};

constexpr Fault kFaults[] = {
    {SIGSEGV, "SIGSEGV", true},
    {SIGBUS, "SIGBUS", true},
    {SIGILL, "SIGILL", false},
    {SIGFPE, "SIGFPE", false},
};

constexpr size_t kMaxName = 200;  // bytes

// A line of bounded length. What does not fit is left out.
class Line {
 public:
  Line& Add(absl::string_view text) {
    for (const char c : text) {
      if (size_ == kMost) break;
      text_[size_++] = c >= ' ' && c <= '~' ? c : '?';
    }
    return *this;
  }
  Line& AddHex(uint64_t value) {
    char digits[16];
    const auto end =
        std::to_chars(digits, digits + sizeof(digits), value, 16).ptr;
    return Add("0x").Add({digits, static_cast<size_t>(end - digits)});
  }
  void Print() {
    text_[size_] = '\n';
    (void)!write(STDERR_FILENO, text_, size_ + 1);
  }

 private:
  static constexpr size_t kMost = 1000;  // bytes
  char text_[kMost + 1];
  size_t size_ = 0;
};

// The signal's action is the default again, and the instruction runs again.
void Handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code <= 0) {  // a process sent it
    raise(signal);
    return;
  }
  const std::optional<hal::cpu::CodePlace> place =
      hal::cpu::FindCodePlace(hal::cpu::SignalPlace(context));
  if (!place) return;
  for (const Fault& fault : kFaults) {
    if (fault.signal != signal) continue;
    Line line;
    line.Add("eyrie: The process ends: ").Add(fault.name);
    if (fault.has_address) {
      // The system does not know addresses that no memory can have.
      if (info->si_code == SI_KERNEL) {
        line.Add(" at an unknown address");
      } else {
        line.Add(" at address ");
        line.AddHex(reinterpret_cast<uintptr_t>(info->si_addr));
      }
    }
    line.Add(" in the dispatch '").Add(place->kernel.substr(0, kMaxName));
    line.Add("', by the instruction at address ").AddHex(place->address);
    line.Add(
        " of the executable. An input may be out of range, for example an "
        "index of a table. With --isolate, the call fails instead.");
    line.Print();
  }
}

}  // namespace

void ReportFaults() {
  // A stack of its own, since the fault may be an overflow of the stack.
  alignas(16) static char stack[16 << 10];
  const stack_t own = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof(stack)};
  sigaltstack(&own, nullptr);
  for (const Fault& fault : kFaults) {
    struct sigaction action = {};
    if (sigaction(fault.signal, nullptr, &action) != 0) continue;
    if (action.sa_handler != SIG_DFL) continue;  // a sanitizer's, for example
    action.sa_sigaction = Handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigaction(fault.signal, &action, nullptr);
  }
}

}  // namespace eyrie::tools
