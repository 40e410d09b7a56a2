// Copies bytes between parameters and device buffers, in a device's queue.
//
// Tested by parameters_module_test.cc.
#ifndef EYRIE_HAL_MODULE_PARAMETER_TRANSFERS_H_
#define EYRIE_HAL_MODULE_PARAMETER_TRANSFERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/module/state.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {

// A range of a parameter and its offset in a buffer, in bytes.
struct ParameterSpan {
  uint64_t parameter_offset;
  uint64_t buffer_offset;
  uint64_t length;
};

// The transfers of one call. They run one after another, the first when `wait`
// is reached; End signals `signal` after the last. Either fence may be null;
// both must outlive this object. Spans must be within their parameters.
class ParameterTransfers {
 public:
  ParameterTransfers(HalModuleState& state, Device& device, Fence* wait,
                     Fence* signal)
      : state_(state),
        device_(device),
        previous_(Ref<Fence>::Share(wait)),
        signal_(signal) {}

  // Queues the creation of a buffer with a range of a parameter, and charges
  // for it. Returns the errors of Device::QueueAlloca and of Read.
  absl::StatusOr<Ref<Buffer>> Load(const Parameter& parameter,
                                   const BufferParams& params,
                                   const ParameterSpan& span);
  // Queues a copy from a parameter to a buffer. Returns the errors of
  // Device::QueueRead and QueueFill.
  absl::Status Read(const Parameter& parameter, const ParameterSpan& span,
                    const Ref<Buffer>& target);
  // Queues a copy from a buffer to a parameter. PERMISSION_DENIED: the file is
  // not writable, or the parameter is a splat. Else as Device::QueueWrite.
  absl::Status Write(const Ref<Buffer>& source, const Parameter& parameter,
                     const ParameterSpan& span);

  // Signals `signal` after the last transfer, or fails it with `status`. Must
  // be called once, last. Returns the status.
  absl::Status End(const absl::Status& status);

 private:
  // Returns a buffer over the bytes of a parameter themselves, or over private
  // pages of its file; null if they must be copied.
  absl::StatusOr<Ref<Buffer>> Image(const Parameter& parameter,
                                    const BufferParams& params,
                                    const ParameterSpan& span);
  // Returns the fences of the next operation, valid until the next call.
  absl::StatusOr<QueueFences> Next();
  absl::Status ReadSplat(const Splat& splat, const ParameterSpan& span,
                         const Ref<Buffer>& target);

  HalModuleState& state_;
  Device& device_;
  Ref<Fence> before_;    // the wait fence of the latest operation
  Ref<Fence> previous_;  // the signal fence of the latest operation
  Fence* signal_;
  Ref<Semaphore> semaphore_;
  uint64_t value_ = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_PARAMETER_TRANSFERS_H_
