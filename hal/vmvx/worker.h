// Runs workgroups of a bytecode executable on one thread: a context of the
// executable's module, and the buffers through which it sees a dispatch.
//
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_VMVX_WORKER_H_
#define EYRIE_HAL_VMVX_WORKER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/kernel_executable.h"
#include "vm/object/buffer.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/object/list.h"

namespace eyrie::hal::vmvx {

// The calling convention of every entry point: local memory, constants, the
// list of bindings; the workgroup's id, size and count, each by x, y, z.
inline constexpr char kEntryConvention[] = "0rrriiiiiiiii_v";

// Data that all workers of one executable share.
struct WorkerParams {
  std::shared_ptr<const vm::Module> vmvx;  // what the program imports
  std::shared_ptr<const vm::BytecodeModule> program;
  // By ordinal: the kernel's index in ModuleDef::exports.
  std::vector<uint32_t> kernels;
  uint32_t binding_capacity = 0;    // the most that any entry takes
  std::vector<uint32_t> constants;  // specialization constants
  std::shared_ptr<WorkBudget> work;
  std::shared_ptr<MemoryMeter> memory;
  std::shared_ptr<const vm::Jit> jit;  // may be null
};

// The export that receives the specialization constants.
inline constexpr absl::string_view kSetConstantsExport = "__set_constants";

// Thread-compatible. A worker that has failed must not be used again.
class Worker {
 public:
  // Links the program and runs its initializer. INVALID_ARGUMENT: it takes
  // specialization constants and none are given, or the other way; else as
  // vm::Context::Create.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(
      const WorkerParams& params);

  // See KernelExecutable::RunGuarded. Allocates nothing of its own.
  absl::Status Run(uint32_t ordinal, const cpu::DispatchState& state,
                   cpu::WorkgroupRange range, std::span<uint8_t> local_memory,
                   uint64_t read_only);

 private:
  Worker() = default;

  absl::Status SetConstants(std::span<const uint32_t> constants);
  absl::Status Lend(const cpu::DispatchState& state,
                    std::span<uint8_t> local_memory, uint64_t read_only);
  void TakeBack();

  MemoryCharge charge_;  // of what follows
  std::unique_ptr<vm::Context> context_;
  std::vector<vm::Function> entries_;  // by ordinal
  Ref<vm::Buffer> local_memory_ = vm::Buffer::Window();
  Ref<vm::Buffer> constants_ = vm::Buffer::Window();
  std::vector<Ref<vm::Buffer>> bindings_;
  Ref<vm::List> list_;  // of them
};

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_WORKER_H_
