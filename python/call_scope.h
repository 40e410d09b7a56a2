// A call without the GIL, which Ctrl-C or an exception of the log's may end.
//
//   CallScope scope;                       // with the GIL
//   auto result = [&] {
//     const WithoutGil release;
//     const CallScope::Within within(scope, context);
//     return context.Call(...);
//   }();
//   if (!result || scope.failed()) scope.ThrowCause();
// Tested by ended_calls_test.py.
#ifndef EYRIE_PYTHON_CALL_SCOPE_H_
#define EYRIE_PYTHON_CALL_SCOPE_H_

#include <nanobind/nanobind.h>

#include <optional>

#include "eyrie/runtime.h"

namespace eyrie::python {

namespace nb = nanobind;

// Says that no thread has a call: in the child of a fork.
void ForgetCalls();

// Signals are the main thread's. One that comes in its call ends the call if
// Python would raise KeyboardInterrupt for it: if the handler of SIGINT is
// signal.default_int_handler. A handler of the program's own may want the call
// to go on; it is called when the call has returned. So that a call need not
// look, a handler below Python's is put in place, which hands the signal on
// and cancels the call.
class CallScope {
 public:
  // While the context is called, by this thread.
  class Within {
   public:
    Within(CallScope& scope, Context& context);
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within();

   private:
    CallScope& scope_;
    Context* outer_interruptible_ = nullptr;
  };

  // Throws what the handler raises of a signal that has come before.
  CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope();

  // The thread's innermost call; null if it has none.
  static CallScope* current();

  // Ends the call with the Python error that is set, also one that has not
  // begun. With the GIL.
  void Fail();
  bool failed() const { return raised_.has_value(); }
  // Throws the exception that the call has ended with, if it is that. With the
  // GIL.
  void ThrowCause();

  // Throws what handlers raise of signals that have come, if the scope is the
  // main thread's. Without the GIL.
  void LookForSignals() const;

 private:
  CallScope* const outer_;
  const bool is_main_;
  const bool is_interruptible_;
  Context* context_ = nullptr;
  std::optional<nb::python_error> raised_;
};

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_CALL_SCOPE_H_
