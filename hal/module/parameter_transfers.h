// Moves bytes between parameters and device buffers, in a device's queue.
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

// A part of a parameter and its place in a buffer, in bytes.
struct ParameterSpan {
  uint64_t parameter_offset;
  uint64_t buffer_offset;
  uint64_t length;
};

// The transfers of one call: they run one after another, the first when `wait`
// is reached; the last signals `signal`. Either may be null, and both outlive
// this. The caller has checked that spans lie in their parameters.
class ParameterTransfers {
 public:
  ParameterTransfers(HalModuleState& state, Device& device, Fence* wait,
                     Fence* signal)
      : state_(state),
        device_(device),
        previous_(Ref<Fence>::Share(wait)),
        signal_(signal) {}

  // A new buffer with a part of a parameter, charged for. Fails as
  // Device::QueueAlloca and Read.
  absl::StatusOr<Ref<Buffer>> Load(const Parameter& parameter,
                                   const BufferParams& params,
                                   const ParameterSpan& span);
  // Parameter to buffer. Fails as Device::QueueRead and QueueFill.
  absl::Status Read(const Parameter& parameter, const ParameterSpan& span,
                    const Ref<Buffer>& target);
  // Buffer to parameter. PERMISSION_DENIED: its file is not writable, or it is
  // a splat. Else as Device::QueueWrite.
  absl::Status Write(const Ref<Buffer>& source, const Parameter& parameter,
                     const ParameterSpan& span);

  // Signals, or fails, once and at the end. Returns the status.
  absl::Status End(const absl::Status& status);

 private:
  // Fences of the next operation; valid until the one after it.
  absl::StatusOr<QueueFences> Next();
  absl::Status ReadSplat(const Splat& splat, const ParameterSpan& span,
                         const Ref<Buffer>& target);

  HalModuleState& state_;
  Device& device_;
  Ref<Fence> before_;    // what the latest operation waits for
  Ref<Fence> previous_;  // what it signals
  Fence* signal_;
  Ref<Semaphore> semaphore_;
  uint64_t value_ = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_PARAMETER_TRANSFERS_H_
