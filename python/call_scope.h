// A call without the GIL that Ctrl-C or an exception in a log handler can end.
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

// Resets the record of running calls. Must be called in the child of a fork.
void ForgetCalls();

// Python handles signals on the main thread. SIGINT ends the main thread's call
// if Python would raise KeyboardInterrupt for it, that is, if its handler is
// signal.default_int_handler. A handler of the program may want the call to
// continue, so it is called only after the call has returned. So that calls
// need not poll, a C signal handler is installed, which cancels the call and
// calls Python's C handler.
class CallScope {
 public:
  // Exists while this thread calls the context.
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

  // Throws the exception of the handler of an earlier signal.
  CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope();

  // Returns the innermost call of this thread, or null.
  static CallScope* current();

  // Ends the call with the Python error that is set, even if the call has not
  // begun. Must be called with the GIL.
  void Fail();
  // Keeps the Python error that is set as the cause of the call's failure, but
  // does not end the call. Must be called with the GIL.
  void Keep();
  bool failed() const { return raised_.has_value(); }
  // Throws the exception that has ended the call, if there is one. Must be
  // called with the GIL.
  void ThrowCause();

  // On the main thread, throws the exceptions of handlers of pending signals.
  // Must be called without the GIL.
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
