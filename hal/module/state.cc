// What a context allocates is told apart by owner.
#include "hal/module/state.h"

#include <utility>

namespace eyrie::hal {

HalModuleState::HalModuleState(std::shared_ptr<const HalModuleConfig> config)
    : config_(std::move(config)) {
  for (const Ref<Device>& device : devices()) {
    Allocator& allocator = device->allocator();
    owners_.push_back({&allocator, allocator.NewOwner()});
  }
}

BufferParams HalModuleState::MakeParams(const Allocator& allocator,
                                        int32_t memory_types,
                                        int32_t buffer_usage,
                                        int64_t queue_affinity) const {
  BufferParams params;
  params.type = static_cast<MemoryType>(memory_types);
  params.usage = static_cast<BufferUsage>(buffer_usage);
  params.affinity = static_cast<QueueAffinity>(queue_affinity);
  for (const Owner& owner : owners_) {
    if (owner.allocator == &allocator) params.owner = owner.id;
  }
  return params;
}

}  // namespace eyrie::hal
