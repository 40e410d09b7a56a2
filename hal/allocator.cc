#include "hal/allocator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

constexpr size_t kNameWidth = 12;

std::string Line(absl::string_view name, const MemoryStatistics& statistics) {
  const auto bytes = [](uint64_t count) {
    return absl::Dec(count, absl::kSpacePad12);
  };
  const std::string indent(kNameWidth - std::min(kNameWidth, name.size()), ' ');
  return absl::StrCat(indent, name, ": ", bytes(statistics.peak), "B peak / ",
                      bytes(statistics.allocated), "B allocated / ",
                      bytes(statistics.freed), "B freed / ",
                      bytes(statistics.live()), "B live\n");
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
