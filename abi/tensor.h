// Tensors on devices: made with zeros or with a copy of bytes, and read.
//
// Tested by session_test.cc.
#ifndef EYRIE_ABI_TENSOR_H_
#define EYRIE_ABI_TENSOR_H_

#include <cstdint>
#include <memory>
#include <span>

#include "abi/tensor_text.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/types.h"

namespace eyrie::abi {

// What the buffers of tensors are: memory that a device and the host use.
hal::BufferParams TensorParams();

// A tensor with room for its elements, which are zero, on a device. `memory`,
// if there is one, counts its buffer while that lives.
absl::StatusOr<Ref<hal::BufferView>> NewTensor(
    hal::Device& device, const TensorSpec& spec,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// A tensor with a copy of `bytes`, which must be as many as it needs.
absl::StatusOr<Ref<hal::BufferView>> CopyTensor(hal::Device& device,
                                                const TensorSpec& spec,
                                                std::span<const uint8_t> bytes);

TensorSpec SpecOf(const hal::BufferView& view);

// The bytes of a tensor's elements, in place; valid as long as its buffer and
// until somebody writes there. FAILED_PRECONDITION: the host cannot see them.
absl::StatusOr<std::span<const uint8_t>> BytesOf(const hal::BufferView& view);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_H_
