// Devices with threads after fork(): their threads do not exist in the child.
//
// In the child, every operation of such a device fails and no wait blocks; the
// device is never destroyed. Devices without threads continue to work.
// Tested by tests/devices/fork_rows.cc.
#ifndef EYRIE_HAL_FORKED_DEVICE_H_
#define EYRIE_HAL_FORKED_DEVICE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/fork_mark.h"
#include "hal/device.h"

namespace eyrie::hal {

// Category for Device::Query. For a device with threads, the answer is 1 in a
// forked child of the process that opened it, else 0; nullopt for other
// devices.
inline constexpr char kForkedQuery[] = "eyrie.forked";

// The check that a device with threads makes of itself; `mark` is from when it
// was opened. FAILED_PRECONDITION: as below.
inline absl::Status CheckProcess(const Device& device, const ForkMark& mark) {
  if (!mark.IsForked()) [[likely]]
    return absl::OkStatus();
  return mark.Check(absl::StrCat("Device '", device.id(), "'"));
}

// FAILED_PRECONDITION: the device has threads, and this is a forked child where
// they do not exist.
inline absl::Status CheckProcess(const Device& device) {
  if (device.Query(kForkedQuery, "").value_or(0) == 0) return absl::OkStatus();
  return ForkMark::Forked(absl::StrCat("Device '", device.id(), "'"));
}

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FORKED_DEVICE_H_
