// Ranges of elements that microkernels walk, checked before anything is read.
//
// Offsets and strides are in elements. They must not be negative. A stride of 0
// repeats an element.
// Tested by module_test.cc.
#ifndef EYRIE_HAL_VMVX_STRIDED_H_
#define EYRIE_HAL_VMVX_STRIDED_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vm/object/buffer.h"

namespace eyrie::hal::vmvx {

// An element at any address. Bindings are aligned, but ranges that a program
// computes in them may not be.
template <typename T>
struct Unaligned {
  using type [[gnu::aligned(1), gnu::may_alias]] = T;
};
template <typename T>
using Any = typename Unaligned<T>::type;

// The values that a program passes for one operand.
struct Operand {
  absl::string_view name;  // "lhs"
  vm::Buffer* buffer;
  int64_t offset;
  int64_t stride0;
  int64_t stride1;
};

// The elements that a kernel visits: `size0` rows of `size1` elements.
struct Extent {
  int64_t size0;
  int64_t size1;

  bool empty() const { return size0 == 0 || size1 == 0; }
};

// OUT_OF_RANGE: a size is negative.
absl::Status CheckExtent(const Extent& extent);

// OUT_OF_RANGE: an offset or stride is negative, or the elements of `width`
// bytes exceed the buffer. The extent must have passed CheckExtent, and must
// not be empty.
absl::Status CheckOperand(const Operand& operand, const Extent& extent,
                          uint64_t width);
// Checks an operand that is written, as CheckOperand does. PERMISSION_DENIED:
// the buffer is read-only.
absl::Status CheckTarget(const Operand& operand, const Extent& extent,
                         uint64_t width);

// Returns the first element of a checked operand.
template <typename T>
const Any<T>* Begin(const Operand& operand) {
  return reinterpret_cast<const Any<T>*>(operand.buffer->data() +
                                         operand.offset * sizeof(T));
}
template <typename T>
Any<T>* BeginTarget(const Operand& operand) {
  return const_cast<Any<T>*>(Begin<T>(operand));
}

// Multiplies two sizes. OUT_OF_RANGE: a size is negative, or the product
// exceeds i64.
absl::Status MultiplySizes(int64_t a, int64_t b, int64_t& product);

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_STRIDED_H_
