// What every kind of kernel executable keeps: its measured costs; and what it
// asks of bindings.
//
// Tested by task/sharing_test.cc, device_test.cc.
#include "hal/cpu/kernel_executable.h"

#include "absl/strings/str_cat.h"

namespace eyrie::hal::cpu {

absl::Status MisalignedBinding(size_t index, const void* data) {
  return absl::InvalidArgumentError(
      absl::StrCat("Binding ", index, " begins ",
                   reinterpret_cast<uintptr_t>(data) % kBufferAlignment,
                   " bytes past a multiple of ", kBufferAlignment,
                   "; kernels take aligned memory."));
}

KernelExecutable::~KernelExecutable() { delete[] costs_.load(); }

KernelCost* KernelExecutable::MakeCosts() const {
  KernelCost* made = new KernelCost[exports().size()];
  KernelCost* first = nullptr;
  if (costs_.compare_exchange_strong(first, made)) return made;
  delete[] made;
  return first;
}

}  // namespace eyrie::hal::cpu
