// A call that the host's event loop drives.
//
//   std::optional<eyrie::PendingCall> call;
//   auto step = [&] { if (call->Run()) Show(call->Results()); };
//   auto begun = PendingCall::Begin(predict, {image}, [&] { loop.Post(step);
//   }); if (begun) call.emplace(std::move(*begun));
// It runs in pieces, and gives way where the function yields or waits for a
// fence; between them the context is free for other calls.
#ifndef EYRIE_PENDING_CALL_H_
#define EYRIE_PENDING_CALL_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/function.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

// The context's thread's; ends before the context.
class PendingCall {
 public:
  // `wake` says that there is something to run: within Begin, and later
  // whenever the call can go on, on any thread but not on two at once. It has
  // Run called, later and on the context's thread. INVALID_ARGUMENT as
  // Function::Call.
  static Result<PendingCall> Begin(const Function& function,
                                   RowOf<Value> arguments,
                                   std::function<void()> wake,
                                   RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    PendingCall call(function.signature().result_count, std::move(wake));
    eyrie_call_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_function_begin(
            function.get(), given.values(), given.count(), given.names(),
            given.name_count(),
            [](void* user) { (*static_cast<std::function<void()>*>(user))(); },
            call.wake_.get(), &handle)) {
      return Error(error);
    }
    call.handle_ = decltype(call.handle_)(handle);
    return call;
  }

  PendingCall(PendingCall&&) = default;
  // The call that was here ends before what wakes it.
  PendingCall& operator=(PendingCall other) noexcept {
    std::swap(result_count_, other.result_count_);
    std::swap(wake_, other.wake_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  // Runs what there is to run, if there is. True: the call is over.
  bool Run() { return eyrie_call_run(handle_.get()) != 0; }

  // What the call returned, once. FAILED_PRECONDITION: it is not over, or they
  // are taken. Else what it failed with.
  Result<std::vector<Value>> Results() {
    std::vector<eyrie_value_t*> handles(result_count_);
    if (eyrie_error_t* error =
            eyrie_call_results(handle_.get(), handles.data(), handles.size())) {
      return Error(error);
    }
    return internal::AdoptAll(handles);
  }

 private:
  PendingCall(size_t result_count, std::function<void()> wake)
      : result_count_(result_count),
        wake_(new std::function<void()>(std::move(wake))),
        handle_(nullptr) {}

  size_t result_count_;
  std::unique_ptr<std::function<void()>> wake_;
  internal::Handle<eyrie_call_t, eyrie_call_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_PENDING_CALL_H_
