// A call that the host drives: when the function yields, Begin or Resume
// returns, and the host resumes the call when it likes.
//
//   ASSIGN_OR_RETURN(auto call, Invocation::Begin(*context, function, args));
//   while (call->state() == Invocation::State::kYielded) {
//     RETURN_IF_ERROR(call->Resume());
//   }
//   std::vector<Value> results = call->TakeResults();
// Tested by context_test.cc.
#ifndef EYRIE_VM_RUN_INVOCATION_H_
#define EYRIE_VM_RUN_INVOCATION_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/isa/value.h"
#include "vm/run/context.h"
#include "vm/run/machine.h"
#include "vm/run/stack.h"

namespace eyrie::vm {

// Must be used on the context's thread and must not outlive the context.
// Several may be suspended at the same time and be resumed in any order. The
// context's limits apply to each: fuel is counted over all its resumptions;
// time runs from Begin to the end, also while it is suspended.
class Invocation {
 public:
  enum class State { kYielded, kDone, kFailed };

  // Starts a call and runs it to its first yield or its end. If the function
  // itself fails, returns an invocation in state kFailed; its Resume returns
  // the error. Returns INVALID_ARGUMENT if the arguments do not match the
  // function, FAILED_PRECONDITION if the context has failed, and
  // RESOURCE_EXHAUSTED if there is no memory for a stack.
  static absl::StatusOr<std::unique_ptr<Invocation>> Begin(
      Context& context, const Function& function, std::span<const Value> args);

  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;
  // Drops a suspended call and releases everything it holds.
  ~Invocation();

  State state() const { return state_; }
  // Returns the remaining budget of the call.
  const CallBudget& budget() const { return budget_; }

  // Runs to the next yield or the end. If the call has failed, returns its
  // error. Returns FAILED_PRECONDITION if the call is done.
  absl::Status Resume();

  // Resumes until the call is done and returns the results.
  absl::StatusOr<std::vector<Value>> Await();

  // Returns the results, and none if the call is not done. The second call
  // returns none.
  std::vector<Value> TakeResults();

 private:
  Invocation(Context& context, const Function& function,
             std::unique_ptr<Stack> stack);
  absl::Status RunOn();

  Context& context_;
  Function function_;
  std::unique_ptr<Stack> stack_;
  CallBudget budget_;          // what remains of it
  std::vector<Slot> results_;  // owned if the call is done
  std::unique_ptr<Machine> machine_;
  absl::Status failure_;
  State state_ = State::kYielded;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_INVOCATION_H_
