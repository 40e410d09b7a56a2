// A counted object that may hold the charge for the memory it takes.
//
// Tested by memory_meter_test.cc.
#ifndef EYRIE_BASE_CHARGED_OBJECT_H_
#define EYRIE_BASE_CHARGED_OBJECT_H_

#include <utility>

#include "base/memory_meter.h"
#include "base/ref.h"

namespace eyrie {

class ChargedObject : public RefObject {
 public:
  // Keeps `charge` until the object is destroyed. Releases an earlier charge.
  // Must be called before the object is shared with other threads.
  void Hold(MemoryCharge charge) { charge_ = std::move(charge); }

 protected:
  explicit ChargedObject(const RefType& type) : RefObject(type) {}

  // For objects that grow, or that return to a free list when unreferenced.
  MemoryCharge& charge() { return charge_; }

 private:
  MemoryCharge charge_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_CHARGED_OBJECT_H_
