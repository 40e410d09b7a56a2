// A call with host values that the host's event loop drives.
//
// It runs in steps: the first when the host likes, then one each time the
// function can continue after a yield or a wait for a fence, and a last one
// when the fence of an asynchronous function is reached. Between steps the
// context is free for other calls. Built on vm/run/async_call.h.
// Tested by abi/c/runtime_pending_test.cc.
#ifndef EYRIE_ABI_CALL_PENDING_CALL_H_
#define EYRIE_ABI_CALL_PENDING_CALL_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/v0/call/result_storage.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/alarm.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "hal/fence.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/cancel_token.h"
#include "vm/run/async_call.h"

namespace eyrie::abi {

// Used by the context's thread only, except for `wake`. The session and the
// invoker must outlive it.
class PendingCall {
 public:
  struct Options {
    // Limits of its own for the call, until its results are ready. Null: none.
    std::shared_ptr<vm::LimitedCall> limited = nullptr;
    // The call begins when this fence is reached. Null: at once.
    Ref<hal::Fence> wait = {};
  };

  // Encodes the request's arguments and begins the call. Arrays of its `outs`
  // that can be storage become arguments, and must exist as long as the call;
  // Invoker::PlaceResults must move the other results. Calls `wake` at once,
  // and then whenever Run has work to do: on any thread, but never on two at
  // once, and never after the call is destroyed. `wake` must not use the call.
  // For a raw function, first allocates storage for the results, which may call
  // the module's allocator. Fails as Invoker::Call does for its arguments and
  // arrays.
  static absl::StatusOr<std::unique_ptr<PendingCall>> Begin(
      Session& session, Invoker& invoker, const Invoker::Request& request,
      std::function<void()> wake, Options options);

  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  // Abandons the call if it is running, and releases all that it holds.
  ~PendingCall();

  // Runs the next step if there is one. Returns true if the call has ended. If
  // this process was forked after the call began and a device has threads, the
  // call fails, because nothing would wake it.
  bool Run();

  // Replaces `results` by the call's results; works once. FAILED_PRECONDITION:
  // the call has not ended, or its results were already taken. Otherwise
  // returns the call's error.
  absl::Status TakeResults(std::vector<HostValue>& results);

 private:
  // The state that other threads use to wake the call.
  struct Wakes {
    std::mutex mutex;
    std::function<void()> wake;  // null after the call is destroyed
    std::function<void()> work;  // the next step

    void Wake() {
      const std::lock_guard<std::mutex> lock(mutex);
      if (wake) wake();
    }
  };
  enum class State { kWaiting, kRunning, kReturned, kOver, kTaken };

  PendingCall(Session& session, Invoker& invoker, Options options)
      : session_(session),
        invoker_(invoker),
        limited_(std::move(options.limited)),
        wait_(std::move(options.wait)) {}

  // Begins to wait for `wait_` on behalf of a function that does not.
  absl::Status Await();
  // Starts the call if `wait_` is reached.
  void CheckWait();
  absl::Status Start();
  // FAILED_PRECONDITION: a device belongs to this process's parent.
  absl::Status CheckProcess() const;
  void Return(absl::StatusOr<std::vector<vm::Value>> values);
  // Makes the deadline and the token of the call wake it while it waits for a
  // fence. RESOURCE_EXHAUSTED: no timer thread.
  absl::Status WatchLimits(Deadline deadline);
  // Returns why the call must end although its results are not ready. Fails the
  // context if that is the context's own timeout.
  absl::Status CheckLimits();
  absl::Status CheckOwnLimits() const;
  // Ends the call if the status is an error.
  void EndIfFailed(absl::Status status);
  // Ends the call if the results are ready, or a limit is exceeded.
  void CheckFence();

  Session& session_;
  Invoker& invoker_;
  const std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
  State state_ = State::kRunning;
  absl::Status status_;
  std::vector<vm::Value> values_;
  v0::ResultStorage::Slots storage_;  // of a raw function's results
  Ref<hal::Fence> done_;              // of an asynchronous function
  const std::shared_ptr<vm::LimitedCall> limited_;  // may be null
  const Ref<hal::Fence> wait_;                      // may be null
  std::vector<vm::Value> arguments_;                // until the call starts
  std::unique_ptr<vm::AsyncCall> call_;
  // The earlier one of the context's timeout and that of `limited_`. Set while
  // the call waits for a fence.
  Deadline deadline_ = Deadline::Never();
  // Wake a call that waits for a fence.
  std::unique_ptr<Alarm> alarm_;
  std::optional<vm::CancelWake> cancel_wake_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_PENDING_CALL_H_
