#include "abi/native/tensor_layout.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/tensor_type.h"

namespace eyrie::native {
namespace {

constexpr size_t kMatrixRank = 2;

absl::Status BadLayout(absl::string_view where, absl::string_view layout,
                       absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, ", where, " has the layout ", layout, why));
}

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

absl::Status TensorLayout::ReadOrder(const Json& value, absl::string_view where,
                                     OperandRank rank) {
  if (rank == kAnyRank) {
    return BadLayout(where, "of an array",
                     ", but its rank is not known: declare its dimensions, or "
                     "use \"column_major\".");
  }
  std::vector<std::string> texts;
  std::vector<uint8_t> seen(static_cast<size_t>(rank), 0);
  bool is_permutation = value.items.size() == seen.size();
  for (const Json& item : value.items) {
    if (!item.is(Json::Kind::kInt)) {
      return BadLayout(where, "of an array",
                       absl::StrCat(" that contains ", item.Describe(),
                                    "; numbers of dimensions are expected."));
    }
    if (texts.size() <= ShapeRule::kMaxRank) {
      texts.push_back(absl::StrCat(item.integer));
    }
    is_permutation =
        is_permutation && item.integer >= 0 && item.integer < rank &&
        std::exchange(seen[static_cast<size_t>(item.integer)], 1) == 0;
    if (is_permutation) order_.push_back(static_cast<uint8_t>(item.integer));
  }
  if (!is_permutation) {
    return BadLayout(where, absl::StrCat("[", absl::StrJoin(texts, ", "), "]"),
                     absl::StrCat(", which is not a permutation of its ", rank,
                                  " dimensions."));
  }
  if (std::is_sorted(order_.rbegin(), order_.rend())) order_.clear();
  return absl::OkStatus();
}

absl::StatusOr<TensorLayout> TensorLayout::Read(const Json& value,
                                                absl::string_view where,
                                                OperandRank rank) {
  TensorLayout layout;
  if (value.is(Json::Kind::kArray)) {
    RETURN_IF_ERROR(layout.ReadOrder(value, where, rank));
    return layout;
  }
  if (value.is(Json::Kind::kString) && value.text == "row_major") return layout;
  if (!value.is(Json::Kind::kString) || value.text != "column_major") {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, the layout of ", where, " is ",
        value.is(Json::Kind::kString)
            ? absl::StrCat("'", PlainName(value.text), "'")
            : value.Describe(),
        "; \"row_major\", \"column_major\" or an array of dimensions is "
        "expected."));
  }
  layout.has_columns_ = true;
  if (rank != kAnyRank && rank < static_cast<OperandRank>(kMatrixRank)) {
    return BadLayout(
        where, value.text,
        absl::StrCat(", which needs 2 dimensions, but has rank ", rank, "."));
  }
  return layout;
}

absl::Status TensorLayout::CheckRank(absl::string_view what,
                                     size_t rank) const {
  if (!has_columns_ || rank >= kMatrixRank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has rank ", rank,
                   "; its layout, column_major, needs 2 dimensions or more."));
}

TensorLayout TensorLayout::OfStrides(std::vector<int64_t> strides) {
  TensorLayout layout;
  const auto is_dynamic = [](int64_t stride) {
    return stride == hal::TensorType::kDynamic;
  };
  if (!std::all_of(strides.begin(), strides.end(), is_dynamic)) {
    layout.strides_ = std::move(strides);
  }
  return layout;
}

std::optional<int64_t> TensorLayout::Place(std::span<const int64_t> dims,
                                           Strides& strides) const {
  if (!strides_.empty()) return PlaceStrided(dims, strides);
  strides.resize(dims.size());
  int64_t next = 1;
  bool overflows = false;
  bool is_empty = false;
  const auto place = [&](size_t dim) {
    strides[dim] = next;
    is_empty = is_empty || dims[dim] == 0;
    overflows = __builtin_mul_overflow(next, dims[dim], &next) || overflows;
  };
  size_t rank = dims.size();
  if (!order_.empty()) {
    for (const uint8_t dim : order_) place(dim);
    rank = 0;
  } else if (has_columns_) {
    place(rank - 2);
    place(rank - 1);
    rank -= kMatrixRank;
  }
  while (rank > 0) place(--rank);
  if (is_empty) return 0;
  return overflows ? std::nullopt : std::optional(next);
}

std::optional<int64_t> TensorLayout::PlaceStrided(std::span<const int64_t> dims,
                                                  Strides& strides) const {
  const std::optional<int64_t> dense = TensorLayout().Place(dims, strides);
  const auto is_fixed = [&](size_t dim) {
    return strides_[dim] != hal::TensorType::kDynamic;
  };
  bool fits = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    fits = fits && (!is_fixed(i) || dims[i] <= 1 || strides[i] == strides_[i]);
  }
  if (fits) return dense;
  // The fixed dimensions first, then the others around them.
  int64_t extent = 1;
  bool overflows = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return 0;
    if (!is_fixed(i)) continue;
    strides[i] = strides_[i];
    int64_t reach = 0;
    overflows = __builtin_mul_overflow(dims[i] - 1, strides[i], &reach) ||
                __builtin_add_overflow(extent, reach, &extent) || overflows;
  }
  for (size_t i = dims.size(); i-- > 0;) {
    if (is_fixed(i)) continue;
    strides[i] = extent;
    overflows = __builtin_mul_overflow(extent, dims[i], &extent) || overflows;
  }
  return overflows ? std::nullopt : std::optional(extent);
}

bool TensorLayout::Moves(std::span<const int64_t> dims) const {
  if (is_row_major()) return false;
  const Strides own = StridesOf(dims);
  const Strides plain = TensorLayout().StridesOf(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return false;
    if (dims[i] != 1 && own[i] != plain[i]) return true;
  }
  return false;
}

std::string TensorLayout::ToString() const {
  if (has_columns_) return "column_major";
  if (order_.empty()) return "";
  return absl::StrCat("[",
                      absl::StrJoin(order_, ",",
                                    [](std::string* out, uint8_t dim) {
                                      absl::StrAppend(out,
                                                      static_cast<int>(dim));
                                    }),
                      "]");
}

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
