// A call that the host's event loop drives.
//
//   auto call = AsyncCall::Begin(*context, predict, args,
//                                [&](auto work) { loop.Post(work); },
//                                [&](auto results) { Show(results); });
// The function runs in pieces, each passed to the scheduler: the first at once,
// the others when the function can continue. Between pieces the context may be
// used for other calls. An import that waits (hal.fence.await) suspends the
// call; a vm.yield schedules the next piece at once.
// Tested by async_call_test.cc.
#ifndef EYRIE_VM_RUN_ASYNC_CALL_H_
#define EYRIE_VM_RUN_ASYNC_CALL_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "vm/isa/value.h"
#include "vm/limits/call_limits.h"
#include "vm/run/context.h"

namespace eyrie::vm {

// Takes work that is ready, and must run it once on the context's thread, but
// not inside the scheduler's call. May be called from any thread, such as one
// that signals a fence or the one that serves alarms. Work whose AsyncCall has
// been destroyed does nothing and may be dropped.
using Scheduler = std::function<void(std::function<void()> work)>;

// Must be used on the context's thread and must not outlive the context.
class AsyncCall {
 public:
  // Called inside scheduled work with the results, or with the function's
  // error. May destroy the AsyncCall.
  using Done = std::function<void(absl::StatusOr<std::vector<Value>> results)>;

  // Schedules the call. `done` is called once, at its end. Limits apply as for
  // Invocation; when the deadline of a suspended call passes, the call is
  // scheduled to fail. `limited` has limits of its own for the call, and may be
  // null. If its token is cancelled, the call is also scheduled to fail.
  // Returns INVALID_ARGUMENT if the arguments do not match
  // the function or if the function belongs to another context.
  static absl::StatusOr<std::unique_ptr<AsyncCall>> Begin(
      Context& context, const Function& function, std::span<const Value> args,
      Scheduler scheduler, Done done,
      std::shared_ptr<LimitedCall> limited = nullptr);

  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;
  // Drops the call, whatever its state, and releases everything it holds;
  // `done` is not called. The context remains usable.
  ~AsyncCall();

  // Returns when the context's limit of time, or that of `limited`, ends the
  // call; never before its first piece has run. The results must also be ready
  // by then.
  Deadline deadline() const;

  // Cancels the context, see Context::Cancel, and schedules the call so that it
  // fails. May be called from any thread.
  void Cancel();

 private:
  class State;

  explicit AsyncCall(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_ASYNC_CALL_H_
