// A tensor: a buffer with a shape and an element type.
//
// Immutable; may be shared by threads. The elements of a dense view are in
// row-major order and always fit in the buffer; elements of less than a byte
// are packed.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_BUFFER_VIEW_H_
#define EYRIE_HAL_BUFFER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/element_type.h"
#include "hal/tensor_type.h"

namespace eyrie::hal {

// The layout of elements; the values are those that modules pass.
enum class EncodingType : uint32_t { kOpaque = 0, kDenseRowMajor = 1 };

class BufferView final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.buffer_view"};
  using Shape = TensorType::Shape;

  // INVALID_ARGUMENT: null buffer, negative dimension, element type without a
  // size, or a byte size that overflows or exceeds the buffer's. A view that is
  // not dense covers the whole buffer.
  static absl::StatusOr<Ref<BufferView>> Create(
      Ref<Buffer> buffer, std::span<const int64_t> shape, ElementType type,
      EncodingType encoding = EncodingType::kDenseRowMajor);

  const Ref<Buffer>& buffer() const { return buffer_; }
  std::span<const int64_t> shape() const { return shape_; }
  ElementType element_type() const { return element_type_; }
  EncodingType encoding() const { return encoding_; }
  // Product of the dimensions; 1 for rank 0.
  int64_t element_count() const { return element_count_; }
  // Bytes that the elements take; at most the buffer's length.
  uint64_t byte_length() const { return byte_length_; }

  // Reports whether the caller's reference to the view is the only one, and
  // nothing else refers to its memory.
  bool IsSoleOwner() const {
    const Buffer& memory = buffer_->allocation();
    return IsUnique() && buffer_->IsUnique() && memory.IsUnique() &&
           memory.HasOneOwner();
  }

  // Returns the type as text: "2x3xf32".
  std::string ShapeAndType() const;

  // Each thread keeps the memory of a few views for its next ones, because
  // every call creates some.
  static void* operator new(size_t size);
  static void operator delete(void* memory);

 private:
  BufferView(Ref<Buffer> buffer, std::span<const int64_t> shape,
             ElementType type, EncodingType encoding, int64_t element_count,
             uint64_t byte_length);
  template <typename T, typename... Args>
  friend Ref<T> eyrie::MakeRef(Args&&... args);

  Ref<Buffer> buffer_;
  Shape shape_;
  ElementType element_type_;
  EncodingType encoding_;
  int64_t element_count_;
  uint64_t byte_length_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_BUFFER_VIEW_H_
