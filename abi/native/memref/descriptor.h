// Memref descriptors as MLIR lowers them, with an index of 32 or 64 bits, and
// the shapes in them.
//
//   allocated* | aligned* | offset | sizes[rank] | strides[rank]
//
// Offset and strides count elements. An unranked memref is { rank, descriptor*
// }; its rank has the index's bits, and it takes 16 bytes. Both are aligned to
// 8. Source of the format: MLIR's LLVM type converter.
// Tested by descriptor_test.cc, call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_DESCRIPTOR_H_
#define EYRIE_ABI_NATIVE_MEMREF_DESCRIPTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "abi/native/memref/type.h"

namespace eyrie::native {

// The offset, sizes and strides of a memref, with room for the largest rank.
struct MemrefShape {
  using Numbers = std::array<int64_t, MemrefType::kMaxRank>;

  size_t rank = 0;
  Numbers sizes = {};
  Numbers strides = {};

  std::span<const int64_t> dims() const { return {sizes.data(), rank}; }
};

struct MemrefDescriptor {
  void* allocated = nullptr;  // the pointer to free
  uint8_t* aligned = nullptr;
  int64_t offset = 0;
  MemrefShape shape;
};

// Stores the descriptor of a row-major tensor with a 64-bit index.
inline void StoreDense(void* data, std::span<const int64_t> dims,
                       uint64_t* words) {
  words[0] = words[1] = reinterpret_cast<uintptr_t>(data);
  words[2] = 0;
  uint64_t* const sizes = words + 3;
  uint64_t* const strides = sizes + dims.size();
  uint64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    sizes[i] = static_cast<uint64_t>(dims[i]);
    strides[i] = stride;
    stride *= sizes[i];
  }
}

// The memory layout of descriptors.
class DescriptorLayout {
 public:
  static constexpr size_t kUnrankedBytes = 16;

  explicit DescriptorLayout(int index_bits) : is_wide_(index_bits == 64) {}

  size_t Bytes(size_t rank) const {
    const size_t index = is_wide_ ? 8 : 4;
    return (2 * sizeof(void*) + index * (1 + 2 * rank) + 7) & ~size_t{7};
  }
  // For both functions, `at` must have Bytes(rank) bytes. A 32-bit index is
  // stored as the low bits.
  void Store(const MemrefDescriptor& descriptor, uint8_t* at) const {
    std::memcpy(at, &descriptor.allocated, sizeof(void*));
    std::memcpy(at + sizeof(void*), &descriptor.aligned, sizeof(void*));
    at += 2 * sizeof(void*);
    return is_wide_ ? StoreNumbers<int64_t>(descriptor, at)
                    : StoreNumbers<int32_t>(descriptor, at);
  }
  MemrefDescriptor Load(const uint8_t* at, size_t rank) const {
    MemrefDescriptor descriptor;
    std::memcpy(&descriptor.allocated, at, sizeof(void*));
    std::memcpy(&descriptor.aligned, at + sizeof(void*), sizeof(void*));
    descriptor.shape.rank = rank;
    at += 2 * sizeof(void*);
    is_wide_ ? LoadNumbers<int64_t>(at, descriptor)
             : LoadNumbers<int32_t>(at, descriptor);
    return descriptor;
  }

 private:
  template <typename Index>
  static void StoreNumbers(const MemrefDescriptor& from, uint8_t* at) {
    const auto put = [&at](int64_t number) {
      const auto index = static_cast<Index>(number);
      std::memcpy(at, &index, sizeof(index));
      at += sizeof(index);
    };
    put(from.offset);
    for (size_t i = 0; i < from.shape.rank; ++i) put(from.shape.sizes[i]);
    for (size_t i = 0; i < from.shape.rank; ++i) put(from.shape.strides[i]);
  }
  template <typename Index>
  static void LoadNumbers(const uint8_t* at, MemrefDescriptor& to) {
    const auto take = [&at]() -> int64_t {
      Index index;
      std::memcpy(&index, at, sizeof(index));
      at += sizeof(index);
      return index;
    };
    to.offset = take();
    for (size_t i = 0; i < to.shape.rank; ++i) to.shape.sizes[i] = take();
    for (size_t i = 0; i < to.shape.rank; ++i) to.shape.strides[i] = take();
  }

  bool is_wide_;
};

// Returns the shape of a row-major tensor. `dims` must have at most kMaxRank
// elements.
MemrefShape ShapeOf(std::span<const int64_t> dims);
// Sets the shape's strides, as many as it has dimensions.
void SetStrides(std::span<const int64_t> strides, MemrefShape& shape);
// Sets row-major strides without gaps. The sizes must not be negative.
void SetDenseStrides(MemrefShape& shape);
// Reports whether the elements are row-major without gaps. The stride of a
// dimension of size 1 is ignored; a shape without elements is dense.
bool IsDense(const MemrefShape& shape);

// Returns the product of the sizes, or nullopt if one is negative or the
// product overflows.
std::optional<int64_t> CountElements(const MemrefShape& shape);
// Copies the shape's elements, each of `bytes` bytes, from one set of strides
// to another. The ranges must not overlap.
void CopyStrided(const MemrefShape& shape, size_t bytes, const uint8_t* from,
                 const MemrefShape::Numbers& from_strides, uint8_t* to,
                 const MemrefShape::Numbers& to_strides);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_DESCRIPTOR_H_
