// Copies a call's arguments to a device, and its results back.
//
// Handlers for CUDA get memory of the device. All copies are in the order of
// the context's stream. A call waits for the stream before it releases memory,
// also if it fails. Tested by tools/native_test.sh.
#include "abi/native/xla/call.h"
#include "base/status_macros.h"

namespace eyrie::native {

absl::Status FfiCall::CopyToDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  attended_ = busy_ = true;
  on_device_.clear();
  for (size_t i = 0; i < results_.size(); ++i) {
    const uint64_t bytes = ResultBytes(i);
    if (bytes != 0) on_device_.push_back({i, frame_.result(i).data, bytes});
  }
  for (size_t i = 0; i < given_; ++i) {
    const uint64_t bytes = ArgumentBytes(i);
    const void* const host = frame_.arg(i).data;
    void* memory = nullptr;
    if (bytes != 0) {
      ASSIGN_OR_RETURN(memory, context_.Allocate(bytes, kAlignment));
      RETURN_IF_ERROR(device.CopyIn(memory, host, bytes));
    }
    frame_.arg(i).data = memory;
    if (const auto result = parts_.plan.buffers[i].inout) {
      frame_.result(*result).data = memory;
    }
  }
  for (const DeviceResult& result : on_device_) {
    if (parts_.plan.results[result.index].shape.inout()) continue;
    ASSIGN_OR_RETURN(frame_.result(result.index).data,
                     context_.Allocate(result.bytes, kAlignment));
  }
  return absl::OkStatus();
}

absl::Status FfiCall::CopyFromDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  for (const DeviceResult& result : on_device_) {
    RETURN_IF_ERROR(device.CopyOut(
        result.host, frame_.result(result.index).data, result.bytes));
  }
  RETURN_IF_ERROR(device.Await());
  busy_ = false;
  return absl::OkStatus();
}

}  // namespace eyrie::native
