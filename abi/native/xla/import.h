// Binds an XLA FFI handler to an import.
//
// Without fences, a call waits for the handler's future. With fences, it
// returns at once: the results have their shapes; the handler runs when the
// wait fence is reached, on the thread that signals it; the signal fence is
// signalled or failed when the handler and its future are done.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_IMPORT_H_
#define EYRIE_ABI_NATIVE_XLA_IMPORT_H_

#include <atomic>
#include <functional>
#include <memory>

#include "abi/native/native_function.h"
#include "abi/native/xla/call.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/fence.h"

namespace eyrie::native {

class FfiImport final : public BoundFunction,
                        public std::enable_shared_from_this<FfiImport> {
 public:
  // Runs the stage instantiate, if there is one. `owner` keeps alive what the
  // parts point to.
  static absl::StatusOr<std::shared_ptr<BoundFunction>> Create(
      std::unique_ptr<FfiImportParts> parts, vm::ModuleState& state,
      std::shared_ptr<const void> owner);

  absl::Status Invoke(const vm::Slot* arguments, vm::Slot* results) override;

 private:
  FfiImport(std::unique_ptr<FfiImportParts> parts, vm::ModuleState& state,
            std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), parts_(std::move(parts)), state_(state) {}

  absl::Status InvokeAndWait(const vm::Slot* arguments, vm::Slot* results);
  absl::Status InvokeBetweenFences(const vm::Slot* arguments,
                                   vm::Slot* results);
  // Waits within the limits of the context's call. If a limit ends the wait,
  // the handler continues in the background.
  absl::Status Await(const Ref<eyrie_ffi_future>& future);
  // A call between fences. It is released before its fence is signalled.
  struct Running {
    std::shared_ptr<FfiImport> self;
    std::shared_ptr<FfiCall> call;
    Ref<hal::Fence> signal;
  };
  // Runs a prepared call and completes its fence with the outcome. May be
  // called by any thread.
  static void Start(Running running, const absl::Status& reached);
  static void Finish(Running running, absl::Status status);
  // Runs `work`, which starts or ends a call, when a fence is reached or a
  // future is complete. A thread of a device may have caused that, and must not
  // wait for CUDA's work, so for calls on CUDA's device `work` runs on another
  // thread. It may be the last owner of this.
  void MayWait(std::function<void()> work) const;
  // Adds the function's name to an error, because a failed fence does not show
  // it.
  absl::Status Named(const absl::Status& status) const;
  int64_t NextRunId() {
    return next_run_.fetch_add(1, std::memory_order_relaxed);
  }

  const std::shared_ptr<const void> owner_;
  const std::unique_ptr<FfiImportParts> parts_;
  vm::ModuleState& state_;  // for calls that wait, on the context's thread
  std::atomic<int64_t> next_run_{1};
  std::shared_ptr<FfiCall> call_;  // for calls that wait; reused
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_IMPORT_H_
