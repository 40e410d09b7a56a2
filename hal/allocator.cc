// The text of an allocator's statistics.
//
// Tested by cpu/allocator_test.cc.
#include "hal/allocator.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace eyrie::hal {
namespace {

std::string Line(absl::string_view name, const MemoryStatistics& statistics) {
  return absl::StrFormat(
      "%12s: %12dB peak / %12dB allocated / %12dB freed / %12dB live\n", name,
      statistics.peak, statistics.allocated, statistics.freed,
      statistics.live());
}

}  // namespace

std::string AllocatorStatistics::ToString() const {
  return absl::StrCat(Line("HOST_LOCAL", host_local),
                      Line("DEVICE_LOCAL", device_local));
}

}  // namespace eyrie::hal
