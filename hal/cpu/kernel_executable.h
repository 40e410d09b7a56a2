// Executables that can run ranges of a dispatch's workgroups on the host.
// Native code (native_executable.h) is one kind.
//
// Thread-safe, and immutable except for measured costs.
// Tested by device_test.cc, hal/module/inline_modules_test.cc.
#ifndef EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_
#define EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/trace.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/dispatch_stream.h"
#include "hal/cpu/kernel_cost.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {

// The workgroups of a dispatch from index `begin` to index `end` - 1. Indices
// count x first, then y, then z.
struct WorkgroupRange {
  uint64_t begin;
  uint64_t end;
};

// Returns all workgroups of a dispatch. Its counts must have passed
// ValidateWorkgroupCount.
inline WorkgroupRange AllWorkgroups(const DispatchState& state) {
  return {0, uint64_t{state.workgroup_count_x} * state.workgroup_count_y *
                 state.workgroup_count_z};
}

// The code of one export.
struct Kernel {
  DispatchFunction function = nullptr;
  uint32_t local_memory_size = 0;  // bytes of scratch per workgroup
};

// Native functions, one per export, in ordinal order.
struct NativeCode {
  std::span<const Kernel> kernels;
  const Environment* environment = nullptr;
};

// Creates the state that all workgroups of a dispatch share. It borrows the
// constants, pointers and lengths. `count` must have passed
// ValidateWorkgroupCount. At most kMaxDispatchConstants constants and
// kMaxDispatchBindings bindings.
inline DispatchState CreateDispatchState(const ExportInfo& info,
                                         const uint32_t (&count)[3],
                                         std::span<const uint32_t> constants,
                                         std::span<void* const> pointers,
                                         const size_t* lengths,
                                         int max_concurrency) {
  DispatchState state = {};
  state.workgroup_size_x = info.workgroup_size[0];
  state.workgroup_size_y = info.workgroup_size[1];
  state.workgroup_size_z = static_cast<uint16_t>(info.workgroup_size[2]);
  state.constant_count = static_cast<uint16_t>(constants.size());
  state.workgroup_count_x = count[0];
  state.workgroup_count_y = count[1];
  state.workgroup_count_z = static_cast<uint16_t>(count[2]);
  state.max_concurrency = static_cast<uint8_t>(std::min(max_concurrency, 255));
  state.binding_count = static_cast<uint8_t>(pointers.size());
  state.constants = constants.data();
  state.binding_pointers = pointers.data();
  state.binding_lengths = lengths;
  return state;
}

// Reports whether these bytes may be passed to kernels. Empty ranges may always
// be passed.
inline bool IsAligned(const void* data, size_t length) {
  return reinterpret_cast<uintptr_t>(data) % kBufferAlignment == 0 ||
         length == 0;
}
// Returns the error for a binding that is not aligned: INVALID_ARGUMENT.
absl::Status MisalignedBinding(size_t index, const void* data);

class KernelExecutable : public hal::Executable {
 public:
  // driver_tag() of every executable of this driver.
  static constexpr char kDriverTag = 0;

  // Returns the bytes of scratch that each workgroup of the export needs.
  virtual uint32_t local_memory_size(uint32_t ordinal) const = 0;

  // Returns the exports as native code, or null if they are not native.
  const NativeCode* native_code() const { return native_code_; }

  // Runs workgroups of a dispatch one after another on this thread. Other
  // threads may run other ranges of the same dispatch at the same time. `state`
  // must have the constants and bindings that the export's ExportInfo declares.
  // `local_memory` must have local_memory_size(ordinal) bytes, with any
  // contents. Bytecode takes its fuel from `work`; if that is null, from the
  // budget that the executable was created with. INTERNAL: a workgroup failed;
  // the rest of the range did not run.
  virtual absl::Status RunWorkgroups(uint32_t ordinal,
                                     const DispatchState& state,
                                     WorkgroupRange range,
                                     std::span<uint8_t> local_memory,
                                     WorkBudget* work) const = 0;

  // Runs workgroups as RunWorkgroups does, but binding i must not be written if
  // bit i of `read_only` is set: bytecode that writes it fails with
  // PERMISSION_DENIED. Native code ignores the mask.
  virtual absl::Status RunGuarded(uint32_t ordinal, const DispatchState& state,
                                  WorkgroupRange range,
                                  std::span<uint8_t> local_memory,
                                  uint64_t read_only, WorkBudget* work) const {
    return RunWorkgroups(ordinal, state, range, local_memory, work);
  }

  // Runs all workgroups on this thread. Copies read-only bindings that are not
  // aligned; memory() is charged for copies and local memory, and the
  // dispatch's budget pays for copies. INVALID_ARGUMENT: a writable binding is
  // not aligned. RESOURCE_EXHAUSTED: no memory. Otherwise fails as MovePaid and
  // RunGuarded do.
  absl::Status RunOnHost(const HostDispatch& dispatch) const final;

  // Identifies the process that runs the kernels; null: this one.
  const void* remote() const { return remote_; }
  // Returns a stream to that process, for this thread. Waits until one is free,
  // or `work` is stopped. Must not be called for kernels of this process.
  // FAILED_PRECONDITION: the process has ended.
  virtual absl::StatusOr<DispatchStream*> TakeStream(
      const WorkBudget* work) const;

  // The meter of the context that it was created for, which counts what its
  // dispatches allocate; null: no limit. Set it before the executable is
  // shared.
  const std::shared_ptr<MemoryMeter>& memory() const { return memory_; }
  void set_memory(std::shared_ptr<MemoryMeter> memory) {
    memory_ = std::move(memory);
  }

  // Returns the measured cost of an export's workgroups.
  KernelCost& cost(uint32_t ordinal) const { return record(ordinal).cost; }

  // Returns the result of `run()`, which must run these workgroups on this
  // thread. Adds its time to cost() if `due` is true, and to the trace if one
  // is being recorded.
  template <typename F>
  absl::Status Measure(uint32_t ordinal, const DispatchState& state,
                       WorkgroupRange range, bool due, const F& run) const {
    if (!due && !trace::IsRecording(trace::kEvents | trace::kDispatches))
        [[likely]] {
      return run();
    }
    return TakeTime(ordinal, state, range, due, run);
  }

 protected:
  KernelExecutable() : hal::Executable(&kDriverTag) {}
  ~KernelExecutable() override;

  // Owned by the subclass, which sets them in its constructor.
  const NativeCode* native_code_ = nullptr;
  const void* remote_ = nullptr;

 private:
  // Data of one export.
  struct Record {
    KernelCost cost;
    trace::NameCache trace_name;
  };

  Record& record(uint32_t ordinal) const {
    Record* records = records_.load(std::memory_order_acquire);
    if (records == nullptr) [[unlikely]]
      records = CreateRecords();
    return records[ordinal];
  }
  Record* CreateRecords() const;
  absl::Status TakeTime(uint32_t ordinal, const DispatchState& state,
                        WorkgroupRange range, bool due,
                        absl::FunctionRef<absl::Status()> run) const;

  std::shared_ptr<MemoryMeter> memory_;
  // One per export, created at first use. Owned.
  mutable std::atomic<Record*> records_{nullptr};
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_KERNEL_EXECUTABLE_H_
