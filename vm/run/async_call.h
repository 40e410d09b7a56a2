// A call that the host's event loop drives.
//
//   auto call = AsyncCall::Begin(*context, predict, args,
//                                [&](auto work) { loop.Post(work); },
//                                [&](auto results) { Show(results); });
// The scheduler is given the function in pieces: the first at once, each other
// when it can go on; between them the context is free for other calls. An
// import that waits (hal.fence.await) suspends the call until there is more
// to do; a plain vm.yield schedules the next piece at once.
// Tested by async_call_test.cc.
#ifndef EYRIE_VM_RUN_ASYNC_CALL_H_
#define EYRIE_VM_RUN_ASYNC_CALL_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/isa/value.h"
#include "vm/run/context.h"

namespace eyrie::vm {

// Takes work that is ready and runs it once, later, on the context's thread:
// never inside this call. Called from any thread: the one that signals a fence,
// or that of all alarms. Work may be dropped when its AsyncCall is
// gone, and does nothing then.
using Scheduler = std::function<void(std::function<void()> work)>;

// The context's thread's; must not outlive the context.
class AsyncCall {
 public:
  // Gets the results, or what the function fails with, inside scheduled work.
  // May destroy the AsyncCall.
  using Done = std::function<void(absl::StatusOr<std::vector<Value>> results)>;

  // Schedules the call; `done` hears of its end, once. Limits hold as for
  // Invocation: a suspended call whose time is over is scheduled to fail.
  // INVALID_ARGUMENT: the arguments are not the function's, or the function is
  // of another context.
  static absl::StatusOr<std::unique_ptr<AsyncCall>> Begin(
      Context& context, const Function& function, std::span<const Value> args,
      Scheduler scheduler, Done done);

  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;
  // Drops the call where it stands, with all it holds; `done` is not called.
  // The context can still be used.
  ~AsyncCall();

  // Cancels the context, see Context::Cancel, and schedules the call to hear
  // of it. Any thread's.
  void Cancel();

 private:
  class State;

  explicit AsyncCall(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_ASYNC_CALL_H_
