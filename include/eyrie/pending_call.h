// A call that the host's event loop drives.
//
//   auto call = eyrie::PendingCall::Begin(*predict, {image},
//                                         [&] { loop.Post(step); });
//   if (call->Poll()) Use(call->Results());  // also in each step
// The call runs in pieces: a piece ends if the function yields or waits for a
// fence. Between pieces the context may be used for other calls.
#ifndef EYRIE_PENDING_CALL_H_
#define EYRIE_PENDING_CALL_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/call_options.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

// Must be used on the context's thread. Keeps the context.
class PendingCall {
 public:
  // Begins a call. Its first piece is ready, so the caller must call Poll
  // without waiting for `wake`. After that, `wake` is called each time the call
  // can continue, and must cause a later Poll on the context's thread: on any
  // thread, but not on two at the same time. It must not use the PendingCall or
  // throw. `options` limit the call, with the time between its pieces: `wake`
  // is also called when the timeout passes or the token is cancelled, and the
  // next Poll then ends the call. The memory of `outs` must be valid as long as
  // the PendingCall. Returns the same errors for arguments and options as
  // Function::CallOut.
  static Result<PendingCall> Begin(const Function& function,
                                   RowOf<Value> arguments,
                                   std::function<void()> wake,
                                   RowOf<Value::Entry> named = {},
                                   const CallOptions& options = {},
                                   RowOf<Value> outs = {}) {
    const internal::GivenOptions limits(options);
    internal::GivenArguments given(arguments, named, outs);
    PendingCall call(function.signature().result_count, std::move(wake));
    eyrie_pending_call_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_function_begin(
            function.get(), given.get(), limits.get(),
            [](void* user) { (*static_cast<std::function<void()>*>(user))(); },
            call.wake_.get(), &handle)) {
      return Error(error);
    }
    call.handle_ = decltype(call.handle_)(handle);
    return call;
  }

  PendingCall(PendingCall&&) = default;
  // Destroys the old call before its `wake`, which it may still be calling.
  PendingCall& operator=(PendingCall other) noexcept {
    std::swap(result_count_, other.result_count_);
    std::swap(wake_, other.wake_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  // Runs the next piece, if it is ready. Returns whether the call is over.
  bool Poll() { return eyrie_pending_call_poll(get()) != 0; }

  // Returns the results. May be called only once. FAILED_PRECONDITION: the call
  // is not over, or its results have been taken. Otherwise the error of the
  // call.
  Result<std::vector<Value>> Results() {
    std::vector<eyrie_value_t*> handles(result_count_);
    if (eyrie_error_t* error =
            eyrie_pending_call_results(get(), handles.data(), handles.size())) {
      return Error(error);
    }
    return internal::AdoptAll(handles);
  }

  eyrie_pending_call_t* get() const { return handle_.get(); }

 private:
  PendingCall(size_t result_count, std::function<void()> wake)
      : result_count_(result_count),
        wake_(new std::function<void()>(std::move(wake))),
        handle_(nullptr) {}

  size_t result_count_;
  std::unique_ptr<std::function<void()>> wake_;
  internal::Handle<eyrie_pending_call_t, eyrie_pending_call_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_PENDING_CALL_H_
