// Cancels the calls of several contexts, starting from their creation.
//
//   options.cancellation = std::make_shared<Cancellation>();
//   … Context::Create(modules, options) on some threads …
//   options.cancellation->Cancel();  // on another
// Tested by vm/run/limits_test.cc.
#ifndef EYRIE_VM_LIMITS_CANCELLATION_H_
#define EYRIE_VM_LIMITS_CANCELLATION_H_

#include <mutex>
#include <vector>

namespace eyrie::vm {

class Context;
class Meter;

// Thread-safe.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Cancels all contexts created with it, now or later, as Context::Cancel
  // does; also during their __init and __deinit. Takes a lock, so it must not
  // be called by a signal handler.
  void Cancel();
  bool IsCancelled() const;

 private:
  friend class Context;

  void Add(Meter* meter);
  void Remove(Meter* meter);

  mutable std::mutex mutex_;  // guards the members below
  bool is_cancelled_ = false;
  std::vector<Meter*> meters_;  // of the contexts
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_CANCELLATION_H_
