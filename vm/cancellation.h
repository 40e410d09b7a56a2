// An order to end the calls of several contexts, from their creation on.
//
//   options.cancellation = std::make_shared<Cancellation>();
//   … Context::Create(modules, options) on some threads …
//   options.cancellation->Cancel();  // on another
// Tested by limits_test.cc, tools/check/check_test.txt.
#ifndef EYRIE_VM_CANCELLATION_H_
#define EYRIE_VM_CANCELLATION_H_

#include <mutex>
#include <vector>

namespace eyrie::vm {

class Context;

// Thread-safe.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Cancels, as Context::Cancel does, all contexts that have been created with
  // it and those that will be, their __init and __deinit included. Takes a
  // lock: not for a signal handler.
  void Cancel();

 private:
  friend class Context;

  void Add(Context* context);
  void Remove(Context* context);

  std::mutex mutex_;  // guards what follows
  bool is_cancelled_ = false;
  std::vector<Context*> contexts_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_CANCELLATION_H_
