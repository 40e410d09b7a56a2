#include "hal/module/state.h"

#include <algorithm>
#include <utility>

namespace eyrie::hal {

HalModuleState::HalModuleState(std::shared_ptr<const HalModuleConfig> config)
    : config_(std::move(config)) {
  for (const Ref<Device>& device : devices()) {
    Allocator& allocator = device->allocator();
    owners_.push_back({&allocator, allocator.NewOwner()});
  }
}

HalModuleState::~HalModuleState() {
  for (const Ref<Device>& device : devices()) device->CancelQueued(this);
}

void HalModuleState::WorkOnManyPoints(const Fence* wait, const Fence* signal) {
  WorkOnPoints(wait).IgnoreError();
  WorkOnPoints(signal).IgnoreError();
}

BufferParams HalModuleState::CreateParams(const Allocator& allocator,
                                          int32_t memory_types,
                                          int32_t buffer_usage,
                                          int64_t queue_affinity) const {
  BufferParams params;
  params.type = static_cast<MemoryType>(memory_types);
  params.usage = static_cast<BufferUsage>(buffer_usage);
  params.affinity = static_cast<QueueAffinity>(queue_affinity);
  if (meter() != nullptr) params.work = meter()->work().get();
  for (const Owner& owner : owners_) {
    if (owner.allocator == &allocator) params.owner = owner.id;
  }
  return params;
}

absl::StatusOr<Ref<Buffer>> HalModuleState::Observed(
    absl::StatusOr<Ref<Buffer>> allocated) const {
  if (options().observer != nullptr && allocated.ok()) {
    RETURN_IF_ERROR(options().observer->Allocated(**allocated));
  }
  return allocated;
}

absl::StatusOr<Ref<Buffer>> HalModuleState::Allocate(Allocator& allocator,
                                                     const BufferParams& params,
                                                     uint64_t size) const {
  return Observed(
      allocator.AllocateCharged(memory(), "a device buffer", params, size));
}

absl::Status HalModuleState::WriteBytes(Buffer& target,
                                        std::span<const uint8_t> bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  for (size_t done = 0; done < bytes.size(); done += kPiece) {
    const auto piece =
        bytes.subspan(done, std::min(bytes.size() - done, kPiece));
    RETURN_IF_ERROR(WorkOnBytes(piece.size()));
    RETURN_IF_ERROR(target.Write(done, piece));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref<Buffer>> HalModuleState::AllocateCopy(
    Allocator& allocator, BufferParams params, std::span<const uint8_t> bytes) {
  params.type |= memory_type::kHostVisible;
  params.usage |= buffer_usage::kMappingScoped;
  ASSIGN_OR_RETURN(Ref<Buffer> copy, Allocate(allocator, params, bytes.size()));
  RETURN_IF_ERROR(WriteBytes(*copy, bytes));
  return copy;
}

absl::StatusOr<Ref<Buffer>> HalModuleState::Subspan(Buffer& source,
                                                    uint64_t offset,
                                                    uint64_t length) const {
  // A range of the whole buffer is the buffer itself, which is charged already.
  if (offset == 0 && (length == source.byte_length() || length == kWholeBuffer))
      [[likely]] {
    return Ref<Buffer>::Share(&source);
  }
  ASSIGN_OR_RETURN(
      Ref<Buffer> range,
      Buffer::Subspan(Ref<Buffer>::Share(&source), offset, length));
  return Charged<Buffer>(std::move(range), sizeof(Buffer), "a range");
}

}  // namespace eyrie::hal
