#include "tools/bisect/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "abi/tensor/tensor_compare.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace eyrie::tools {
namespace {

using hal::ElementType;

// Bits of a float's fraction, or 0 for other types.
int FractionBits(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return 52;
    case ElementType::kFloat32:
      return 23;
    case ElementType::kFloat16:
      return 10;
    case ElementType::kBfloat16:
      return 7;
    case ElementType::kFloat8E4M3FN:
    case ElementType::kFloat8E4M3FNUZ:
      return 3;
    case ElementType::kFloat8E5M2:
    case ElementType::kFloat8E5M2FNUZ:
      return 2;
    default:
      return 0;
  }
}

// The tolerance of f32 leaves the last 8 bits; others leave none but a few.
constexpr int kSureBits = 15;
constexpr int64_t kScaleSamples = 4096;

double Scale(ElementType type) {
  return std::ldexp(1.0, std::max(0, kSureBits - FractionBits(type)));
}

double UlpOf(ElementType type, double number) {
  int exponent = 0;
  std::frexp(number, &exponent);
  return std::ldexp(1.0, exponent - 1 - FractionBits(type));
}

std::string NumberText(std::span<const uint8_t> bytes, int64_t at,
                       ElementType type) {
  if (const auto number = abi::FloatAt(bytes, at, type)) {
    return absl::StrFormat("%.9g", *number);
  }
  const size_t size = hal::StrideBits(type) / 8;
  const std::span<const uint8_t> element =
      bytes.subspan(static_cast<size_t>(at) * size, size);
  if (!hal::IsIntegerOrBool(type) || size > sizeof(int64_t)) {
    return absl::StrCat(
        "0x",
        absl::BytesToHexString(
            {reinterpret_cast<const char*>(element.data()), element.size()}));
  }
  int64_t number = 0;
  std::memcpy(&number, element.data(), size);
  const int unused = 64 - static_cast<int>(size) * 8;
  const bool is_signed =
      hal::NumericalKind(type) != hal::numerical_kind::kUnsigned &&
      type != ElementType::kBool8;
  if (!is_signed) return absl::StrCat(static_cast<uint64_t>(number));
  return absl::StrCat(
      static_cast<int64_t>(static_cast<uint64_t>(number) << unused) >> unused);
}

// Returns the middle one of the numbers' sizes, without zeros; 0 if there are
// only these. Few large numbers, as in a mask, do not change it.
double MiddleOf(std::span<const uint8_t> bytes, int64_t count,
                ElementType type) {
  std::vector<double> sizes;
  const int64_t step = std::max<int64_t>(1, count / kScaleSamples);
  for (int64_t i = 0; i < count; i += step) {
    const double size = std::fabs(abi::FloatAt(bytes, i, type).value_or(0));
    if (size > 0 && std::isfinite(size)) sizes.push_back(size);
  }
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

// Makes an unordered error, of a NaN, the largest.
double Order(double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace

Difference Compare(ElementType type, std::span<const uint8_t> good,
                   std::span<const uint8_t> bad, double tolerance) {
  Difference difference;
  const size_t size = hal::StrideBits(type) / 8;
  difference.type = type;
  difference.count = static_cast<int64_t>(good.size() / size);
  if (std::memcmp(good.data(), bad.data(), good.size()) == 0) return difference;
  const bool is_float = FractionBits(type) != 0;
  const double relative = tolerance * Scale(type);
  const double absolute =
      is_float ? relative * MiddleOf(good, difference.count, type) : 0;
  const abi::ElementPair pair = {bad, good, type, type};
  double largest = -1;
  for (int64_t i = 0; i < difference.count; ++i) {
    if (abi::HasSameBits(good, bad, i, hal::StrideBits(type))) continue;
    const double error =
        abi::ErrorAt(pair, i).value_or(std::numeric_limits<double>::infinity());
    if (is_float) {
      const double a = *abi::FloatAt(bad, i, type);
      const double b = *abi::FloatAt(good, i, type);
      if (!abi::IsNear(a, b, absolute, relative)) ++difference.differing;
      if (a == 0 && b == 0) ++difference.signed_zeros;
    } else {
      ++difference.differing;
    }
    if (Order(error) <= largest) continue;
    largest = Order(error);
    difference.at = i;
    difference.error = error;
  }
  if (largest < 0) return difference;
  difference.good = NumberText(good, difference.at, type);
  difference.bad = NumberText(bad, difference.at, type);
  if (is_float) {
    const double number = *abi::FloatAt(good, difference.at, type);
    difference.ulps = difference.error / UlpOf(type, number);
  }
  return difference;
}

std::string ToText(const Difference& difference) {
  std::string ulps;
  if (difference.ulps && std::isfinite(*difference.ulps)) {
    ulps = absl::StrFormat(" (%.3g ulps)", *difference.ulps);
  }
  if (difference.error == 0) {
    return absl::StrCat(difference.differing, " of ", difference.count,
                        " elements differ");
  }
  return absl::StrCat(
      difference.differing, " of ", difference.count,
      difference.count == 1 ? " element differs" : " elements differ",
      "; the largest error is ", absl::StrFormat("%.6g", difference.error),
      ulps, ", at element ", difference.at, ": ", difference.bad,
      " instead of ", difference.good);
}

}  // namespace eyrie::tools
