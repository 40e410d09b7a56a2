// The program of an isolated worker: runs kernels for a host and can do nothing
// else.
//
// It has no C library and is linked statically. It maps what the host shares,
// closes all files, and gives up all system calls except waiting on a futex and
// ending. What follows may be hostile: kernels can write all memory of this
// program that is not read-only, so nothing here protects the host; the
// mappings and the filter do. Tested by isolate_test.cc.
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/pause.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/protocol.h"
#include "hal/cpu/isolate/worker_filter.h"
#include "hal/cpu/isolate/worker_system.h"
#include "hal/cpu/machine/signal_place.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// The stack of signal handlers: AMX alone saves 8 KiB there, SVE as much.
constexpr uint64_t kSignalStack = kPage;

// Kernels cannot write it, so that the handler of their faults works.
struct alignas(kPage) Fixed {
  Setup setup;
  // Per lane: a guard page, its stack, a guard page, the stack for signals.
  uintptr_t stacks;
};
Fixed fixed;
Setup& setup = fixed.setup;
uintptr_t& stacks = fixed.stacks;
std::atomic<uint32_t> started;

uint64_t StackStride() { return 2 * kPage + setup.stack_size + kSignalStack; }
uintptr_t StackBegin(uint32_t lane) {
  return stacks + lane * StackStride() + kPage;
}
uintptr_t StackTop(uint32_t lane) {
  return StackBegin(lane) + setup.stack_size;
}
uintptr_t SignalStack(uint32_t lane) { return StackTop(lane) + kPage; }

const LaneInput& InputOf(uint32_t lane) {
  return *reinterpret_cast<const LaneInput*>(setup.control + InputOffset(lane));
}
LaneOutput& OutputOf(uint32_t lane) {
  return *reinterpret_cast<LaneOutput*>(setup.control +
                                        OutputOffset(setup.lanes, lane));
}
Progress& TheProgress() {
  return *reinterpret_cast<Progress*>(setup.control +
                                      ProgressOffset(setup.lanes));
}

void Wake(std::atomic<uint32_t>& word) {
  System(SYS_futex, Word(&word), FUTEX_WAKE, 1);
}

void Report(Step step, long result) {
  Progress& progress = TheProgress();
  progress.error.store(static_cast<uint32_t>(-result),
                       std::memory_order_relaxed);
  progress.step.store(static_cast<uint32_t>(step), std::memory_order_release);
  Wake(progress.step);
}

// Ends the start if the system refused a step.
void Check(Step step, long result) {
  if (!IsError(result)) return;
  Report(step, result);
  Exit(1);
}

// --- Commands

int32_t RunDispatch(const Command& command, const LaneInput& input) {
  const DispatchState& state = command.state;
  const auto function = reinterpret_cast<DispatchFunction>(command.function);
  WorkgroupState workgroup = {};
  uint64_t index = command.begin;
  if (index != 0) {
    workgroup.workgroup_id_x =
        static_cast<uint32_t>(index % state.workgroup_count_x);
    const uint64_t row = index / state.workgroup_count_x;
    workgroup.workgroup_id_y =
        static_cast<uint32_t>(row % state.workgroup_count_y);
    workgroup.workgroup_id_z =
        static_cast<uint16_t>(row / state.workgroup_count_y);
  }
  workgroup.processor_id = command.processor;
  workgroup.local_memory = command.local_memory;
  workgroup.local_memory_size = command.local_memory_size;
  for (; index != command.end; ++index) {
    if (input.stopped_group.load(std::memory_order_relaxed) == command.group) {
      return kStoppedCode;
    }
    const int code = function(command.environment, &state, &workgroup);
    if (code != 0) return code;
    if (++workgroup.workgroup_id_x != state.workgroup_count_x) continue;
    workgroup.workgroup_id_x = 0;
    if (++workgroup.workgroup_id_y != state.workgroup_count_y) continue;
    workgroup.workgroup_id_y = 0;
    ++workgroup.workgroup_id_z;
  }
  return 0;
}

int32_t Run(const Command& command, const LaneInput& input,
            LaneOutput& output) {
  SetFloatState(command.float_state);
  switch (command.kind) {
    case CommandKind::kDispatch:
      return RunDispatch(command, input);
    case CommandKind::kInitialize:
      ForgetInstructions();
      reinterpret_cast<void (*)()>(command.function)();
      return 0;
    case CommandKind::kQuery:
      ForgetInstructions();
      output.answer.store(
          reinterpret_cast<uintptr_t>(
              reinterpret_cast<LibraryQuery>(command.function)(
                  static_cast<uint32_t>(command.begin), command.environment)),
          std::memory_order_relaxed);
      return 0;
  }
  return 0;
}

