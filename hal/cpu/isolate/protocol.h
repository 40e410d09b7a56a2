// The memory that a host shares with its isolated worker, and the commands in
// it.
//
// The worker runs one thread for each lane. A lane is a ring of commands: the
// host fills a slot and counts `posted` up, the worker runs it and counts
// `done` up. The worker can write only LaneOutput and the data area, so it
// trusts everything else; the host reads each field of LaneOutput once and
// checks it (lane.h). All areas have the same addresses in both processes.
// docs/decisions/isolation.md has the reasons.
#ifndef EYRIE_HAL_CPU_ISOLATE_PROTOCOL_H_
#define EYRIE_HAL_CPU_ISOLATE_PROTOCOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hal/cpu/dispatch_abi.h"

namespace eyrie::hal::cpu::isolate {

inline constexpr uint64_t kVersion = 1;
inline constexpr size_t kPage = 65536;  // the largest of any system
inline constexpr uint32_t kMaxLanes = 64;
inline constexpr uint32_t kSlots = 32;  // of a lane's ring

// The open files that the worker finds when it starts.
inline constexpr int kControlFile = 3;
inline constexpr int kCodeFile = 4;
inline constexpr int kDataFile = 5;
inline constexpr int kHostFile = 6;  // a pidfd
inline constexpr int kFirstOtherFile = 7;

// The worker's answer for a dispatch that the host stopped.
inline constexpr int32_t kStoppedCode = INT32_MIN;

enum class CommandKind : uint32_t {
  kDispatch,    // workgroups [begin, end) of a kernel
  kInitialize,  // a function without arguments
  kQuery,       // a LibraryQuery, for `begin`, the version
};

struct alignas(64) Command {
  CommandKind kind;
  uint32_t group;        // a failure skips the later commands of its group
  uint32_t float_state;  // of the processor: the host's
  uint32_t processor;    // that kernels are told
  uint64_t function;
  const Environment* environment;
  uint64_t begin;
  uint64_t end;
  void* local_memory;
  uint32_t local_memory_size;
  DispatchState state;  // points into the arrays below
  uint32_t constants[kMaxDispatchConstants];
  void* pointers[kMaxDispatchBindings];
  size_t lengths[kMaxDispatchBindings];
};

// Written by the host alone; the worker maps it read-only.
struct alignas(kPage) LaneInput {
  alignas(64) std::atomic<uint32_t> posted;  // commands; a futex
  // If set, the worker must wake the host when `done` becomes `wanted`.
  alignas(64) std::atomic<uint32_t> host_sleeps;
  std::atomic<uint32_t> wanted;
  std::atomic<uint32_t> stopped_group;  // its dispatches must end early
  Command commands[kSlots];
};

// Written by the worker, and by nothing that can be trusted.
struct alignas(kPage) LaneOutput {
  alignas(64) std::atomic<uint32_t> done;  // commands; a futex
  alignas(64) std::atomic<uint32_t> worker_sleeps;
  // The last group with a failure, and its first failure: which command, and
  // the kernel's code.
  std::atomic<uint32_t> failed_group;
  std::atomic<uint32_t> failed_command;
  std::atomic<int32_t> failed_code;
  std::atomic<uint64_t> answer;  // of the last kQuery
  // The signal that ends the worker; 0: none.
  std::atomic<uint32_t> signal;
  std::atomic<uint32_t> system_call;
  std::atomic<uint64_t> address;  // that could not be accessed
  std::atomic<uint64_t> place;    // of the instruction
};

// The steps of a worker's start, for messages.
enum class Step : uint32_t {
  kNone,
  kRun,  // the worker runs
  kMapControl,
  kMapCode,
  kMapData,
  kMapStacks,
  kCloseFiles,
  kHandleSignals,
  kStartThreads,
  kSetLimits,
  kFilter,
  kReady,
};

// The worker's exit code if it cannot map the outputs, where it would report
// that.
inline constexpr int kNoPlaceForOutput = 4;

// The first page of the control area, which the host writes.
struct Setup {
  uint64_t version;
  uint32_t lanes;
  uint32_t spins;  // pauses of a thread before it sleeps
  uint64_t control;
  uint64_t input_size;    // bytes of `control` up to the outputs
  uint64_t control_size;  // whole
  uint64_t code;
  uint64_t code_size;
  uint64_t data;
  uint64_t data_size;
  uint64_t stack_size;  // of a thread; whole pages
};

// The first page of the outputs.
struct alignas(kPage) Progress {
  std::atomic<uint32_t> step;   // a Step; a futex
  std::atomic<uint32_t> error;  // an errno; 0: none
};

// The offsets in the control area.
constexpr uint64_t InputOffset(uint32_t lane) {
  return kPage + lane * sizeof(LaneInput);
}
constexpr uint64_t ProgressOffset(uint32_t lanes) { return InputOffset(lanes); }
constexpr uint64_t OutputOffset(uint32_t lanes, uint32_t lane) {
  return ProgressOffset(lanes) + sizeof(Progress) + lane * sizeof(LaneOutput);
}
constexpr uint64_t ControlSize(uint32_t lanes) {
  return OutputOffset(lanes, lanes);
}

static_assert(sizeof(Setup) <= kPage);
static_assert(sizeof(LaneInput) % kPage == 0);
static_assert(sizeof(LaneOutput) == kPage);
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_PROTOCOL_H_
