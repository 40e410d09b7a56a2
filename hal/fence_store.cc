#include "hal/fence_store.h"

#include "base/lone_thread.h"
#include "hal/fence.h"

namespace eyrie::hal {

Ref<Fence> FenceStore::Take() {
  for (std::atomic<Fence*>& place : kept_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Fence* const fence =
        Exchange<Fence*>(place, nullptr, std::memory_order_seq_cst);
    if (fence != nullptr) return Ref<Fence>::Adopt(fence);
  }
  return nullptr;
}

bool FenceStore::Keep(Fence* fence) {
  for (std::atomic<Fence*>& place : kept_) {
    Fence* none = nullptr;
    if (place.load(std::memory_order_relaxed) != nullptr ||
        !CompareExchange(place, none, fence, std::memory_order_seq_cst)) {
      continue;
    }
    // Close may have passed this place already; then take the fence back.
    Fence* mine = fence;
    return !closed_.load() || !place.compare_exchange_strong(mine, nullptr);
  }
  return false;
}

void FenceStore::Close() {
  closed_.store(true);
  // This drops the last reference. Keep returns false now, so the fence is
  // deleted.
  for (std::atomic<Fence*>& place : kept_) {
    Ref<Fence>::Adopt(place.exchange(nullptr)).reset();
  }
}

}  // namespace eyrie::hal
