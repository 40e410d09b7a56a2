// Charged allocation, and the text of statistics.
//
// Tested by cpu/allocator_test.cc.
#include "hal/allocator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

std::string Line(absl::string_view name, const MemoryStatistics& statistics) {
  return absl::StrFormat(
      "%12s: %12dB peak / %12dB allocated / %12dB freed / %12dB live\n", name,
      statistics.peak, statistics.allocated, statistics.freed,
      statistics.live());
}

}  // namespace

absl::StatusOr<MemoryCharge> Allocator::Charge(
    const std::shared_ptr<MemoryMeter>& memory, uint64_t size,
    absl::string_view what) const {
  if (memory == nullptr) [[likely]]
    return MemoryCharge();
  return MemoryCharge::Take(memory, Footprint(size), what);
}

absl::StatusOr<Ref<Buffer>> Allocator::AllocateCharged(
    const std::shared_ptr<MemoryMeter>& memory, absl::string_view what,
    const BufferParams& params, uint64_t size) {
  ASSIGN_OR_RETURN(MemoryCharge charge, Charge(memory, size, what));
  ASSIGN_OR_RETURN(Ref<Buffer> buffer, Allocate(params, size));
  buffer->Hold(std::move(charge));
  return buffer;
}

std::string AllocatorStatistics::ToString() const {
  return absl::StrCat(Line("HOST_LOCAL", host_local),
                      Line("DEVICE_LOCAL", device_local));
}

}  // namespace eyrie::hal
