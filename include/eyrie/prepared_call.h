// A call that is made repeatedly.
//
//   auto call = eyrie::PreparedCall::Prepare(*add, {x, y});
//   while (goes_on) {
//     if (auto done = call->Run(); !done) return done.error();
//     Use(call->results()[0]);
//   }
// The arguments are checked and converted only once, and a call with numbers
// allocates nothing. A PreparedCall must be used on the context's thread. It
// keeps the context.
#ifndef EYRIE_PREPARED_CALL_H_
#define EYRIE_PREPARED_CALL_H_

#include <cstddef>
#include <span>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/call_options.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

class PreparedCall {
 public:
  // Prepares a call. The values may be destroyed or changed afterwards. The
  // elements of lent arrays are read at every call, provided that
  // function.statistics() counts them as lent and not as copied; all other
  // arguments keep their present values. Copies of arguments, and storage for
  // results that is not passed, are created only once: a function that writes
  // to them sees what the previous call has left there. Each call writes to the
  // arrays `outs`, as Function::CallOut does; their memory must be valid as
  // long as the PreparedCall. Returns the errors of Function::CallOut.
  static Result<PreparedCall> Prepare(const Function& function,
                                      RowOf<Value> arguments,
                                      RowOf<Value::Entry> named = {},
                                      RowOf<Value> outs = {}) {
    internal::GivenArguments given(arguments, named, outs);
    eyrie_prepared_call_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_function_prepare(function.get(), given.get(), &handle)) {
      return Error(error);
    }
    return PreparedCall(handle, function.signature().result_count);
  }

  // Makes the call and waits for its results, unless `options` have a fence to
  // signal. Returns the errors of Function::Call. If it fails, results() does
  // not change.
  Result<void> Run(const CallOptions& options = {}) {
    return RunWith(internal::GivenOptions(options).get());
  }

  // Returns the results of the last successful call. The next call replaces
  // them.
  std::span<const Value> results() const { return results_; }

  eyrie_prepared_call_t* get() const { return handle_.get(); }

 private:
  PreparedCall(eyrie_prepared_call_t* handle, size_t result_count)
      : handle_(handle), result_count_(result_count) {}

  Result<void> RunWith(const eyrie_call_options_t* options) {
    internal::ResultRow returned(results_, result_count_);
    if (eyrie_error_t* error = eyrie_prepared_call_run(
            get(), options, returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results_);
    return {};
  }

  internal::Handle<eyrie_prepared_call_t, eyrie_prepared_call_free> handle_;
  size_t result_count_;
  std::vector<Value> results_;
};

}  // namespace eyrie

#endif  // EYRIE_PREPARED_CALL_H_
