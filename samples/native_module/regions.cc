// regions.label: finds the connected regions of an image.
//
// A native module in C++. Tensor compilers handle this problem badly, because
// each pixel may depend on any other; union-find needs one pass. The function
// has the C interface of MLIR functions over memrefs. regions.json declares its
// type, with which Eyrie checks imports and calls.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

namespace {

// MLIR's descriptor of a memref: the allocated memory and the element layout.
template <typename T, int kRank>
struct MemRef {
  T* allocated;
  T* aligned;
  int64_t offset;
  int64_t sizes[kRank];
  int64_t strides[kRank];  // in elements

  T& at(int64_t i, int64_t j) const {
    return aligned[offset + i * strides[0] + j * strides[1]];
  }
};

// Disjoint sets of pixels. A set is identified by its first pixel.
class Sets {
 public:
  explicit Sets(int64_t count) : parent_(static_cast<size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int64_t Find(int64_t pixel) {
    while (parent_[pixel] != pixel) {
      pixel = parent_[pixel] = parent_[parent_[pixel]];
    }
    return pixel;
  }
  void Join(int64_t a, int64_t b) {
    a = Find(a);
    b = Find(b);
    parent_[a > b ? a : b] = a > b ? b : a;
  }

 private:
  std::vector<int64_t> parent_;
};

// Allocates a result. The caller owns it and frees it with free(). Eyrie uses
// it without a copy if it is aligned to 64 bytes.
MemRef<int32_t, 2> Allocate(int64_t rows, int64_t columns) {
  const size_t bytes = static_cast<size_t>(rows * columns) * sizeof(int32_t);
  void* const memory = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (memory == nullptr) std::abort();  // the interface has no errors
  auto* const data = static_cast<int32_t*>(memory);
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

}  // namespace

// Labels the regions of pixels that are at least `threshold` and share edges,
// from 1 in the order of their first pixels. All other pixels get 0.
extern "C" [[gnu::visibility("default")]] void _mlir_ciface_label(
    MemRef<int32_t, 2>* result, const MemRef<float, 2>* image,
    float threshold) {
  const int64_t rows = image->sizes[0];
  const int64_t columns = image->sizes[1];
  const auto is_set = [&](int64_t i, int64_t j) {
    return image->at(i, j) >= threshold;
  };
  Sets sets(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      if (!is_set(i, j)) continue;
      const int64_t pixel = i * columns + j;
      if (i > 0 && is_set(i - 1, j)) sets.Join(pixel, pixel - columns);
      if (j > 0 && is_set(i, j - 1)) sets.Join(pixel, pixel - 1);
    }
  }
  *result = Allocate(rows, columns);
  int32_t regions = 0;
  for (int64_t pixel = 0; pixel < rows * columns; ++pixel) {
    const int64_t first = sets.Find(pixel);
    int32_t label = 0;
    if (first != pixel) {
      label = result->aligned[first];
    } else if (is_set(pixel / columns, pixel % columns)) {
      label = ++regions;
    }
    result->aligned[pixel] = label;
  }
}
