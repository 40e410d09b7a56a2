// Buffer views: the sum of a shape, and its text.
//
// Tested by buffer_test.cc.
#include "hal/buffer_view.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"

namespace eyrie::hal {
namespace {

std::string ShapeText(std::span<const int64_t> shape, ElementType type) {
  return absl::StrCat(absl::StrJoin(shape.begin(), shape.end(), "x"),
                      shape.empty() ? "" : "x", ElementTypeName(type));
}

// The product of the dimensions; nullopt on overflow. A zero anywhere makes
// it zero, whatever the others are.
std::optional<int64_t> ElementCount(std::span<const int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (int64_t dimension : shape) {
    if (dimension == 0) return 0;
    if (count) count = CheckedMul(*count, dimension);
  }
  return count;
}

// What is wrong with a view that takes `length` bytes, if that is a number.
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
  int64_t all_dimensions = 0;
  for (const int64_t dimension : shape) all_dimensions |= dimension;
  const std::optional<int64_t> count = ElementCount(shape);
  std::optional<uint64_t> length;
  if (count && encoding == EncodingType::kDenseRowMajor) {
    length = DenseByteLength(type, *count);
  } else if (count) {
    length = buffer->byte_length();
  }
  if (all_dimensions < 0 || BitCount(type) == 0 || !length ||
      *length > buffer->byte_length()) [[unlikely]] {
    return ExplainView(*buffer, shape, type, length);
  }
  return MakeRef<BufferView>(std::move(buffer), shape, type, encoding, *count,
                             *length);
}

std::string BufferView::ShapeAndType() const {
  return ShapeText(shape_, element_type_);
}

}  // namespace eyrie::hal
