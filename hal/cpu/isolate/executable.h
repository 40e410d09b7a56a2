// Executables whose kernels run in an isolated worker.
//
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_EXECUTABLE_H_
#define EYRIE_HAL_CPU_ISOLATE_EXECUTABLE_H_

#include <memory>

#include "hal/cpu/isolate/worker.h"
#include "hal/executable_loader.h"

namespace eyrie::hal::cpu::isolate {

// Creates a loader of embedded executables. All code of an
// executable runs in the worker. Loading fails as LoadExecutable does, and with
// UNIMPLEMENTED if the executable imports functions or has data that it writes.
std::shared_ptr<const ExecutableLoader> CreateIsolatedLoader(
    std::shared_ptr<Worker> worker);

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_EXECUTABLE_H_
