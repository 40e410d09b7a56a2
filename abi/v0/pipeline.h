// A chain of calls that is submitted without waiting: each begins on the
// device when the one before is complete, whose results it may take.
//
//   RETURN_IF_ERROR(pipeline.Submit(encode, values, values));
//   RETURN_IF_ERROR(pipeline.Submit(decode, values, values));
//   RETURN_IF_ERROR(pipeline.Wait());  // the values are ready
// Only a result that depends on data, and a synchronous function behind
// asynchronous ones, make Submit wait.
// Tested by pipeline_test.cc.
#ifndef EYRIE_ABI_V0_PIPELINE_H_
#define EYRIE_ABI_V0_PIPELINE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "abi/fence_line.h"
#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/fence.h"
#include "vm/value.h"

namespace eyrie::abi::v0 {

// Valid while the session is. One thread at a time, the session's.
class Pipeline {
 public:
  struct Statistics {
    uint64_t calls = 0;
    uint64_t waits = 0;      // for a fence; a module's own are not counted
    uint64_t made = 0;       // results in storage made from signatures
    uint64_t allocated = 0;  // in storage from result allocators
    uint64_t fetched = 0;    // after completion
  };

  explicit Pipeline(Session& session) : session_(&session) {}

  // What is submitted from now on waits for this fence too.
  void After(Ref<hal::Fence> fence);

  // Checks and calls. `results` is replaced by what the function returns, and
  // may hold the arguments; shapes are known, elements are not ready until
  // fence() is reached. Fails as Callable::Call does; also with the failure of
  // an earlier call, which is for good. Limits hold for each Submit and Wait.
  absl::Status Submit(Callable& function, std::span<const vm::Value> arguments,
                      std::vector<vm::Value>& results);

  // Waits until all calls are complete. The first failure of any.
  absl::Status Wait();

  // Reached when all calls are complete; null: they are.
  const Ref<hal::Fence>& fence() const { return last_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  absl::Status Start(Callable& function, std::span<const vm::Value> arguments,
                     std::vector<vm::Value>& results);
  // Whether the last call is known to be complete; its failure.
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

#endif  // EYRIE_ABI_V0_PIPELINE_H_
