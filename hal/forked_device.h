// Devices with threads in a child of fork(), where their threads do not exist.
//
// Such a device fails every operation there, waits for nothing, and is never
// destroyed. A device without threads goes on.
// Tested by tests/devices/fork_rows.cc.
#ifndef EYRIE_HAL_FORKED_DEVICE_H_
#define EYRIE_HAL_FORKED_DEVICE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/fork_mark.h"
#include "hal/device.h"

namespace eyrie::hal {

// Asked of a device as a category: 1 if this process is a child of the one that
// opened it and it has threads, 0 if it has some and is not, nothing if it has
// none.
inline constexpr char kForkedQuery[] = "eyrie.forked";

// What a device with threads says of itself.
inline absl::Status CheckProcess(const Device& device, const ForkMark& mark) {
  if (!mark.IsForked()) [[likely]]
    return absl::OkStatus();
  return mark.Check(absl::StrCat("Device '", device.id(), "'"));
}

// FAILED_PRECONDITION: the device has threads, and they do not exist here.
inline absl::Status CheckProcess(const Device& device) {
  if (device.Query(kForkedQuery, "").value_or(0) == 0) return absl::OkStatus();
  return ForkMark::Forked(absl::StrCat("Device '", device.id(), "'"));
}

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FORKED_DEVICE_H_
