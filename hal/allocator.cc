#include "hal/allocator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

constexpr size_t kNameWidth = 12;

absl::Dec Bytes(uint64_t count) { return absl::Dec(count, absl::kSpacePad12); }

std::string Line(absl::string_view name, const MemoryStatistics& statistics) {
  const std::string indent(kNameWidth - std::min(kNameWidth, name.size()), ' ');
  return absl::StrCat(indent, name, ": ", Bytes(statistics.peak), "B peak / ",
                      Bytes(statistics.allocated), "B allocated / ",
                      Bytes(statistics.freed), "B freed / ",
                      Bytes(statistics.live()), "B live\n");
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

absl::StatusOr<Ref<Buffer>> Allocator::AllocateExternal(const BufferParams&,
                                                        uint64_t,
                                                        ExternalMemory&) {
  return absl::UnimplementedError(
      "Only Vulkan devices have memory that is exported by descriptors.");
}

absl::StatusOr<Ref<Buffer>> Allocator::ImportExternal(const BufferParams&,
                                                      uint64_t,
                                                      const ExternalMemory&) {
  return absl::UnimplementedError(
      "Only Vulkan devices import memory by descriptors.");
}

std::string AllocatorStatistics::ToString() const {
  std::string text = absl::StrCat(
      Line("HOST_LOCAL", host_local), Line("DEVICE_LOCAL", device_local),
      "        IDLE: ", Bytes(idle), "B kept for new buffers\n");
  if (shared) {
    absl::StrAppend(&text, "      COPIED: ", Bytes(shared->bytes), "B of ",
                    shared->arrays, shared->arrays == 1 ? " array" : " arrays",
                    " for isolated kernels\n",
                    "   COMMITTED: ", Bytes(shared->most_committed),
                    "B peak / ", Bytes(shared->committed),
                    "B live for buffers, executables and copies\n");
  }
  return text;
}

}  // namespace eyrie::hal
