// A call made ready, to be made again and again.
//
//   auto call = eyrie::Call::Prepare(*add, {x, y});
//   while (...) {
//     if (auto done = call->Invoke(); !done) return done.error();
//     Use(call->results()[0]);
//   }
// The function is found, and the arguments are checked and laid out, once; a
// call with numbers costs no memory. Valid while the context is, and the same
// thread's.
#ifndef EYRIE_CALL_H_
#define EYRIE_CALL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

class Call {
 public:
  // The values are not needed any more when it returns. Elements of lent
  // arrays are read at every call, if function.statistics() says that they are
  // lent and not copied; all else is as it is now. Copies, and storage for
  // results that is left out, are made once: a function that writes there finds
  // what the call before has left. INVALID_ARGUMENT as Function::Call.
  static Result<Call> Prepare(const Function& function, RowOf<Value> arguments,
                              RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    eyrie_prepared_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_function_prepare(
            function.get(), given.values(), given.count(), given.names(),
            given.name_count(), &handle)) {
      return Error(error);
    }
    return Call(function, handle);
  }

  // Calls and waits. Fails as the function does: results() are those of the
  // call before then.
  Result<void> Invoke() {
    internal::ResultRow returned(results_, result_count_);
    if (eyrie_error_t* error = eyrie_prepared_call(
            handle_.get(), returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results_);
    return {};
  }

  // Of the last call that succeeded; the next one replaces them.
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