// Waits until the host has posted more than `done` commands.
void WaitForCommand(const LaneInput& input, LaneOutput& output, uint32_t done) {
  for (uint32_t i = 0; i < setup.spins; ++i) {
    if (input.posted.load(std::memory_order_acquire) != done) return;
    Pause();
  }
  while (input.posted.load(std::memory_order_acquire) == done) {
    output.worker_sleeps.store(1);
    if (input.posted.load() == done) {
      System(SYS_futex, Word(&input.posted), FUTEX_WAIT,
             static_cast<long>(done));
    }
    output.worker_sleeps.store(0, std::memory_order_relaxed);
  }
}

void RunLane(uint32_t lane) {
  const LaneInput& input = InputOf(lane);
  LaneOutput& output = OutputOf(lane);
  uint32_t failed_group = 0;
  for (uint32_t done = 0;;) {
    WaitForCommand(input, output, done);
    const Command& command = input.commands[done % kSlots];
    if (command.group != failed_group) {
      const int32_t code = Run(command, input, output);
      if (code != 0) {
        failed_group = command.group;
        output.failed_command.store(done, std::memory_order_relaxed);
        output.failed_code.store(code, std::memory_order_relaxed);
        output.failed_group.store(failed_group, std::memory_order_release);
      }
    }
    output.done.store(++done);
    if (input.host_sleeps.load() != 0 && input.wanted.load() == done) {
      Wake(output.done);
    }
  }
}

// --- Start

void TakeSignals(uint32_t lane) {
  stack_t stack = {};
  stack.ss_sp = reinterpret_cast<void*>(SignalStack(lane));
  stack.ss_size = kSignalStack;
  Check(Step::kHandleSignals, System(SYS_sigaltstack, Word(&stack)));
}

void RunThread(uintptr_t argument) {
  const auto lane = static_cast<uint32_t>(argument);
  TakeSignals(lane);
  started.fetch_add(1);
  Wake(started);
  RunLane(lane);
}

// Reports the signal and ends this process.
void OnSignal(int number, siginfo_t* info, void* context) {
  const auto here = reinterpret_cast<uintptr_t>(&number);
  uint32_t lane = 0;
  while (lane + 1 < setup.lanes && here >= SignalStack(lane) + kSignalStack) {
    ++lane;
  }
  LaneOutput& output = OutputOf(lane);
  output.place.store(SignalPlace(context));
  output.address.store(reinterpret_cast<uintptr_t>(info->si_addr));
  if (number == SIGSYS) {
    output.system_call.store(static_cast<uint32_t>(info->si_syscall));
  }
  output.signal.store(static_cast<uint32_t>(number));
  Exit(1);
}

// The host wants this process to end, or has ended.
void OnEnd(int, siginfo_t*, void*) { Exit(1); }

// Handlers do not return.
[[noreturn]] void ReturnFromSignal() { __builtin_trap(); }

void Handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct {  // the kernel's form of sigaction
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    uint64_t mask;
  } action = {handler, SA_SIGINFO | SA_ONSTACK | 0x04000000, ReturnFromSignal,
              ~uint64_t{0}};
  Check(Step::kHandleSignals, System(SYS_rt_sigaction, number, Word(&action), 0,
                                     sizeof(action.mask)));
}

void HandleSignals() {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  for (const int number : kFaults) Handle(number, OnSignal);
  Handle(SIGIO, OnEnd);
  const uint64_t none = 0;
  Check(Step::kHandleSignals,
        System(SYS_rt_sigprocmask, SIG_SETMASK, Word(&none), 0, sizeof(none)));
}

long Map(uint64_t address, uint64_t size, int rights, int flags, int file,
         uint64_t offset) {
  const long result =
      System(SYS_mmap, static_cast<long>(address), static_cast<long>(size),
             rights, flags | (address != 0 ? MAP_FIXED_NOREPLACE : 0), file,
             static_cast<long>(offset));
  // Systems before MAP_FIXED_NOREPLACE choose another address.
  const bool is_elsewhere = !IsError(result) && address != 0 &&
                            static_cast<uint64_t>(result) != address;
  return is_elsewhere ? -17 : result;  // EEXIST
}

