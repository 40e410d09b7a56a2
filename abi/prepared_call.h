// A call that is made again and again: its function found, its arguments
// checked and laid out, once.
//
//   ASSIGN_OR_RETURN(PreparedCall call, PreparedCall::Create(add, {a, b}));
//   while (...) {
//     RETURN_IF_ERROR(call.Invoke());
//     Use(call.results()[0]);
//   }
// Tested by session_test.cc.
#ifndef EYRIE_ABI_PREPARED_CALL_H_
#define EYRIE_ABI_PREPARED_CALL_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Valid while the session is; the same thread's.
class PreparedCall {
 public:
  // Keeps the arguments. Fails as Callable::CheckArguments.
  static absl::StatusOr<PreparedCall> Create(Callable callable,
                                             std::vector<vm::Value> arguments);

  const Callable& callable() const { return callable_; }

  // Calls and waits; allocates nothing of its own. The results of the call
  // before are let go of first. Fails as the function does: there are no
  // results then.
  absl::Status Invoke();

  // Of the last call; kept until the next one, unless taken from here.
  std::span<vm::Value> results() { return results_; }

 private:
  PreparedCall(Callable callable, std::vector<vm::Value> arguments);

  Callable callable_;
  std::vector<vm::Value> arguments_;
  std::vector<vm::Slot> slots_;  // of arguments, which stay theirs
  std::vector<vm::Slot> returned_;
  std::vector<vm::Value> results_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_PREPARED_CALL_H_
