// A call that its host drives: where the function yields, the host gets control
// back and resumes it when it likes.
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

// Belongs to the context's thread; must not outlive the context. Several may be
// suspended at once and be resumed in any order. The context's limits hold for
// each: its fuel is counted over all resumptions, its time runs from Begin to
// the end, suspended or not.
class Invocation {
 public:
  enum class State { kYielded, kDone, kFailed };

  // Starts a call and runs it to its first yield or its end. INVALID_ARGUMENT:
  // the arguments are not the function's. FAILED_PRECONDITION: the context has
  // failed. A failure of the function is a state of the invocation, whose
  // Resume returns it.
  static absl::StatusOr<std::unique_ptr<Invocation>> Begin(
      Context& context, const Function& function, std::span<const Value> args);

  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;
  // A suspended call is dropped with all it holds.
  ~Invocation();

  State state() const { return state_; }
  // What the call may still use.
  const CallBudget& budget() const { return budget_; }

  // Runs on to the next yield or the end. Of one that has failed, the failure;
  // FAILED_PRECONDITION: it is done.
  absl::Status Resume();

  // Resumes until done and returns the results.
  absl::StatusOr<std::vector<Value>> Await();

  // The results of an invocation that is done, once.
  std::vector<Value> TakeResults();

 private:
  Invocation(Context& context, const Function& function,
             std::unique_ptr<Stack> stack);
  absl::Status RunOn();

  Context& context_;
  Function function_;
  std::unique_ptr<Stack> stack_;
  CallBudget budget_;          // what is left of it
  std::vector<Slot> results_;  // owned once done
  std::unique_ptr<Machine> machine_;
  absl::Status failure_;
  State state_ = State::kYielded;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_INVOCATION_H_
