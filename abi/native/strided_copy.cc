#include "abi/native/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/container/inlined_vector.h"

namespace eyrie::native {
namespace {

// A tile of 16 elements of 4 bytes is as wide as a cache line.
constexpr int64_t kTile = 16;

// A dimension; strides are in bytes.
struct Axis {
  int64_t size = 1;
  int64_t from = 0;
  int64_t to = 0;
};
using Axes = absl::InlinedVector<Axis, 8>;

// Returns the dimensions without those of size 1. A dimension that continues
// the next one on both sides is joined with it.
Axes AxesOf(std::span<const int64_t> dims, int64_t width,
            std::span<const int64_t> from, std::span<const int64_t> to) {
  Axes axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const Axis axis = {dims[i], WrappingProduct(from[i], width),
                       WrappingProduct(to[i], width)};
    if (!axes.empty() &&
        axes.back().from == WrappingProduct(axis.size, axis.from) &&
        axes.back().to == WrappingProduct(axis.size, axis.to)) {
      axes.back() = {axes.back().size * axis.size, axis.from, axis.to};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

// Removes and returns the dimension with the smallest stride on one side.
Axis TakeInner(Axes& axes, int64_t Axis::* stride) {
  if (axes.empty()) return {};
  // The last one if several are equal.
  size_t best = axes.size() - 1;
  for (size_t i = best; i-- > 0;) {
    if (std::abs(axes[i].*stride) < std::abs(axes[best].*stride)) best = i;
  }
  const Axis axis = axes[best];
  axes.erase(axes.begin() + static_cast<ptrdiff_t>(best));
  return axis;
}

template <size_t kBytes>
void CopyPlane(const Axis& rows, const Axis& columns, const uint8_t* from,
               uint8_t* to) {
  for (int64_t i = 0; i < rows.size; i += kTile) {
    const int64_t i_end = std::min(i + kTile, rows.size);
    for (int64_t j = 0; j < columns.size; j += kTile) {
      const int64_t j_end = std::min(j + kTile, columns.size);
      for (int64_t row = i; row < i_end; ++row) {
        for (int64_t column = j; column < j_end; ++column) {
          std::memcpy(to + row * rows.to + column * columns.to,
                      from + row * rows.from + column * columns.from, kBytes);
        }
      }
    }
  }
}

void CopyPlane(const Axis& rows, const Axis& columns, size_t bytes,
               const uint8_t* from, uint8_t* to) {
  const auto width = static_cast<int64_t>(bytes);
  if (rows.size == 1 && columns.from == width && columns.to == width) {
    std::memcpy(to, from, static_cast<size_t>(columns.size) * bytes);
    return;
  }
  switch (bytes) {
    case 1:
      return CopyPlane<1>(rows, columns, from, to);
    case 2:
      return CopyPlane<2>(rows, columns, from, to);
    case 4:
      return CopyPlane<4>(rows, columns, from, to);
    case 8:
      return CopyPlane<8>(rows, columns, from, to);
    default:
      return CopyPlane<16>(rows, columns, from, to);
  }
}

}  // namespace

void CopyStrided(std::span<const int64_t> dims, size_t bytes,
                 const uint8_t* from, std::span<const int64_t> from_strides,
                 uint8_t* to, std::span<const int64_t> to_strides) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  Axes outer =
      AxesOf(dims, static_cast<int64_t>(bytes), from_strides, to_strides);
  const Axis columns = TakeInner(outer, &Axis::to);
  // A plane whose columns are dense on both sides is copied row by row.
  const Axis rows =
      columns.from == columns.to ? Axis() : TakeInner(outer, &Axis::from);
  absl::InlinedVector<int64_t, 8> index(outer.size(), 0);
  while (true) {
    CopyPlane(rows, columns, bytes, from, to);
    size_t i = outer.size();
    for (; i > 0; --i) {
      const Axis& axis = outer[i - 1];
      from += axis.from;
      to += axis.to;
      if (++index[i - 1] < axis.size) break;
      index[i - 1] = 0;
      from -= axis.size * axis.from;
      to -= axis.size * axis.to;
    }
    if (i == 0) return;
  }
}

}  // namespace eyrie::native
