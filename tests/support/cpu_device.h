// CPU devices for tests, with device_helpers.h.
#ifndef EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_

#include <string>

#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/cpu/device.h"
#include "hal/cpu/task/device.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tests/support/device_helpers.h"  // for callers

namespace eyrie::hal::cpu {

inline Ref<hal::Device> NewDevice() {
  return CreateSyncDevice(DriverOptions());
}

// A driver with a number of threads, and what it shares.
struct DeviceKind {
  const char* name;
  const char* id;
  int threads;
  bool shares_everything = false;
};

inline constexpr DeviceKind kDeviceKinds[] = {
    {"sync", "local-sync", 1},
    {"task1", "local-task", 1},
    {"task2", "local-task", 2},
    {"task2shared", "local-task", 2, true},
    {"task7shared", "local-task", 7, true},
};

inline Ref<hal::Device> NewDevice(const DeviceKind& kind) {
  if (kind.id == kDeviceKinds[0].id) return NewDevice();
  Topology topology;
  topology.threads = kind.threads;
  return CreateTaskDevice(
      DriverOptions(), topology,
      kind.shares_everything ? SharingPolicy::Everything() : SharingPolicy());
}

// Runs each test on every kind of device.
class EachDevice : public ::testing::TestWithParam<DeviceKind> {
 protected:
  Ref<hal::Device> NewDevice() const { return cpu::NewDevice(GetParam()); }
};

inline auto AllDeviceKinds() { return ::testing::ValuesIn(kDeviceKinds); }
inline std::string NameOfKind(
    const ::testing::TestParamInfo<DeviceKind>& info) {
  return info.param.name;
}

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
