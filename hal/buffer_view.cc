#include "hal/buffer_view.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace eyrie::hal {
namespace {

std::string ShapeText(std::span<const int64_t> shape, ElementType type) {
  return absl::StrCat(absl::StrJoin(shape.begin(), shape.end(), "x"),
                      shape.empty() ? "" : "x", ElementTypeName(type));
}

// Uses plain numbers instead of std::optional, which is written in two parts
// and read in one: that stalls store forwarding, and every call runs this.
struct Extent {
  int64_t all = 0;       // bitwise or: negative if a dimension is
  int64_t elements = 1;  // 0 if any dimension is 0
  bool fits = true;      // `elements` does not overflow

  explicit Extent(std::span<const int64_t> shape) {
    bool empty = false;
    for (const int64_t dimension : shape) {
      all |= dimension;
      empty |= dimension == 0;
      fits &= !__builtin_mul_overflow(elements, dimension, &elements);
    }
    if (!empty) return;
    elements = 0;
    fits = true;
  }
};

// Returns why a view of `length` bytes (nullopt: overflow) is invalid.
[[gnu::cold]] absl::Status ExplainView(const Buffer& buffer,
                                       std::span<const int64_t> shape,
                                       ElementType type,
                                       std::optional<uint64_t> length) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Dimension ", i, " of a buffer view is negative (", shape[i], ")."));
  }
  if (BitCount(type) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The element type of a buffer view has no size (0x",
                     absl::Hex(static_cast<uint32_t>(type)), ")."));
  }
  if (!length) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The size of a ", ShapeText(shape, type), " buffer view overflows."));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("A ", ShapeText(shape, type), " buffer view takes ", *length,
                   " bytes; the buffer has ", buffer.byte_length(), "."));
}

}  // namespace

BufferView::BufferView(Ref<Buffer> buffer, std::span<const int64_t> shape,
                       ElementType type, EncodingType encoding,
                       int64_t element_count, uint64_t byte_length)
    : ChargedObject(kType),
      buffer_(std::move(buffer)),
      shape_(shape.begin(), shape.end()),
      element_type_(type),
      encoding_(encoding),
      element_count_(element_count),
      byte_length_(byte_length) {}

absl::StatusOr<Ref<BufferView>> BufferView::Create(
    Ref<Buffer> buffer, std::span<const int64_t> shape, ElementType type,
    EncodingType encoding) {
  if (!buffer) {
    return absl::InvalidArgumentError("A buffer view has no buffer.");
  }
  Extent extent(shape);
  uint64_t length = buffer->byte_length();
  if (encoding == EncodingType::kDenseRowMajor) {
    extent.fits =
        extent.fits && GetDenseByteLength(type, extent.elements, length);
  }
  if (extent.all < 0 || BitCount(type) == 0 || !extent.fits ||
      length > buffer->byte_length()) [[unlikely]] {
    return ExplainView(*buffer, shape, type,
                       extent.fits ? std::optional(length) : std::nullopt);
  }
  return MakeRef<BufferView>(std::move(buffer), shape, type, encoding,
                             extent.elements, length);
}

std::string BufferView::ShapeAndType() const {
  return ShapeText(shape_, element_type_);
}

}  // namespace eyrie::hal
