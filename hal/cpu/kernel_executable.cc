// What every kind of kernel executable keeps: its measured costs.
//
// Tested by task/sharing_test.cc.
#include "hal/cpu/kernel_executable.h"

namespace eyrie::hal::cpu {

KernelExecutable::~KernelExecutable() { delete[] costs_.load(); }

KernelCost* KernelExecutable::MakeCosts() const {
  KernelCost* made = new KernelCost[exports().size()];
  KernelCost* first = nullptr;
  if (costs_.compare_exchange_strong(first, made)) return made;
  delete[] made;
  return first;
}

}  // namespace eyrie::hal::cpu
