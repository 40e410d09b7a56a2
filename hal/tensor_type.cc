#include "hal/tensor_type.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

constexpr absl::string_view kDemotedHint =
    " A program written in f64 is compiled for f32 unless the compiler is "
    "given --iree-input-demote-f64-to-f32=false.";

std::string DimensionText(int64_t dimension) {
  return dimension == TensorType::kDynamic ? "?" : absl::StrCat(dimension);
}

}  // namespace

absl::StatusOr<TensorType> TensorType::TakeShape(absl::string_view& text) {
  const absl::string_view whole = text;
  TensorType type;
  type.ranked = !absl::ConsumePrefix(&text, "*x");
  while (type.ranked) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty() || absl::ascii_isalpha(text[0])) break;
    const size_t x = text.find('x');
    // "*32" is an element type, and "!a.b<4xi8>" may be one.
    if (x == text.npos || text[0] == '*' || text[0] == '!') break;
    const absl::string_view part =
        absl::StripTrailingAsciiWhitespace(text.substr(0, x));
    int64_t dimension = kDynamic;
    if (part != "?") {
      const bool digits = !part.empty() && std::all_of(part.begin(), part.end(),
                                                       absl::ascii_isdigit);
      if (!digits || !absl::SimpleAtoi(part, &dimension)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Dimension ", type.shape.size(), " ('", part, "') of '", whole,
            digits ? "' exceeds 64 bits." : "' is not a whole number."));
      }
    }
    type.shape.push_back(dimension);
    text.remove_prefix(x + 1);
  }
  return type;
}

absl::StatusOr<TensorType> TensorType::Parse(absl::string_view text) {
  const absl::string_view whole = text = absl::StripAsciiWhitespace(text);
  ASSIGN_OR_RETURN(TensorType type, TakeShape(text));
  if (text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", whole, "' has no element type, as in 4x2xf32."));
  }
  const absl::StatusOr<ElementType> element = ParseElementType(text);
  if (!element.ok()) {
    if (absl::ascii_isdigit(text[0])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", whole, "' has no shape and element type, as in 4x2xf32=1."));
    }
    return absl::InvalidArgumentError(element.status().message());
  }
  type.element = *element;
  return type;
}

absl::StatusOr<TensorType> TensorType::ParseStatic(absl::string_view text) {
  ASSIGN_OR_RETURN(TensorType type, Parse(text));
  text = absl::StripAsciiWhitespace(text);
  if (!type.ranked) {
    return absl::InvalidArgumentError(
        absl::StrCat("The dimensions of '", text, "' are unknown."));
  }
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] != kDynamic) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Dimension ", i, " ('?') of '", text, "' is not a whole number."));
  }
  return type;
}

std::string TensorType::ShapePrefix() const {
  if (!ranked) return "*x";
  std::string text;
  for (const int64_t dimension : shape) {
    absl::StrAppend(&text, DimensionText(dimension), "x");
  }
  return text;
}

std::string TensorType::ToString() const {
  std::string text = ShapePrefix();
  if (element != ElementType::kNone) return text + ElementTypeName(element);
  if (!text.empty()) text.pop_back();
  return text;
}

bool TensorType::is_static() const {
  return ranked &&
         std::find(shape.begin(), shape.end(), kDynamic) == shape.end();
}

std::string TensorType::ShapeDifference(std::span<const int64_t> given,
                                        absl::string_view declared) const {
  if (!ranked) return "";
  if (given.size() != shape.size()) {
    return absl::StrCat("the rank is ", given.size(), ", expected ",
                        shape.size(), " (", declared, ").");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kDynamic || shape[i] == given[i]) continue;
    return absl::StrCat("dimension ", i, " is ", given[i], ", expected ",
                        shape[i], " (", declared, ").");
  }
  return "";
}

std::string TensorType::Difference(ElementType given,
                                   std::span<const int64_t> given_shape,
                                   absl::string_view declared) const {
  if (IsTakenAs(given, element)) return ShapeDifference(given_shape, declared);
  const bool is_demoted =
      element == ElementType::kFloat32 && given == ElementType::kFloat64;
  return absl::StrCat("the element type is ", ElementTypeName(given),
                      ", expected ", ElementTypeName(element), " (", declared,
                      ").", is_demoted ? kDemotedHint : "");
}

absl::StatusOr<int64_t> TensorType::ElementCount() const {
  // The product is 0 if any dimension is, even if the others would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t count = 1;
  for (const int64_t dimension : shape) {
    const std::optional<int64_t> product = CheckedMul(count, dimension);
    if (!product) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "The number of elements of ", ToString(), " exceeds 64 bits."));
    }
    count = *product;
  }
  return count;
}

absl::StatusOr<uint64_t> TensorType::ByteLength() const {
  ASSIGN_OR_RETURN(const int64_t count, ElementCount());
  const std::optional<uint64_t> length = DenseByteLength(element, count);
  if (!length) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The size of ", ToString(), " exceeds 64 bits."));
  }
  return *length;
}

std::string TensorText(std::span<const int64_t> shape, ElementType element) {
  std::string text;
  for (const int64_t dimension : shape) absl::StrAppend(&text, dimension, "x");
  return text + ElementTypeName(element);
}

}  // namespace eyrie::hal
