#include "abi/native/tensor_layout.h"

#include <algorithm>
#include <utility>

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

}  // namespace eyrie::native
