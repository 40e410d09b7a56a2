#include "tools/check/expectation.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_compare.h"
#include "abi/tensor/tensor_text.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

using hal::BufferView;
using hal::ElementType;
using Bytes = std::span<const uint8_t>;

// The elements that differ from the expectation.
struct Misfits {
  int64_t count = 0;
  int64_t first = 0;
};

Misfits FindMisfits(int64_t count,
                    absl::FunctionRef<bool(int64_t index)> fits) {
  Misfits misfits;
  for (int64_t i = 0; i < count; ++i) {
    if (fits(i)) continue;
    if (misfits.count++ == 0) misfits.first = i;
  }
  return misfits;
}

// "Element [1, 2]", or "The element" of rank 0.
std::string ElementName(const BufferView& view, int64_t index) {
  if (view.shape().empty()) return "The element";
  std::vector<int64_t> place(view.shape().size());
  for (size_t i = place.size(); i-- > 0;) {
    place[i] = index % view.shape()[i];
    index /= view.shape()[i];
  }
  return absl::StrCat("Element [", absl::StrJoin(place, ", "), "]");
}

std::string ElementText(Bytes bytes, const BufferView& view, int64_t index) {
  std::string text;
  const ElementType type = view.element_type();
  abi::AppendElement(bytes,
                     static_cast<uint64_t>(index) * hal::StrideBits(type), type,
                     abi::FloatCase::kUpper, text);
  return text;
}

// Appends "\n  lhs:\n    2xf32=1 2".
void AppendTensor(absl::string_view name, Bytes bytes, const BufferView& view,
                  std::string& out) {
  absl::StrAppend(&out, "\n  ", name, ":\n    ", view.ShapeAndType(), "=");
  abi::AppendElements(bytes, abi::SpecOf(view), abi::kScreenOfElements,
                      abi::FloatCase::kUpper, out, /*empty_rows=*/0);
}

bool HasSameShape(const BufferView& a, const BufferView& b) {
  return std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(),
                    b.shape().end());
}

// Two tensors that differ.
struct Pair {
  const BufferView& left;
  const BufferView& right;
  Bytes left_bytes;
  Bytes right_bytes;

  static absl::StatusOr<Pair> Of(const BufferView& left,
                                 const BufferView& right) {
    ASSIGN_OR_RETURN(const Bytes left_bytes, abi::BytesOf(left));
    ASSIGN_OR_RETURN(const Bytes right_bytes, abi::BytesOf(right));
    return Pair{left, right, left_bytes, right_bytes};
  }

  // Returns differences other than elements, or "" if there are none.
  std::string TypeDifference() const {
    return absl::StrCat(
        left.element_type() == right.element_type()
            ? ""
            : " Element types do not match.",
        HasSameShape(left, right) ? "" : " Shapes do not match.");
  }

  // "Element [3] is 1 and 2; 1 of 4 differ."
  std::string ElementDifference(const Misfits& misfits) const {
    return absl::StrCat(ElementName(left, misfits.first), " is ",
                        ElementText(left_bytes, left, misfits.first), " and ",
                        ElementText(right_bytes, right, misfits.first), "; ",
                        misfits.count, " of ", left.element_count(),
                        " differ.");
  }

  std::string WithTensors(std::string text) const {
    AppendTensor("lhs", left_bytes, left, text);
    AppendTensor("rhs", right_bytes, right, text);
    return text;
  }
};

absl::Status NotFor(const BufferView& view, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("Elements of the type ",
                   hal::ElementTypeName(view.element_type()), " ", what, "."));
}

// Reports whether any bit of the element is set.
bool HasBits(Bytes bytes, int64_t index, uint32_t stride) {
  static constexpr uint8_t kZeros[32] = {};
  if (stride >= 8) {
    return std::memcmp(bytes.data() + index * (stride / 8), kZeros,
                       stride / 8) != 0;
  }
  const uint64_t bit = static_cast<uint64_t>(index) * stride;
  return ((bytes[bit / 8] >> bit % 8) & ((1u << stride) - 1)) != 0;
}

}  // namespace

