// The devices for the tests of this folder. The test that links them chooses
// the devices.
#ifndef EYRIE_TESTS_DEVICES_EACH_DEVICE_H_
#define EYRIE_TESTS_DEVICES_EACH_DEVICE_H_

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {

// Opens one kind of device.
struct DeviceMaker {
  std::string name;  // letters and digits
  // UNAVAILABLE: this machine has no such device; the message says why.
  std::function<absl::StatusOr<Ref<Device>>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const DeviceMaker& maker) {
  return out << maker.name;
}

// Returns the devices to test. Defined by each driver's test.
std::vector<DeviceMaker> DeviceMakers();

// Runs each test on every device, and skips devices that are unavailable.
class EachDevice : public ::testing::TestWithParam<DeviceMaker> {
 protected:
  void SetUp() override {
    absl::StatusOr<Ref<Device>> made = GetParam().make();
    if (absl::IsUnavailable(made.status())) GTEST_SKIP() << StatusText(made);
    ASSERT_EQ(StatusText(made), "OK");
    device_ = *std::move(made);
  }

  Ref<Device> device_;
};

inline std::string NameOfDevice(
    const ::testing::TestParamInfo<DeviceMaker>& info) {
  return info.param.name;
}

}  // namespace eyrie::hal

#endif  // EYRIE_TESTS_DEVICES_EACH_DEVICE_H_
