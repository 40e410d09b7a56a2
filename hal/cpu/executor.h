// Runs recorded commands on the calling thread.
//
// Thread-compatible; the table has passed ValidateTable, and outlives all.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_EXECUTOR_H_
#define EYRIE_HAL_CPU_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/work_budget.h"
#include "hal/collectives/channel.h"
#include "hal/command_buffer.h"
#include "hal/cpu/allocator.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/kernel_executable.h"

namespace eyrie::hal::cpu {

// A range as the host sees it.
struct HostBytes {
  uint8_t* data;
  uint64_t length;
};

// A dispatch with nothing left to look up. The state points into the command
// and at what the caller gave for the bindings.
struct ResolvedDispatch {
  const KernelExecutable* executable = nullptr;
  uint32_t ordinal;
  DispatchState state;
};

// A fill, an update or a copy with nothing left to look up. A copy between
// slots may overlap: nothing has compared them.
struct ResolvedTransfer {
  const Command* command;
  const uint8_t* source;  // null: a fill
  HostBytes target;

  bool Overlaps() const {
    const auto from = reinterpret_cast<uintptr_t>(source);
    const auto to = reinterpret_cast<uintptr_t>(target.data);
    return from < to + target.length && to < from + target.length;
  }
};

// Finds what commands name. FAILED_PRECONDITION: a buffer that the host cannot
// see, or an executable of another driver. INVALID_ARGUMENT: workgroup counts,
// a binding's alignment or a copy's lengths that show only now.
class CommandResolver {
 public:
  // `max_concurrency` is what kernels are told of the threads.
  CommandResolver(std::span<const BufferBinding> table, int max_concurrency)
      : table_(table), max_concurrency_(max_concurrency) {}

  absl::StatusOr<HostBytes> Resolve(const RecordedRef& ref) const;
  // Any command that moves bytes.
  absl::StatusOr<ResolvedTransfer> ResolveTransfer(
      const Command& command) const;
  // The arrays have room for as many bindings as the dispatch has, which are
  // at most kMaxDispatchBindings.
  absl::Status Resolve(const DispatchCommand& command, void** pointers,
                       size_t* lengths, ResolvedDispatch& dispatch) const;

 private:
  absl::StatusOr<ResolvedTransfer> ResolveCopy(
      const CopyCommand& command) const;
  // Of a dispatch whose counts a buffer has.
  absl::Status ReadCounts(const DispatchCommand& command,
                          uint32_t (&count)[3]) const;
  absl::Status ResolveBindings(const DispatchCommand& command, void** pointers,
                               size_t* lengths) const;

  std::span<const BufferBinding> table_;
  int max_concurrency_;
};

// Both ranges of a collective; empty where it does not use them.
absl::StatusOr<CollectiveRanges> Resolve(const CommandResolver& resolver,
                                         const CollectiveCommand& command);
// Runs a collective on a channel of one rank, which waits for nobody and pays
// for the bytes that it receives.
absl::Status RunAlone(const CollectiveCommand& command,
                      const CollectiveRanges& ranges, WorkBudget* work);

// Does `length` bytes of a transfer from `begin` on, a multiple of 8; one that
// overlaps is done as a whole. Fails as MovePaid.
absl::Status RunTransfer(const ResolvedTransfer& transfer, uint64_t begin,
                         uint64_t length, WorkBudget* work);

// Some of a buffer's commands: [begin, end), of null up to the last.
struct CommandRange {
  const Command* begin;
  const Command* end;
};

// Runs finalized commands in order, up to the first that fails. `allocator`
// gives workgroups their local memory; `work` pays, and may be null.
// `measures`: what kernels cost is measured now and then. Fails as
// CommandResolver and MovePaid do, or INTERNAL: a kernel fails.
absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table, Allocator& allocator,
                     WorkBudget* work, int max_concurrency = 1,
                     bool measures = false);
// The same for some of the commands.
absl::Status ExecuteRange(const CommandBuffer& commands,
                          const CommandRange& range,
                          std::span<const BufferBinding> table,
                          Allocator& allocator, WorkBudget* work,
                          int max_concurrency, bool measures);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_EXECUTOR_H_
