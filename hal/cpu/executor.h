// Runs recorded commands on the calling thread.
//
// Thread-compatible. The table must have passed ValidateTable and must outlive
// everything here.
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

// A range of host memory.
struct HostBytes {
  uint8_t* data;
  uint64_t length;
};

// A fully resolved dispatch. The state points into the command and at the
// caller's arrays for bindings.
struct ResolvedDispatch {
  const KernelExecutable* executable = nullptr;
  uint32_t ordinal;
  uint64_t read_only = 0;  // bit i: binding i must not be written
  DispatchState state;

  // Runs workgroups as KernelExecutable::RunGuarded does.
  absl::Status Run(WorkgroupRange range, std::span<uint8_t> local_memory,
                   WorkBudget* work) const {
    if (read_only == 0) [[likely]] {
      return executable->RunWorkgroups(ordinal, state, range, local_memory,
                                       work);
    }
    return executable->RunGuarded(ordinal, state, range, local_memory,
                                  read_only, work);
  }
};

// A fully resolved fill, update or copy. The ranges of a copy between binding
// slots may overlap.
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

// Resolves the buffers and executables of commands. FAILED_PRECONDITION: the
// host cannot access a buffer, or an executable is of another driver.
// INVALID_ARGUMENT: workgroup counts, the alignment of a binding or the lengths
// of a copy are invalid, which can be checked only now.
class CommandResolver {
 public:
  // `max_concurrency` is the number of threads that kernels are told.
  CommandResolver(std::span<const BufferBinding> table, int max_concurrency)
      : table_(table), max_concurrency_(max_concurrency) {}

  absl::StatusOr<HostBytes> Resolve(const RecordedRef& ref) const;
  // `command` must be a fill, an update or a copy.
  absl::StatusOr<ResolvedTransfer> ResolveTransfer(
      const Command& command) const;
  // The arrays must have room for all bindings of the dispatch, at most
  // kMaxDispatchBindings.
  absl::Status Resolve(const DispatchCommand& command, void** pointers,
                       size_t* lengths, ResolvedDispatch& dispatch) const;

 private:
  absl::StatusOr<ResolvedTransfer> ResolveCopy(
      const CopyCommand& command) const;
  // Reads the workgroup counts of an indirect dispatch from its buffer.
  absl::Status ReadCounts(const DispatchCommand& command,
                          uint32_t (&count)[3]) const;
  absl::Status ResolveBindings(const DispatchCommand& command, void** pointers,
                               size_t* lengths, uint64_t& read_only) const;

  std::span<const BufferBinding> table_;
  int max_concurrency_;
};

// Returns both ranges of a collective. A range that it does not use is empty.
absl::StatusOr<CollectiveRanges> Resolve(const CommandResolver& resolver,
                                         const CollectiveCommand& command);
// Runs a collective on a channel of one rank. Does not wait; charges for the
// bytes that it receives.
absl::Status RunAlone(const CollectiveCommand& command,
                      const CollectiveRanges& ranges, WorkBudget* work);

// Runs `length` bytes of a transfer, from offset `begin` on, which must be a
// multiple of 8. An overlapping copy must run in one call. Fails as MovePaid
// does.
absl::Status RunTransfer(const ResolvedTransfer& transfer, uint64_t begin,
                         uint64_t length, WorkBudget* work);

// Some commands of a buffer: [begin, end). A null `end` means up to the last
// command; if `begin` is null, too, the range is empty.
struct CommandRange {
  const Command* begin;
  const Command* end;
};

// Runs finalized commands in order, up to the first that fails. Allocates local
// memory of workgroups from `allocator`. Charges `work`, which may be null. If
// `measures` is true, sometimes measures the cost of kernels. Fails as
// CommandResolver and MovePaid do, or with INTERNAL if a kernel fails.
absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table, Allocator& allocator,
                     WorkBudget* work, int max_concurrency = 1,
                     bool measures = false);
// Executes only a range of the commands, as Execute does.
absl::Status ExecuteRange(const CommandBuffer& commands,
                          const CommandRange& range,
                          std::span<const BufferBinding> table,
                          Allocator& allocator, WorkBudget* work,
                          int max_concurrency, bool measures);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_EXECUTOR_H_
