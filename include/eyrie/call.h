// A call that is made repeatedly.
//
//   auto call = eyrie::Call::Prepare(*add, {x, y});
//   while (...) {
//     if (auto done = call->Invoke(); !done) return done.error();
//     Use(call->results()[0]);
//   }
// The arguments are checked and converted only once, and a call with numbers
// allocates nothing. A Call must be used on the context's thread and destroyed
// before the context.
#ifndef EYRIE_CALL_H_
#define EYRIE_CALL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/c_limits.h"
#include "eyrie/c_out.h"
#include "eyrie/call_options.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

class Call {
 public:
  // Prepares a call. The values may be destroyed or changed afterwards. The
  // elements of lent arrays are read at every call, provided that
  // function.statistics() counts them as lent and not as copied; all other
  // arguments keep their present values. Copies of arguments, and storage for
  // results that is not passed, are created only once: a function that writes
  // to them sees what the previous call has left there. Returns the same errors
  // for arguments as Function::Call.
  static Result<Call> Prepare(const Function& function, RowOf<Value> arguments,
                              RowOf<Value::Entry> named = {}) {
    return PrepareOut(function, {}, arguments, named);
  }

  // The same with results in the caller's memory: each call writes to the
  // arrays `outs`, as Function::CallOut does. The values may be destroyed; the
  // memory of borrowed arrays must be valid as long as the Call. Returns the
  // errors of Prepare and of CallOut.
  static Result<Call> PrepareOut(const Function& function, RowOf<Value> outs,
                                 RowOf<Value> arguments,
                                 RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    internal::GivenArguments arrays(outs, {});
    eyrie_prepared_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_function_prepare_out(
            function.get(), given.values(), given.count(), given.names(),
            given.name_count(), arrays.values(), arrays.count(), &handle)) {
      return Error(error);
    }
    return Call(function, handle);
  }

  // Makes the call and waits for its results. Returns the errors of
  // Function::Call. If it fails, results() does not change.
  Result<void> Invoke() {
    internal::ResultRow returned(results_, result_count_);
    if (eyrie_error_t* error = eyrie_prepared_call(
            handle_.get(), returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results_);
    return {};
  }

  // The same with limits of this call; see Function::Call.
  Result<void> Invoke(const CallOptions& options) {
    internal::ResultRow returned(results_, result_count_);
    const eyrie_call_options_t limits = internal::ToC(options);
    if (eyrie_error_t* error = eyrie_prepared_call_with(
            handle_.get(), &limits, returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results_);
    return {};
  }

  // Returns the results of the last successful call. The next call replaces
  // them.
  std::span<const Value> results() const { return results_; }

  eyrie_prepared_t* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(eyrie_prepared_t* handle) const {
      eyrie_prepared_free(handle);
    }
  };

  Call(const Function& function, eyrie_prepared_t* handle)
      : handle_(handle), result_count_(function.signature().result_count) {}

  std::unique_ptr<eyrie_prepared_t, Free> handle_;
  size_t result_count_;
  std::vector<Value> results_;
};

}  // namespace eyrie

#endif  // EYRIE_CALL_H_
