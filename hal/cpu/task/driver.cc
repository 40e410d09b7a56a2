// The local-task driver.
#include "hal/cpu/task/driver.h"

#include "base/status_macros.h"
#include "hal/cpu/driver.h"
#include "hal/cpu/task/device.h"
#include "hal/cpu/task/topology.h"

namespace eyrie::hal::cpu {

std::unique_ptr<Driver> CreateLocalTaskDriver() {
  return CreateCpuDriver(
      "local-task", "CPU kernels shared between threads",
      [](const DriverOptions& options) -> absl::StatusOr<Ref<hal::Device>> {
        ASSIGN_OR_RETURN(
            const Topology topology,
            ChooseTopology(options.Of<TaskOptions>(), ThisMachine()));
        return CreateTaskDevice(options, topology);
      });
}

}  // namespace eyrie::hal::cpu
