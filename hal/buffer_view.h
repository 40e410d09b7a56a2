// A shape and an element type over a buffer: the tensors of a call.
//
// Immutable and shared by threads. Dense row-major; the byte length needed is
// never more than the buffer's, sub-byte elements are packed.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_BUFFER_VIEW_H_
#define EYRIE_HAL_BUFFER_VIEW_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/element_type.h"

namespace eyrie::hal {

// How elements are laid out. Modules pass these numbers.
enum class EncodingType : uint32_t { kOpaque = 0, kDenseRowMajor = 1 };

class BufferView final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.buffer_view"};
  using Shape = absl::InlinedVector<int64_t, 6>;

  // INVALID_ARGUMENT: no buffer, a negative dimension, a byte size that
  // overflows, or one greater than the buffer's. A view that is not dense has
  // all of the buffer's bytes.
  static absl::StatusOr<Ref<BufferView>> Create(
      Ref<Buffer> buffer, std::span<const int64_t> shape, ElementType type,
      EncodingType encoding = EncodingType::kDenseRowMajor);

  const Ref<Buffer>& buffer() const { return buffer_; }
  std::span<const int64_t> shape() const { return shape_; }
  ElementType element_type() const { return element_type_; }
  EncodingType encoding() const { return encoding_; }
  // Product of the dimensions; 1 for rank 0.
  int64_t element_count() const { return element_count_; }
  // Bytes that the elements take, at most the buffer's length.
  uint64_t byte_length() const { return byte_length_; }

  // "2x3xf32"; a dynamic dimension never stands in a view.
  std::string ShapeAndType() const;

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
