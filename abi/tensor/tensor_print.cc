// Prints tensors.
//
// Tested by tensor_text_test.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/half.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

// Reports whether a type is an integer of 1, 2, 4, 8, 16, 32 or 64 bits.
bool IsPlainInteger(ElementType type) {
  const uint8_t kind = hal::NumericalKind(type);
  const uint32_t bits = hal::BitCount(type);
  return kind >= hal::numerical_kind::kSignless &&
         kind <= hal::numerical_kind::kUnsigned && bits <= 64 &&
         std::has_single_bit(bits);
}

template <typename T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

void AppendFloat(double value, FloatCase float_case, std::string& out) {
  // Only release 3.11 prints lower case, and only for these values: "1E+30",
  // but "inf". It omits the sign of NaN.
  const bool small = float_case == FloatCase::kLower && !std::isfinite(value);
  char text[40];
  if (small && std::isnan(value)) value = std::fabs(value);
  const int size =
      std::snprintf(text, sizeof(text), small ? "%g" : "%G", value);
  const absl::string_view number(text, static_cast<size_t>(size));
  // The locale may have another decimal point, of any number of bytes.
  const size_t point = number.find_first_not_of("0123456789+-.EINFAeinfa");
  if (point == number.npos) [[likely]] {
    out.append(number.data(), number.size());
    return;
  }
  const size_t digits = number.find_first_of("0123456789", point);
  absl::StrAppend(&out, number.substr(0, point), ".", number.substr(digits));
}

void AppendHex(std::span<const uint8_t> bytes, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

// Loads an integer of `bits` bits, a power of two up to 64. `bit` must be a
// multiple of `bits`.
uint64_t LoadInteger(std::span<const uint8_t> bytes, uint64_t bit,
                     uint32_t bits) {
  if (bits < 8) return (bytes[bit / 8] >> (bit % 8)) & ((1u << bits) - 1);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + bit / 8, bits / 8);
  return value;
}

struct Printer {
  std::span<const uint8_t> bytes;
  const hal::TensorType& spec;
  FloatCase float_case;
  size_t left;        // remaining elements to print
  size_t empty_rows;  // remaining brackets to print without elements in them
  std::string& out;
  uint64_t bit = 0;

  void Row(int64_t length) {
    const auto shown = static_cast<int64_t>(
        std::min<uint64_t>(left, static_cast<uint64_t>(length)));
    left -= static_cast<size_t>(shown);
    const uint32_t bits = hal::StrideBits(spec.element);
    for (int64_t i = 0; i < shown; ++i) {
      if (i > 0) out.push_back(' ');
      AppendElement(bytes, bit + i * bits, spec.element, float_case, out);
    }
    bit += static_cast<uint64_t>(length) * bits;
    if (shown < length) out.append("...");
  }
  void Dimension(size_t axis) {
    if (axis + 1 >= spec.shape.size()) {
      return Row(spec.shape.empty() ? 1 : spec.shape[axis]);
    }
    for (int64_t i = 0; i < spec.shape[axis]; ++i) {
      if (left == 0 && empty_rows-- == 0) {
        empty_rows = 0;
        out.append("...");
        return;
      }
      out.push_back('[');
      Dimension(axis + 1);
      out.push_back(']');
    }
  }
};

}  // namespace

void AppendElement(std::span<const uint8_t> bytes, uint64_t bit,
                   ElementType type, FloatCase float_case, std::string& out) {
  const uint32_t bits = hal::BitCount(type);
  const uint8_t* at = bytes.data() + bit / 8;
  if (IsPlainInteger(type)) {
    const uint64_t value = LoadInteger(bytes, bit, bits);
    if (hal::NumericalKind(type) == hal::numerical_kind::kUnsigned) {
      absl::StrAppend(&out, value);
    } else {
      const uint32_t unused = 64 - bits;
      absl::StrAppend(&out, static_cast<int64_t>(value << unused) >> unused);
    }
  } else if (type == ElementType::kFloat32) {
    AppendFloat(Load<float>(at), float_case, out);
  } else if (type == ElementType::kFloat64) {
    AppendFloat(Load<double>(at), float_case, out);
  } else if (const FloatFormat* small = SmallFloatFormat(type)) {
    const auto pattern =
        bits > 8 ? Load<uint16_t>(at) : static_cast<uint16_t>(*at >> bit % 8);
    // The sign of a narrow NaN is not printed.
    const float value = DecodeFloat(*small, pattern);
    AppendFloat(std::isnan(value) ? std::fabs(value) : value, float_case, out);
  } else {
    AppendHex({at, (bits + 7) / 8}, out);
  }
}

void AppendElements(std::span<const uint8_t> bytes, const hal::TensorType& spec,
                    size_t limit, FloatCase float_case, std::string& out,
                    size_t empty_rows) {
  const bool has_elements = spec.ElementCount().value_or(1) != 0;
  Printer{bytes, spec, float_case, has_elements ? limit : 0, empty_rows, out}
      .Dimension(0);
}

}  // namespace eyrie::abi
