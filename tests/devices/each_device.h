// The devices that the rows of this folder run on: those of whichever test
// links them.
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

// One way to have a device.
struct DeviceMaker {
  std::string name;  // letters and digits
  // UNAVAILABLE: this machine has no such device; the sentence says why.
  std::function<absl::StatusOr<Ref<Device>>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const DeviceMaker& maker) {
  return out << maker.name;
}

// Every driver's test that links the rows defines it.
std::vector<DeviceMaker> DeviceMakers();

// Tests that run on each of them.
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
