// The list of all drivers, in ascending order of names.
//
// Tested by cpu/device_test.cc.
#include <memory>
#include <vector>

#include "hal/cpu/driver.h"
#include "hal/cpu/task/driver.h"
#include "hal/driver.h"
#include "hal/vulkan/driver.h"

namespace eyrie::hal {

std::vector<std::unique_ptr<Driver>> AllDrivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(cpu::CreateLocalSyncDriver());
  drivers.push_back(cpu::CreateLocalTaskDriver());
  drivers.push_back(vulkan::CreateVulkanDriver());
  return drivers;
}

}  // namespace eyrie::hal
