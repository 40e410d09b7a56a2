// What a buffer of a call is, and what becomes of one that a caller has: the
// oracle between a signature, which knows types, and a device, which has
// memory.
//
// It completes what is known of a buffer by its type, or refuses it, and says
// whether the buffer can be used as it is or is to be copied, packed or
// converted. Without memory a description is of a buffer to be made, which
// CreateBuffer does.
// Tested by buffer_description_test.cc.
#ifndef EYRIE_ABI_V0_BUFFER_DESCRIPTION_H_
#define EYRIE_ABI_V0_BUFFER_DESCRIPTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "abi/buffer_use.h"
#include "abi/host_value.h"
#include "abi/v0/raw_signature.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/element_type.h"

namespace eyrie::abi::v0 {

struct BufferDescription {
  enum class Memory : uint8_t {
    kNone,  // a buffer that is to be made
    kHost,
    kDevice,
  };
  using Dimensions = hal::BufferView::Shape;
  static constexpr int64_t kUnknown = -1;

  hal::ElementType element = hal::ElementType::kNone;  // kNone: not known
  // Of all elements when they are packed.
  std::optional<uint64_t> byte_length;
  std::optional<Dimensions> shape;  // kUnknown where not known
  // In bytes; may be negative or zero. None: packed as the signature has it.
  std::optional<Dimensions> strides;

  Memory memory = Memory::kNone;
  uint64_t alignment = 1;               // of the first element, in host memory
  const hal::Device* device = nullptr;  // whose memory it is
  bool lends = false;  // the call may use this memory, and change it
  bool casts = false;  // elements may be converted with loss

  // Of memory that a caller has; what lies on a device is taken to lie on this
  // one, and a view to have its elements in the signature's order.
  static BufferDescription Of(const HostArray& array,
                              const hal::Device* device);
  static BufferDescription Of(const hal::BufferView& view,
                              const hal::Device* device);

  // "2x?xf32", "*xf32": what is known of shape and element type.
  std::string ToString() const;
};

struct BufferPlan {
  // Compatible with the call, and complete: element type, length, shape and
  // strides.
  BufferDescription description;
  BufferUse use = BufferUse::kMake;
};

// INVALID_ARGUMENT: the type is no buffer's; rank, dimension, length or strides
// are not the type's, or a dimension is not known; the sentence names it. Or
// elements would lose what they are. UNIMPLEMENTED: elements of less than a
// byte, or that have no numbers. RESOURCE_EXHAUSTED: more than 64 bits count.
absl::StatusOr<BufferPlan> BufferDescriptionOracle(
    const hal::Device& device, const RawType& type,
    const BufferDescription& given);

// Where the memory of new buffers is counted: as modules of a context do.
struct BufferOwner {
  uint64_t id = 0;  // hal::BufferParams::owner
  std::shared_ptr<MemoryMeter> meter;
};

// A buffer for a complete description. Its elements are zero, or what the
// owner's own buffers held. RESOURCE_EXHAUSTED: the memory is not to be had.
absl::StatusOr<Ref<hal::BufferView>> CreateBuffer(
    hal::Device& device, const BufferDescription& description,
    const BufferOwner& owner = {});

// A caller's array as a buffer of a type: what the oracle says, done. Fails as
// both do, or as ConvertElements where an element has no equal.
absl::StatusOr<Ref<hal::BufferView>> ToBuffer(
    hal::Device& device, const RawType& type,
    std::shared_ptr<const HostArray> array, const BufferOwner& owner = {});

// The elements of a buffer of this type, in the order that it says. As
// HostArray::OfTensor.
absl::StatusOr<std::shared_ptr<const HostArray>> FromBuffer(
    const RawType& type, Ref<hal::BufferView> view);

// A buffer with its elements by rows as one of this type, in the order that it
// says, and back. The same buffer where that is by rows. As ToBuffer.
absl::StatusOr<Ref<hal::BufferView>> FromRows(hal::Device& device,
                                              const RawType& type,
                                              Ref<hal::BufferView> view);
absl::StatusOr<Ref<hal::BufferView>> ToRows(hal::Device& device,
                                            const RawType& type,
                                            Ref<hal::BufferView> view);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_BUFFER_DESCRIPTION_H_
