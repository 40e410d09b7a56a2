// Runs workgroups of a bytecode executable on one thread. A worker has a
// context of the executable's module, and buffers that lend it the memory of a
// dispatch.
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
#include "vm/object/list.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"

namespace eyrie::hal::vmvx {

// The calling convention of every entry point: local memory, constants, the
// list of bindings; the workgroup's id, size and count, each by x, y, z.
inline constexpr char kEntryConvention[] = "0rrriiiiiiiii_v";

// Data that all workers of one executable share.
struct WorkerParams {
  std::shared_ptr<const vm::Module> vmvx;  // the imports of the program
  std::shared_ptr<const vm::BytecodeModule> program;
  // By ordinal: the kernel's index in ModuleDef::exports.
  std::vector<uint32_t> kernels;
  uint32_t binding_capacity = 0;    // the most bindings of any kernel
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
  // Links the program, runs its initializer and sets its specialization
  // constants. INVALID_ARGUMENT: it takes constants and none are given, or the
  // other way round. RESOURCE_EXHAUSTED: over the limit of params.memory, or
  // memory ran out. Otherwise fails as vm::Context::Create does.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(
      const WorkerParams& params);

  // See KernelExecutable::RunGuarded. Does not allocate; the program may.
  absl::Status Run(uint32_t ordinal, const cpu::DispatchState& state,
                   cpu::WorkgroupRange range, std::span<uint8_t> local_memory,
                   uint64_t read_only, WorkBudget* work);

 private:
  Worker() = default;

  absl::Status SetConstants(std::span<const uint32_t> constants);
  // Shows the memory of a dispatch in the worker's buffers.
  absl::Status Lend(const cpu::DispatchState& state,
                    std::span<uint8_t> local_memory, uint64_t read_only);
  // Makes the buffers empty, because the program may have kept them.
  void TakeBack();

  MemoryCharge charge_;  // for the members below
  std::unique_ptr<vm::Context> context_;
  std::vector<vm::Function> entries_;  // by ordinal
  Ref<vm::Buffer> local_memory_ = vm::Buffer::Window();
  Ref<vm::Buffer> constants_ = vm::Buffer::Window();
  std::vector<Ref<vm::Buffer>> bindings_;
  Ref<vm::List> list_;  // of bindings_
};

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_WORKER_H_