void MapShared() {
  const long first = Map(0, kPage, PROT_READ, MAP_SHARED, kControlFile, 0);
  if (IsError(first)) Exit(2);
  setup = *reinterpret_cast<const Setup*>(first);
  if (setup.version != kVersion || setup.lanes == 0 ||
      setup.lanes > kMaxLanes) {
    Exit(3);
  }
  System(SYS_munmap, first, kPage);
  const uint64_t outputs = setup.control + setup.input_size;
  if (IsError(Map(outputs, setup.control_size - setup.input_size,
                  PROT_READ | PROT_WRITE, MAP_SHARED, kControlFile,
                  setup.input_size))) {
    Exit(kNoPlaceForOutput);
  }
  Check(Step::kMapControl, Map(setup.control, setup.input_size, PROT_READ,
                               MAP_SHARED, kControlFile, 0));
  Check(Step::kMapCode, Map(setup.code, setup.code_size, PROT_READ | PROT_EXEC,
                            MAP_SHARED, kCodeFile, 0));
  Check(Step::kMapData, Map(setup.data, setup.data_size, PROT_READ | PROT_WRITE,
                            MAP_SHARED, kDataFile, 0));
  const long memory = Map(0, setup.lanes * StackStride(), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  Check(Step::kMapStacks, memory);
  stacks = static_cast<uintptr_t>(memory);
  for (uint32_t lane = 0; lane < setup.lanes; ++lane) {
    Check(Step::kMapStacks,
          System(SYS_mprotect, static_cast<long>(StackBegin(lane)),
                 static_cast<long>(setup.stack_size), PROT_READ | PROT_WRITE));
    Check(Step::kMapStacks,
          System(SYS_mprotect, static_cast<long>(SignalStack(lane)),
                 kSignalStack, PROT_READ | PROT_WRITE));
  }
  Check(Step::kMapStacks,
        System(SYS_mprotect, Word(&fixed), sizeof(fixed), PROT_READ));
}

void StartThreads() {
  constexpr long kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                          CLONE_THREAD | CLONE_SYSVSEM;
  for (uint32_t lane = 1; lane < setup.lanes; ++lane) {
    Check(Step::kStartThreads, Clone(kFlags, StackTop(lane), RunThread, lane));
  }
  // All threads have their stacks for signals before the filter forbids that.
  while (true) {
    const uint32_t now = started.load();
    if (now == setup.lanes - 1) return;
    System(SYS_futex, Word(&started), FUTEX_WAIT, static_cast<long>(now));
  }
}

void SetLimits() {
  // The limit of memory is last, because the others need none.
  constexpr int kLimits[] = {RLIMIT_CORE,  RLIMIT_NOFILE,  RLIMIT_NPROC,
                             RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE,
                             RLIMIT_AS};
  const rlimit none = {0, 0};
  for (const int limit : kLimits) {
    Check(Step::kSetLimits, System(SYS_prlimit64, 0, limit, Word(&none), 0));
  }
}

void Filter() {
  auto code = WorkerFilter({kAuditMachine, SYS_exit_group, SYS_futex});
  sock_fprog program = {code.size(), code.data()};
  Check(Step::kFilter, System(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  const long result = System(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                             SECCOMP_FILTER_FLAG_TSYNC, Word(&program));
  Check(Step::kFilter, result);
  if (result != 0) Check(Step::kFilter, -3);  // a thread refuses: ESRCH
}

// Ends this process if the host ended before it asked for this end, too.
void FollowHost() {
  pollfd host = {kHostFile, POLLIN, 0};
  timespec at_once = {};
  if (System(SYS_ppoll, Word(&host), 1, Word(&at_once)) != 0) Exit(1);
}

void Start(uintptr_t) {
  // The start of a program with other rights than its caller's, as of a setuid
  // host, undoes what spawn.cc asked for.
  System(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  System(SYS_chdir, Word("/"));  // the host's folder can be unmounted
  FollowHost();
  Check(Step::kCloseFiles, System(SYS_close_range, 0, ~0u, 0));
  HandleSignals();
  TakeSignals(0);
  StartThreads();
  System(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  System(SYS_prctl, PR_SET_NAME, Word("eyrie-worker"), 0, 0, 0);
  SetLimits();
  Filter();
  Report(Step::kReady, 0);
  RunLane(0);
}

void ShareAndStart(uintptr_t) {
  MapShared();
  ContinueOn(StackTop(0), Start, 0);
}

}  // namespace

// Continues on the system's stack, aligned.
[[noreturn]] void Begin(uintptr_t frame) {
  ContinueOn(frame & ~uintptr_t{63}, ShareAndStart, 0);
}

}  // namespace eyrie::hal::cpu::isolate

// Compilers call these for assignments and initializers. The barriers keep them
// from making calls of these loops.
extern "C" void* memcpy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[i];
    __asm__ volatile("" : : : "memory");
  }
  return to;
}
extern "C" void* memset(void* to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(value);
    __asm__ volatile("" : : : "memory");
  }
  return to;
}

// The first instructions.
extern "C" [[noreturn]] void EyrieWorkerMain() {
  eyrie::hal::cpu::isolate::Begin(
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}
