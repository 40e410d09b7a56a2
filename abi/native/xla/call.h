// One call of a handler: its frame, its context, and the objects it retains.
//
// Reused for one call after another. Not thread-safe.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_CALL_H_
#define EYRIE_ABI_NATIVE_XLA_CALL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/native/native_call.h"
#include "abi/native/native_function.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/frame.h"
#include "abi/native/xla/import_plan.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "vm/isa/value.h"

namespace eyrie::native {

// Shared by all calls of one import. Must outlive them.
struct FfiImportParts : NativeCallParts {
  FfiImportParts() = default;
  ~FfiImportParts() {
    const CudaDevice::Current current(ffi.cuda.get());
    instantiated.Reset();
  }

  std::string name;  // the import's, for messages
  FfiImportPlan plan;
  FfiHandlers handlers;
  std::unique_ptr<const AttributePack> pack;
  std::shared_ptr<const NativeServices> services;
  FfiServices ffi;
  const FfiRegistry* registry = nullptr;
  FfiState instantiated;
};

class FfiCall final : public NativeCall {
 public:
  explicit FfiCall(FfiImportParts& parts);

  // Checks the arguments, creates the results, and without fences calls CopyIn.
  // Returns the errors of PrepareTensors. UNIMPLEMENTED: the handler's version
  // cannot know an argument's type.
  absl::Status Prepare(const vm::ModuleState& import,
                       const vm::Slot* arguments);
  // Retains the arguments until End, for a call that continues after it
  // returns.
  void Retain(const vm::Slot* arguments);
  absl::Status Run(int64_t run_id, Ref<eyrie_ffi_future>& future) {
    context_.Begin(run_id);
    return frame_.Run(future);
  }
  // Completes the results of a handler that has succeeded on a device, and
  // waits for the device. Must be called before ShareResults or End(true).
  absl::Status TakeFromDevice() {
    if (parts_.ffi.cuda == nullptr) [[likely]]
      return absl::OkStatus();
    return CopyFromDevice();
  }
  using NativeCall::ShareResults;
  // Copies the arguments that the handler cannot use where they are. A call
  // with fences must call it before Run, when its wait fence is reached; for
  // others, Prepare has done it.
  absl::Status CopyIn();
  // Completes the results if the handler succeeded, and releases all objects
  // that the call retained.
  void End(bool succeeded);

  absl::Status Instantiate() { return frame_.Instantiate(); }

 private:
  // A result in memory of the device, which the frame has.
  struct DeviceResult {
    size_t index;
    void* host;  // where it is copied to
    uint64_t bytes;
  };

  absl::StatusOr<FfiType> CheckArgument(
      size_t index, const hal::BufferView& view) const override;
  absl::StatusOr<FfiType> CheckType(size_t index,
                                    const hal::BufferView& view) const;
  absl::StatusOr<FfiType> CheckResult(size_t index,
                                      std::span<const int64_t> dims,
                                      hal::ElementType& element) const override;
  absl::StatusOr<void*> AllocateTemporary(uint64_t bytes) override {
    return context_.Allocate(bytes, kAlignment);
  }
  absl::Status SetScalar(size_t index, const vm::Slot& slot);
  absl::Status CopyToDevice();
  absl::Status CopyFromDevice();

  FfiImportParts& parts_;
  FfiContext context_;
  FfiFrame frame_;
  std::vector<DeviceResult> on_device_;
  bool busy_ = false;  // the device may use memory of this call
  std::vector<Ref<RefObject>> retained_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CALL_H_
