// Tests machines that have no worker: nothing runs without isolation instead.
#include "gtest/gtest.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

TEST(Isolate, IsNotForThisMachine) {
  DriverOptions options;
  options.isolate = true;
  for (const char* name : {"local-sync", "local-task"}) {
    EXPECT_EQ(StatusText(OpenDevice(name, options)),
              "UNIMPLEMENTED: This build has no isolated workers; they exist "
              "for x86-64 and AArch64.");
  }
}

}  // namespace
}  // namespace eyrie::hal
