// The list of drivers of a program that loads no shared libraries: those that
// need none. It stands in place of all_drivers.cc.
//
// Tested by tools/static_test.sh.
#include <memory>
#include <vector>

#include "hal/cpu/driver.h"
#include "hal/cpu/task/driver.h"
#include "hal/driver.h"

namespace eyrie::hal {

std::vector<std::unique_ptr<Driver>> AllDrivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(cpu::MakeLocalSyncDriver());
  drivers.push_back(cpu::MakeLocalTaskDriver());
  return drivers;
}

}  // namespace eyrie::hal
