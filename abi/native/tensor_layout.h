// The orders in which elements of tensors are stored, and copies between them.
//
//   "row_major"      the last dimension first, as in all tensors of modules
//   "column_major"   the last dimension but one first: matrices as LAPACK
//                    stores them. Earlier dimensions count matrices
//   [0, 1, 2]        these dimensions, from the one whose elements are next to
//                    each other; XLA calls it minor to major
//
// Memref types may give the strides, with gaps.
// Tested by tensor_layout_test.cc, manifest_test.cc, memref/descriptor_test.cc.
#ifndef EYRIE_ABI_NATIVE_TENSOR_LAYOUT_H_
#define EYRIE_ABI_NATIVE_TENSOR_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/native/shape_rule.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace eyrie::native {

// Immutable; may be shared by threads.
class TensorLayout {
 public:
  using Strides = absl::InlinedVector<int64_t, 6>;

  // Creates the row-major layout.
  TensorLayout() = default;

  // Reads a manifest's layout for tensors of this rank, which may be kAnyRank.
  // `where` names the tensor in messages. INVALID_ARGUMENT: the value has
  // another form, is not a permutation of the dimensions, needs more dimensions
  // than there are, or is an array while the rank is not known.
  static absl::StatusOr<TensorLayout> Read(const Json& value,
                                           absl::string_view where,
                                           OperandRank rank);
  // Creates a layout with these strides, in elements, which must not be
  // negative. Those that are kDynamic are row-major if the others then are;
  // otherwise they are chosen so that elements do not overlap.
  static TensorLayout OfStrides(std::vector<int64_t> strides);

  bool is_row_major() const {
    return order_.empty() && !has_columns_ && strides_.empty();
  }
  // INVALID_ARGUMENT: the layout needs more dimensions than `rank`; the message
  // begins with `what`. Call it for tensors whose rank the manifest does not
  // give.
  absl::Status CheckRank(absl::string_view what, size_t rank) const;
  // Returns the strides of a tensor of a rank that fits, in elements.
  Strides StridesOf(std::span<const int64_t> dims) const {
    Strides strides;
    Place(dims, strides);
    return strides;
  }
  // Returns the number of elements from the first to the end of the last, gaps
  // included, or nullopt if it overflows; strides may have wrapped then.
  std::optional<int64_t> ExtentOf(std::span<const int64_t> dims) const {
    Strides strides;
    return Place(dims, strides);
  }
  // Reports whether the elements of such a tensor are in another order than in
  // a row-major one. Dimensions of size 1 have no order.
  bool Moves(std::span<const int64_t> dims) const;

  // Returns "column_major", "[0,1]", or "" for the row-major layout.
  std::string ToString() const;
  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;

 private:
  absl::Status ReadOrder(const Json& value, absl::string_view where,
                         OperandRank rank);
  // Sets the strides of a tensor, and returns its extent.
  std::optional<int64_t> Place(std::span<const int64_t> dims,
                               Strides& strides) const;
  std::optional<int64_t> PlaceStrided(std::span<const int64_t> dims,
                                      Strides& strides) const;

  // At most one of these is set.
  bool has_columns_ = false;      // column-major
  std::vector<uint8_t> order_;    // minor to major
  std::vector<int64_t> strides_;  // as OfStrides
};

// Returns the product, which may wrap for shapes without elements.
inline int64_t WrappingProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

// Copies elements of 1, 2, 4, 8 or 16 bytes. Strides are in elements; they may
// be 0 or negative. `from` and `to` are the addresses of the element with index
// 0. The memories must not overlap. Does nothing if a dimension is 0. Matrices
// that are transposed are copied in square tiles, so that both sides use whole
// cache lines.
void CopyStrided(std::span<const int64_t> dims, size_t bytes,
                 const uint8_t* from, std::span<const int64_t> from_strides,
                 uint8_t* to, std::span<const int64_t> to_strides);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_TENSOR_LAYOUT_H_