absl::StatusOr<std::string> ExpectAllTrue(const BufferView& operand) {
  const ElementType type = operand.element_type();
  const uint8_t kind = hal::NumericalKind(type);
  const bool is_float = kind >> 4 == hal::numerical_kind::kFloat >> 4 &&
                        kind != hal::numerical_kind::kComplex;
  const bool is_integer = kind >> 4 == hal::numerical_kind::kSignless >> 4;
  if (hal::StrideBits(type) == 0 || (!is_float && !is_integer)) {
    return NotFor(operand, "are neither true nor false");
  }
  ASSIGN_OR_RETURN(const Bytes bytes, abi::BytesOf(operand));
  const Misfits misfits =
      FindMisfits(operand.element_count(), [&](int64_t index) {
        if (is_float) {
          const auto number = abi::FloatAt(bytes, index, type);
          if (number.has_value()) return *number != 0;
        }
        return HasBits(bytes, index, hal::StrideBits(type));
      });
  if (misfits.count == 0) return std::string();
  std::string text = absl::StrCat(
      "Expected all elements to be nonzero. ",
      ElementName(operand, misfits.first), " is ",
      ElementText(bytes, operand, misfits.first), "; ", misfits.count, " of ",
      operand.element_count(), misfits.count == 1 ? " is" : " are", " zero.");
  AppendTensor("operand", bytes, operand, text);
  return text;
}

absl::StatusOr<std::string> ExpectEqual(const BufferView& left,
                                        const BufferView& right) {
  constexpr absl::string_view kSentence = "Expected equality of these values.";
  ASSIGN_OR_RETURN(const Pair pair, Pair::Of(left, right));
  const std::string types = pair.TypeDifference();
  if (!types.empty()) {
    return pair.WithTensors(absl::StrCat(kSentence, types));
  }
  const uint32_t stride = hal::StrideBits(left.element_type());
  if (stride >= 8 &&
      std::equal(pair.left_bytes.begin(), pair.left_bytes.end(),
                 pair.right_bytes.begin(), pair.right_bytes.end())) {
    return std::string();
  }
  const Misfits misfits = FindMisfits(left.element_count(), [&](int64_t index) {
    return abi::HasSameBits(pair.left_bytes, pair.right_bytes, index, stride);
  });
  if (misfits.count == 0) return std::string();
  return pair.WithTensors(absl::StrCat(kSentence, " Contents does not match. ",
                                       pair.ElementDifference(misfits)));
}

absl::StatusOr<std::string> ExpectAlmostEqual(const BufferView& left,
                                              const BufferView& right,
                                              const Closeness& closeness) {
  constexpr absl::string_view kSentence =
      "Expected near equality of these values.";
  ASSIGN_OR_RETURN(const Pair pair, Pair::Of(left, right));
  const std::string types = pair.TypeDifference();
  if (!types.empty()) {
    return pair.WithTensors(absl::StrCat(kSentence, types));
  }
  const ElementType type = left.element_type();
  const bool is_float = type == ElementType::kFloat32 ||
                        type == ElementType::kFloat64 ||
                        abi::SmallFloatFormat(type) != nullptr;
  if (!is_float) return NotFor(left, "are not floats; only floats may differ");
  const Misfits misfits = FindMisfits(left.element_count(), [&](int64_t index) {
    return abi::IsNear(*abi::FloatAt(pair.left_bytes, index, type),
                       *abi::FloatAt(pair.right_bytes, index, type),
                       closeness.absolute, closeness.relative);
  });
  if (misfits.count == 0) return std::string();
  const double apart =
      std::fabs(*abi::FloatAt(pair.left_bytes, misfits.first, type) -
                *abi::FloatAt(pair.right_bytes, misfits.first, type));
  return pair.WithTensors(absl::StrFormat(
      "%s Contents does not match to tolerance parameters atol=%g, rtol=%g. "
      "%s They are %.3g apart.",
      kSentence, closeness.absolute, closeness.relative,
      pair.ElementDifference(misfits), apart));
}

}  // namespace eyrie::tools
