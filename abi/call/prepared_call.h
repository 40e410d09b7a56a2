// A call that is repeated: it looks up the function, checks the arguments and
// lays them out only once.
//
//   ASSIGN_OR_RETURN(PreparedCall call, PreparedCall::Create(add, {a, b}));
//   while (...) {
//    RETURN_IF_ERROR(call.Invoke());
//    Use(call.results()[0]);
//   }
// Tested by session_test.cc.
#ifndef EYRIE_ABI_CALL_PREPARED_CALL_H_
#define EYRIE_ABI_CALL_PREPARED_CALL_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Used by the session's thread only. The session must outlive it.
class PreparedCall {
 public:
  // Keeps the arguments, which are those of Callable::Call. RESOURCE_EXHAUSTED:
  // out of memory.
  static absl::StatusOr<PreparedCall> Create(Callable callable,
                                             std::vector<vm::Value> arguments);

  const Callable& callable() const { return callable_; }
  std::span<const vm::Value> arguments() const { return arguments_; }

  // Calls the function and waits for its results. Allocates nothing itself.
  // Releases the results of the last call first. If the function fails, returns
  // its error and there are no results.
  absl::Status Invoke();
  // Calls as Invoke does, and returns the registers of the results. The caller
  // owns the references in them. They are valid until the next call.
  absl::StatusOr<std::span<vm::Slot>> InvokeRaw();

  // The results of the last call. They are released by the next call, unless
  // the caller moves them out.
  std::span<vm::Value> results() { return results_; }

 private:
  PreparedCall(Callable callable, std::vector<vm::Value> arguments);

  Callable callable_;
  std::vector<vm::Value> arguments_;
  std::vector<vm::Slot> slots_;  // borrowed from arguments_
  std::vector<vm::Slot> returned_;
  std::vector<vm::Value> results_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_PREPARED_CALL_H_
