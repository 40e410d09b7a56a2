// Runs a function in a child process, for code that may end the process.
//
// Tested by child_call_test.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_CHILD_CALL_H_
#define EYRIE_ABI_NATIVE_XLA_CHILD_CALL_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace eyrie::native {

// Copies this process by fork, calls `run` in the copy, and returns the text
// that it returns, which must not be empty. The copy then ends without running
// destructors or exit handlers. It has only the calling thread, so no other
// thread may hold a lock that `run` needs. ABORTED: the copy ended before `run`
// returned; the message says how. DEADLINE_EXCEEDED: it took longer than
// `limit`, and was killed. RESOURCE_EXHAUSTED: the text has more than 16 MiB.
// INTERNAL: the system creates no process, or no pipe.
absl::StatusOr<std::string> CallInChild(
    absl::Duration limit, const std::function<std::string()>& run);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CHILD_CALL_H_
