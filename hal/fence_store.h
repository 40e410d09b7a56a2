// Fences that are over, kept for new ones: a call makes two or more, and what
// they are made of goes to the system's allocator no more.
//
// A timeline only rises, so a kept fence waits for a value above what its
// timeline has reached. Thread-safe, without a lock.
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

  // A fence not yet reached, on a timeline of its own; null: none is kept.
  Ref<Fence> Take();
  // Takes over a fence that nobody holds; false: there is no room.
  bool Keep(Fence* fence);
  // Lets go of all that is kept, and keeps nothing more.
  void Close();

 private:
  std::array<std::atomic<Fence*>, 8> kept_ = {};
  std::atomic<bool> closed_{false};
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_STORE_H_
