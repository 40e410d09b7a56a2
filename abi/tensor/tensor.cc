#include "abi/tensor/tensor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::abi {

hal::BufferParams TensorParams() {
  hal::BufferParams params;
  params.type = hal::memory_type::kDeviceLocal | hal::memory_type::kHostVisible;
  params.usage = hal::buffer_usage::kDefault | hal::buffer_usage::kMapping;
  return params;
}

namespace {

absl::StatusOr<Ref<hal::BufferView>> Create(
    hal::Device& device, const hal::TensorType& spec, uint64_t owner,
    const std::shared_ptr<MemoryMeter>& memory) {
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  hal::BufferParams params = TensorParams();
  params.owner = owner;
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      device.allocator().AllocateCharged(memory, "an argument", params, size));
  return hal::BufferView::Create(std::move(buffer), spec.shape, spec.element);
}

}  // namespace

absl::StatusOr<Ref<hal::BufferView>> NewTensor(
    hal::Device& device, const hal::TensorType& spec,
    const std::shared_ptr<MemoryMeter>& memory) {
  return Create(device, spec, /*owner=*/0, memory);
}

absl::StatusOr<Ref<hal::BufferView>> CopyTensor(
    hal::Device& device, const hal::TensorType& spec,
    std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  if (bytes.size() != size) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes are given; ", spec.ToString(),
                     " needs ", size, "."));
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   Create(device, spec, hal::kOverwritten, nullptr));
  RETURN_IF_ERROR(view->buffer()->Write(0, bytes));
  return view;
}

hal::TensorType SpecOf(const hal::BufferView& view) {
  hal::TensorType spec;
  spec.element = view.element_type();
  spec.shape.assign(view.shape().begin(), view.shape().end());
  return spec;
}

absl::StatusOr<std::span<const uint8_t>> BytesOf(const hal::BufferView& view) {
  // The shape of any other view says nothing about its memory.
  if (view.encoding() != hal::EncodingType::kDenseRowMajor) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The elements of ", view.ShapeAndType(), " with the encoding ",
        static_cast<uint32_t>(view.encoding()), " cannot be read."));
  }
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> bytes,
      view.buffer()->Map(hal::memory_access::kRead, 0, view.byte_length()));
  return bytes;
}

}  // namespace eyrie::abi
