// Executables with kernels that are C++ functions of the test.
#ifndef EYRIE_TESTS_SUPPORT_FAKE_EXECUTABLE_H_
#define EYRIE_TESTS_SUPPORT_FAKE_EXECUTABLE_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ref.h"
#include "hal/cpu/native_executable.h"
#include "hal/executable.h"

namespace eyrie {

struct FakeKernel {
  const char* name;
  uint32_t constant_count;
  uint32_t binding_count;
  hal::cpu::DispatchFunction function;
  uint32_t local_memory_size = 0;
};

class FakeExecutable final : public hal::cpu::NativeExecutable {
 public:
  explicit FakeExecutable(std::span<const FakeKernel> kernels) {
    for (const FakeKernel& kernel : kernels) {
      exports_.push_back({.name = kernel.name,
                          .constant_count = kernel.constant_count,
                          .binding_count = kernel.binding_count});
      functions_.push_back({kernel.function, kernel.local_memory_size});
    }
    code_ = {functions_, &no_environment_};
  }
  std::span<const hal::ExportInfo> exports() const override { return exports_; }

 private:
  std::vector<hal::ExportInfo> exports_;
  std::vector<hal::cpu::Kernel> functions_;
  hal::cpu::Environment no_environment_ = {};
};

inline Ref<hal::Executable> CreateFakeExecutable(
    std::vector<FakeKernel> kernels) {
  return MakeRef<FakeExecutable>(kernels);
}

// A kernel that doubles its word of binding 0. Atomic, because tests may read
// the words while it runs.
inline int DoubleKernel(const hal::cpu::Environment*,
                        const hal::cpu::DispatchState* dispatch,
                        const hal::cpu::WorkgroupState* workgroup) {
  auto* words = static_cast<uint32_t*>(dispatch->binding_pointers[0]);
  uint32_t* const word = words + workgroup->workgroup_id_x;
  __atomic_store_n(word, 2 * *word, __ATOMIC_RELEASE);
  return 0;
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_FAKE_EXECUTABLE_H_
