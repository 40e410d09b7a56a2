// Keeps used fences for reuse. Every call creates two or more, so reuse avoids
// the system's allocator.
//
// A timeline only rises, so a reused fence waits for a value above the one that
// its timeline has reached. Thread-safe and lock-free.
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_FENCE_STORE_H_
#define EYRIE_HAL_FENCE_STORE_H_

#include <array>
#include <atomic>
#include <cstddef>

#include "base/ref.h"

namespace eyrie::hal {

class Fence;

class FenceStore final : public RefObject {
 public:
  static constexpr RefType kType{"hal.fence_store"};

  FenceStore() : RefObject(kType) {}

  // Returns a fence not yet reached, on its own timeline; null if the store is
  // empty.
  Ref<Fence> Take();
  // Takes ownership of an unreferenced fence. Returns false if it is full or
  // closed; the caller then still owns the fence.
  bool Keep(Fence* fence);
  // Deletes all kept fences; from now on Keep returns false.
  void Close();

 private:
  std::array<std::atomic<Fence*>, 8> kept_ = {};
  std::atomic<bool> closed_{false};
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_STORE_H_
