// Executables that are VM modules, in the format "vmvx-bytecode-fb": each
// export is a kernel that the interpreter runs.
//
// The module is verified like any other and contains no native code. It may
// import only the `vmvx` module (module.h).
// Tested by executable_test.cc, testing/executable_fuzz.cc.
#ifndef EYRIE_HAL_VMVX_EXECUTABLE_H_
#define EYRIE_HAL_VMVX_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/cpu/kernel_executable.h"
#include "hal/executable_loader.h"
#include "hal/vmvx/worker.h"

namespace eyrie::hal::vmvx {

inline constexpr char kFormat[] = "vmvx-bytecode-fb";

// Returns a loader for DriverOptions::loaders. `jit` compiles kernels; if it is
// null, all are interpreted.
std::shared_ptr<const ExecutableLoader> CreateLoader(
    std::shared_ptr<const vm::Jit> jit = nullptr);

class Executable final : public cpu::KernelExecutable {
 public:
  // Verifies the module, and the calling conventions and attributes of its
  // exports, then creates the first worker. Copies the file. NOT_FOUND: it
  // imports a function that `vmvx` does not have. RESOURCE_EXHAUSTED: over the
  // limit of params.memory, which must have room for decoding in the worst
  // case; the executable keeps a charge for its actual size. Otherwise fails as
  // vm::VerifiedModule::Verify and Worker::Create do.
  static absl::StatusOr<Ref<hal::Executable>> Load(
      const ExecutableParams& params, std::shared_ptr<const vm::Module> vmvx,
      std::shared_ptr<const vm::Jit> jit);

  // Returns the exports without creating a worker. Fails as Load does, but
  // checks no imports, specialization constants or memory limit.
  static absl::StatusOr<ExecutableFacts> Describe(
      std::span<const uint8_t> data);

  std::span<const ExportInfo> exports() const override { return exports_; }
  uint32_t local_memory_size(uint32_t ordinal) const override {
    return local_memory_sizes_[ordinal];
  }
  // Uses a free worker, or creates one. Allocates nothing else. Fails as
  // Worker::Create does, as the bytecode does, or as `work` says.
  absl::Status RunWorkgroups(uint32_t ordinal, const cpu::DispatchState& state,
                             cpu::WorkgroupRange range,
                             std::span<uint8_t> local_memory,
                             WorkBudget* work) const override {
    return RunGuarded(ordinal, state, range, local_memory, /*read_only=*/0,
                      work);
  }
  absl::Status RunGuarded(uint32_t ordinal, const cpu::DispatchState& state,
                          cpu::WorkgroupRange range,
                          std::span<uint8_t> local_memory, uint64_t read_only,
                          WorkBudget* work) const override;

 private:
  Executable() = default;
  absl::Status AddExports();
  absl::StatusOr<std::unique_ptr<Worker>> TakeWorker() const;

  MemoryCharge charge_;  // for the members below, without workers
  WorkerParams params_;
  std::vector<ExportInfo> exports_;
  std::vector<uint32_t> local_memory_sizes_;
  mutable std::mutex mutex_;  // guards free_
  mutable std::vector<std::unique_ptr<Worker>> free_;
};

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_EXECUTABLE_H_
