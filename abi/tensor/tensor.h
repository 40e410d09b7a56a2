// Allocates tensors on devices, and reads their bytes.
//
// Tested by abi/call/session_test.cc.
#ifndef EYRIE_ABI_TENSOR_TENSOR_H_
#define EYRIE_ABI_TENSOR_TENSOR_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/tensor_type.h"
#include "hal/types.h"

namespace eyrie::abi {

// Returns the parameters for the buffers of tensors: memory that both the
// device and the host can use.
hal::BufferParams TensorParams();

// Creates a tensor of zeros on a device. `memory` counts its buffer while it
// lives; null if nothing does. RESOURCE_EXHAUSTED: out of memory, or the limit
// of `memory` is exceeded.
absl::StatusOr<Ref<hal::BufferView>> NewTensor(
    hal::Device& device, const hal::TensorType& spec,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Creates a tensor with a copy of `bytes`. INVALID_ARGUMENT: the number of
// bytes does not match `spec`.
absl::StatusOr<Ref<hal::BufferView>> CopyTensor(hal::Device& device,
                                                const hal::TensorType& spec,
                                                std::span<const uint8_t> bytes);

hal::TensorType SpecOf(const hal::BufferView& view);

// Returns the bytes of a tensor's elements, in place. They are valid while its
// buffer lives and nothing writes to it. FAILED_PRECONDITION: the host cannot
// access the buffer.
absl::StatusOr<std::span<const uint8_t>> BytesOf(const hal::BufferView& view);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_TENSOR_H_
