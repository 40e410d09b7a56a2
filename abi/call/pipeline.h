// A chain of calls that are submitted without waiting. Each starts on the
// device when the one before is complete, and may use its results.
//
//   RETURN_IF_ERROR(pipeline.Submit(encode, values, values));
//   RETURN_IF_ERROR(pipeline.Submit(decode, values, values));
//   RETURN_IF_ERROR(pipeline.Wait());  // the values are ready
//
// Submit waits only if a result depends on data, or if a synchronous function
// follows asynchronous ones.
// Tested by pipeline_test.cc.
#ifndef EYRIE_ABI_CALL_PIPELINE_H_
#define EYRIE_ABI_CALL_PIPELINE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "abi/call/fence_line.h"
#include "abi/call/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/fence.h"
#include "vm/isa/value.h"

namespace eyrie::abi::v0 {

// Valid while the session is. Must be used by the session's thread only.
class Pipeline {
 public:
  struct Statistics {
    uint64_t calls = 0;
    uint64_t waits = 0;      // for fences; those within modules are not counted
    uint64_t made = 0;       // results in storage made from signatures
    uint64_t allocated = 0;  // in storage from result allocators
    uint64_t fetched = 0;    // after completion
  };

  explicit Pipeline(Session& session) : session_(&session) {}

  // Makes all later submissions wait for this fence, too.
  void After(Ref<hal::Fence> fence);

  // Checks and calls a function. Replaces `results` with its results; they may
  // be the same vector as the arguments. Shapes are known at once; elements are
  // ready when fence() is reached. Returns the errors of Callable::Call. After
  // any call has failed, always returns that failure. Limits apply to each
  // Submit and Wait separately.
  absl::Status Submit(Callable& function, std::span<const vm::Value> arguments,
                      std::vector<vm::Value>& results);

  // Waits until all calls are complete. Returns the first failure.
  absl::Status Wait();

  // Returns the fence that is reached when all calls are complete, or null if
  // they are.
  const Ref<hal::Fence>& fence() const { return last_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  absl::Status Start(Callable& function, std::span<const vm::Value> arguments,
                     std::vector<vm::Value>& results);
  // Reports whether the last call is known to be complete, or returns its
  // failure.
  absl::StatusOr<bool> IsComplete();
  absl::Status Await();
  void Complete();

  Session* session_;
  FenceLine fences_;
  Ref<hal::Fence> last_;
  bool last_is_own_ = false;  // from fences_
  absl::Status failure_;
  Statistics statistics_;
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_CALL_PIPELINE_H_
