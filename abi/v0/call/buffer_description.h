// Decides how a buffer of a call is made or converted.
//
// BufferDescriptionOracle completes a partial description of a buffer from its
// declared type and the device, or rejects it. It decides whether a call can
// use the caller's memory directly, or must copy, pack or convert it. A
// description without memory is for a new buffer, which CreateBuffer allocates.
// Tested by abi/call/buffer_description_test.cc.
#ifndef EYRIE_ABI_V0_CALL_BUFFER_DESCRIPTION_H_
#define EYRIE_ABI_V0_CALL_BUFFER_DESCRIPTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "abi/v0/raw_signature.h"
#include "abi/value/convert.h"
#include "abi/value/host_value.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/element_type.h"

namespace eyrie::abi::v0 {

struct BufferDescription {
  enum class Memory : uint8_t {
    kNone,  // a buffer to be created
    kHost,
    kDevice,
  };
  using Dimensions = hal::BufferView::Shape;
  static constexpr int64_t kUnknown = -1;

  hal::ElementType element = hal::ElementType::kNone;  // kNone: unknown
  // The size of all elements when packed.
  std::optional<uint64_t> byte_length;
  std::optional<Dimensions> shape;  // kUnknown where unknown
  // In bytes; may be negative or zero. nullopt: packed in the signature's
  // order.
  std::optional<Dimensions> strides;

  Memory memory = Memory::kNone;
  uint64_t alignment = 1;               // of the first element, in host memory
  const hal::Device* device = nullptr;  // of the memory
  bool lends = false;  // the call may use and change this memory
  bool casts = false;  // allows conversions with loss

  // Describes a caller's memory. Device memory is assumed to be on this device,
  // and a view's elements to be in the signature's order.
  static BufferDescription Of(const HostArray& array,
                              const hal::Device* device);
  static BufferDescription Of(const hal::BufferView& view,
                              const hal::Device* device);

  // Returns the known parts of shape and element type: "2x?xf32", "*xf32".
  std::string ToString() const;
};

struct BufferPlan {
  // Compatible with the call and complete: element type, length, shape and
  // strides are known.
  BufferDescription description;
  BufferUse use = BufferUse::kMake;
};

// INVALID_ARGUMENT: the type is not a buffer's; the rank, a dimension, the
// length or the strides differ from the type's, or a dimension is unknown (the
// message names it); or a conversion would lose data. UNIMPLEMENTED: the
// elements are smaller than a byte, or are not numbers. RESOURCE_EXHAUSTED: the
// size exceeds 64 bits.
absl::StatusOr<BufferPlan> BufferDescriptionOracle(
    const hal::Device& device, const RawType& type,
    const BufferDescription& given);

// Accounts for the memory of new buffers, in the same way as modules of a
// context.
struct BufferOwner {
  uint64_t id = 0;  // hal::BufferParams::owner
  std::shared_ptr<MemoryMeter> meter;
};

// Creates a buffer for a complete description. Elements are zero, or data of
// earlier buffers of the same owner. RESOURCE_EXHAUSTED: out of memory.
absl::StatusOr<Ref<hal::BufferView>> CreateBuffer(
    hal::Device& device, const BufferDescription& description,
    const BufferOwner& owner = {});

// Converts a caller's array to a buffer of a type, as the oracle decides.
// Returns the errors of the oracle and CreateBuffer, and those of
// ConvertElements if an element cannot be represented.
absl::StatusOr<Ref<hal::BufferView>> ToBuffer(
    hal::Device& device, const RawType& type,
    std::shared_ptr<const HostArray> array, const BufferOwner& owner = {});

// Returns the elements of a buffer of this type, in the type's order. Returns
// the errors of HostArray::OfTensor.
absl::StatusOr<std::shared_ptr<const HostArray>> FromBuffer(
    const RawType& type, Ref<hal::BufferView> view);

// Convert between a row-major buffer and one in the type's order. They return
// the same buffer if the type is row-major. Errors are as for ToBuffer.
absl::StatusOr<Ref<hal::BufferView>> FromRows(hal::Device& device,
                                              const RawType& type,
                                              Ref<hal::BufferView> view);
absl::StatusOr<Ref<hal::BufferView>> ToRows(hal::Device& device,
                                            const RawType& type,
                                            Ref<hal::BufferView> view);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_CALL_BUFFER_DESCRIPTION_H_
