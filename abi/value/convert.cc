// Converts numbers, one element at a time.
#include "abi/value/convert.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/tensor/element_range.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/tensor_text.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/half.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
namespace kind = hal::numerical_kind;
using Int = HostValue::Int;

struct IntegerRange {
  int64_t least;
  uint64_t greatest;
};

IntegerRange RangeOf(ElementType type) {
  const uint32_t bits = hal::BitCount(type);
  const uint64_t all = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const auto least = static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  switch (hal::NumericalKind(type)) {
    case kind::kSignless:
      return {least, all};
    case kind::kUnsigned:
      return {0, all};
    default:
      return {least, all >> 1};
  }
}

bool Fits(const Int& number, const IntegerRange& range) {
  if (!number.is_unsigned && number.value < 0) {
    return number.value >= range.least;
  }
  return static_cast<uint64_t>(number.value) <= range.greatest;
}

std::string IntText(const Int& number) {
  return number.is_unsigned ? absl::StrCat(static_cast<uint64_t>(number.value))
                            : absl::StrCat(number.value);
}

absl::Status WrongKind(const HostValue& value, ElementType type) {
  return absl::InvalidArgumentError(absl::StrCat(
      value.Describe(), " is given; ", ElementText(type), " is expected."));
}

}  // namespace

absl::Status OutOfRange(absl::string_view number, ElementType type) {
  return absl::InvalidArgumentError(
      absl::StrCat(number, " is out of range for ", ElementText(type),
                   IsInteger(type) ? RangeText(type) : "", "."));
}

namespace {

// Returns the nearest value of a type, as a double.
double Rounded(double value, ElementType type) {
  if (type == ElementType::kFloat64) return value;
  if (type == ElementType::kFloat32) return static_cast<float>(value);
  return UnpackFloat(type, PackFloat(type, value));
}

// Reports whether rounding a value kept its class: finite, infinite or NaN.
bool IsKept(double value, double rounded, ElementType type) {
  const FloatFormat* const format = SmallFloatFormat(type);
  if (format != nullptr) return IsInRange(*format, value);
  return !std::isfinite(value) || std::isfinite(rounded);
}

// Parses "nan", "inf" or "-inf", which JSON cannot write as numbers.
bool ParseSpecial(const std::string& text, double& number) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "nan") {
    number = std::nan("");
  } else if (lower == "inf" || lower == "-inf") {
    number = lower == "inf" ? HUGE_VAL : -HUGE_VAL;
  } else {
    return false;
  }
  return true;
}

// Reports whether a value is a rank-0 array. Its element is accepted wherever a
// number is.
bool IsNumberArray(const HostValue& value) {
  return value.array() != nullptr && value.array()->shape().empty() &&
         hal::StrideBits(value.array()->type()) % 8 == 0;
}

// Converts that element to another type, by the rules for the elements of
// arrays.
absl::StatusOr<HostValue> NumberAs(const HostValue& value, ElementType type) {
  const HostArray& array = *value.array();
  uint8_t element[sizeof(int64_t)] = {};
  if (hal::NumericalKind(array.type()) == 0 &&
      hal::StrideBits(array.type()) == 8 * BytesOfElement(type)) {
    return ReadElement(array.data(), type);  // untyped bytes
  }
  const bool converts =
      (array.casts() && IsReal(array.type())) || IsLossless(array.type(), type);
  if (!converts || hal::StrideBits(type) % 8 != 0) {
    return WrongKind(value, type);
  }
  RETURN_IF_ERROR(
      ConvertElements(array.data(), array.type(), element, type, 1));
  return ReadElement(element, type);
}

template <typename T>
T Load(const uint8_t* source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

}  // namespace

namespace {

bool IsComplex(ElementType type) {
  return type == ElementType::kComplex64 || type == ElementType::kComplex128;
}

// Returns the type of the real and imaginary parts of a complex type.
ElementType PartOf(ElementType type) {
  return type == ElementType::kComplex64 ? ElementType::kFloat32
                                         : ElementType::kFloat64;
}

// Converts to complex numbers, as ConvertElements does.
absl::Status ConvertToComplex(const uint8_t* source, ElementType from,
                              uint8_t* target, ElementType to, int64_t count) {
  const ElementType part = PartOf(to);
  if (IsComplex(from)) {
    return ConvertElements(source, PartOf(from), target, part, 2 * count);
  }
  const size_t step = hal::StrideBits(from) / 8;
  const size_t width = hal::StrideBits(to) / 8;
  std::memset(target, 0, width * count);
  for (int64_t i = 0; i < count; ++i, source += step, target += width) {
    RETURN_IF_ERROR(ConvertElements(source, from, target, part, 1));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsInteger(ElementType type) {
  const uint32_t bits = hal::BitCount(type);
  return hal::IsIntegerKind(type) && bits >= 1 && bits <= 64;
}

bool IsReal(ElementType type) {
  return IsInteger(type) || IsFloat(type) || type == ElementType::kBool8;
}

bool IsUnsigned(ElementType type) {
  return hal::NumericalKind(type) == kind::kUnsigned;
}

bool IsFloat(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kFloat64 ||
         SmallFloatFormat(type) != nullptr;
}

bool SameBits(ElementType from, ElementType to) {
  if (from == to) return true;
  if (hal::StrideBits(from) != hal::StrideBits(to)) return false;
  if (hal::NumericalKind(from) == 0 || hal::NumericalKind(to) == 0) return true;
  return hal::BitCount(from) == hal::BitCount(to) && IsInteger(from) &&
         IsInteger(to);
}

bool IsLossless(ElementType from, ElementType to) {
  if (from == to) return true;
  if (hal::StrideBits(from) % 8 != 0 || hal::StrideBits(to) % 8 != 0) {
    return false;
  }
  if (IsComplex(to)) {
    return IsLossless(IsComplex(from) ? PartOf(from) : from, PartOf(to));
  }
  if (from == ElementType::kBool8) return IsInteger(to) || IsFloat(to);
  const uint32_t bits = hal::BitCount(from);
  if (IsInteger(from) && IsInteger(to)) {
    return bits < hal::BitCount(to) && (IsUnsigned(from) || !IsUnsigned(to));
  }
  if (IsInteger(from) && IsFloat(to)) {
    const FloatFormat* format = SmallFloatFormat(to);
    const uint32_t exact =
        to == ElementType::kFloat64   ? 53
        : to == ElementType::kFloat32 ? 24
        : to == ElementType::kFloat16 || to == ElementType::kBfloat16
            ? format->mantissa_bits + 1u
            : 0;
    return bits - (IsUnsigned(from) ? 0 : 1) <= exact;
  }
  if (!IsFloat(from)) return false;
  if (to == ElementType::kFloat64) return true;
  return to == ElementType::kFloat32 && from != ElementType::kFloat64;
}

uint16_t PackFloat(ElementType type, double value) {
  return EncodeFloat(*SmallFloatFormat(type), value);
}

double UnpackFloat(ElementType type, uint16_t bits) {
  return DecodeFloat(*SmallFloatFormat(type), bits);
}

absl::Status ToInteger(const HostValue& value, ElementType type,
                       int64_t& result) {
  const Int* number = value.integer();
  if (number == nullptr) [[unlikely]] {
    if (!IsNumberArray(value)) return WrongKind(value, type);
    HostValue element =
        ReadElement(value.array()->data(), value.array()->type());
    if (element.integer() == nullptr) {
      ASSIGN_OR_RETURN(element, NumberAs(value, type));
    }
    return ToInteger(element, type, result);
  }
  if (!Fits(*number, RangeOf(type))) [[unlikely]] {
    return OutOfRange(IntText(*number), type);
  }
  const uint32_t unused = 64 - hal::BitCount(type);
  const auto shifted = static_cast<uint64_t>(number->value) << unused;
  result = IsUnsigned(type) ? static_cast<int64_t>(shifted >> unused)
                            : static_cast<int64_t>(shifted) >> unused;
  return absl::OkStatus();
}

absl::Status ToFloat(const HostValue& value, ElementType type, double& result) {
  if (const HostValue::Float* number = value.number()) [[likely]] {
    result = Rounded(number->value, type);
    if (!IsKept(number->value, result, type)) {
      return OutOfRange(absl::StrCat(number->value), type);
    }
    return absl::OkStatus();
  }
  if (const Int* number = value.integer()) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    double exact;
    bool same;
    if (number->is_unsigned) {
      const auto natural = static_cast<uint64_t>(number->value);
      exact = Rounded(static_cast<double>(natural), type);
      same = exact < 2 * kTwoTo63 && static_cast<uint64_t>(exact) == natural;
    } else {
      exact = Rounded(static_cast<double>(number->value), type);
      same = exact >= -kTwoTo63 && exact < kTwoTo63 &&
             static_cast<int64_t>(exact) == number->value;
    }
    if (!same) {
      return absl::InvalidArgumentError(
          absl::StrCat("the integer ", IntText(*number), " is not exact in ",
                       ElementText(type), "."));
    }
    result = exact;
    return absl::OkStatus();
  }
  if (IsNumberArray(value)) {
    ASSIGN_OR_RETURN(const HostValue element, NumberAs(value, type));
    return ToFloat(element, type, result);
  }
  if (value.bytes() != nullptr && ParseSpecial(*value.bytes(), result)) {
    if (IsKept(result, result, type)) return absl::OkStatus();
    return OutOfRange(*value.bytes(), type);
  }
  return WrongKind(value, type);
}

absl::Status ToBoolean(const HostValue& value, bool& result) {
  if (const bool* boolean = value.boolean()) {
    result = *boolean;
    return absl::OkStatus();
  }
  const Int* number = value.integer();
  if (number != nullptr && (number->value == 0 || number->value == 1)) {
    result = number->value == 1;
    return absl::OkStatus();
  }
  if (IsNumberArray(value) && !IsFloat(value.array()->type())) {
    return ToBoolean(ReadElement(value.array()->data(), value.array()->type()),
                     result);
  }
  return WrongKind(value, ElementType::kBool8);
}

absl::Status WriteElement(const HostValue& value, ElementType type,
                          uint8_t* target) {
  if (type == ElementType::kBool8) {
    bool boolean = false;
    RETURN_IF_ERROR(ToBoolean(value, boolean));
    *target = boolean ? 1 : 0;
    return absl::OkStatus();
  }
  const size_t width = BytesOfElement(type);
  if (IsComplex(type) && value.bytes() == nullptr) {
    const HostValue::Items* const parts = value.items();
    if (parts != nullptr && parts->size() == 2) {
      RETURN_IF_ERROR(WriteElement((*parts)[0], PartOf(type), target));
      return WriteElement((*parts)[1], PartOf(type), target + width / 2);
    }
    std::memset(target, 0, width);
    return WriteElement(value, PartOf(type), target);
  }
  if (IsInteger(type)) {
    int64_t number = 0;
    RETURN_IF_ERROR(ToInteger(value, type, number));
    std::memcpy(target, &number, width);  // little-endian: the low bytes
    return absl::OkStatus();
  }
  if (!IsFloat(type)) {
    if (value.bytes() == nullptr) return WrongKind(value, type);
    const absl::Status parsed =
        ParseElement(*value.bytes(), type, {target, width});
    if (parsed.ok()) return parsed;
    return absl::InvalidArgumentError(absl::StrCat(parsed.message(), "."));
  }
  double number = 0;
  RETURN_IF_ERROR(ToFloat(value, type, number));
  if (type == ElementType::kFloat64) {
    std::memcpy(target, &number, width);
  } else if (type == ElementType::kFloat32) {
    const auto narrow = static_cast<float>(number);
    std::memcpy(target, &narrow, width);
  } else {
    const uint16_t bits = PackFloat(type, number);
    std::memcpy(target, &bits, width);
  }
  return absl::OkStatus();
}

namespace {

// Appends a part of a complex number: "1.5", "-0", "nan".
void AppendPart(const HostValue& part, std::string& text) {
  const HostValue::Float& number = *part.number();
  if (!std::isfinite(number.value)) {
    absl::StrAppend(&text, std::isnan(number.value) ? "nan"
                           : number.value > 0       ? "inf"
                                                    : "-inf");
    return;
  }
  if (number.bits == 32) {
    AppendJsonFloat(static_cast<float>(number.value), text);
  } else {
    AppendJsonFloat(number.value, text);
  }
  if (absl::EndsWith(text, ".0")) text.resize(text.size() - 2);
}

}  // namespace

HostValue ReadElement(const uint8_t* source, ElementType type) {
  uint8_t low = 0;
  if (hal::IsPacked(type)) {
    hal::Unpack(type, source, {&low, 1});
    source = &low;
  }
  if (type == ElementType::kBool8) return HostValue(*source != 0);
  const uint32_t bits = hal::BitCount(type);
  const auto width = static_cast<uint8_t>(bits);
  if (IsInteger(type)) {
    uint64_t raw = 0;
    std::memcpy(&raw, source, BytesOfElement(type));
    const uint32_t unused = 64 - bits;
    if (IsUnsigned(type)) {
      const bool above = raw > uint64_t{INT64_MAX};
      return HostValue(Int{static_cast<int64_t>(raw), width, above});
    }
    return HostValue(Int{static_cast<int64_t>(raw << unused) >> unused, width});
  }
  if (type == ElementType::kFloat32) return HostValue(Load<float>(source));
  if (type == ElementType::kFloat64) return HostValue(Load<double>(source));
  if (SmallFloatFormat(type) != nullptr) {
    uint16_t raw = 0;
    std::memcpy(&raw, source, BytesOfElement(type));
    return HostValue(HostValue::Float{UnpackFloat(type, raw), width});
  }
  std::string text;
  if (IsComplex(type)) {
    const ElementType part = PartOf(type);
    AppendPart(ReadElement(source, part), text);
    std::string imaginary;
    AppendPart(ReadElement(source + hal::BitCount(part) / 8, part), imaginary);
    absl::StrAppend(&text, imaginary[0] == '-' ? "" : "+", imaginary, "i");
  } else {
    AppendElement({source, BytesOfElement(type)}, 0, type, FloatCase::kLower,
                  text);
  }
  return HostValue::Bytes(std::move(text));
}

absl::Status ConvertElements(const uint8_t* source, ElementType from,
                             uint8_t* target, ElementType to, int64_t count) {
  if (IsComplex(to)) return ConvertToComplex(source, from, target, to, count);
  const size_t step = hal::StrideBits(from) / 8;
  const size_t width = hal::StrideBits(to) / 8;
  for (int64_t i = 0; i < count; ++i, source += step, target += width) {
    HostValue element = ReadElement(source, from);
    if (const bool* boolean = element.boolean()) {
      element = HostValue(Int{*boolean ? 1 : 0});
    } else if (element.integer() != nullptr && IsFloat(to)) {
      const Int& number = *element.integer();
      element = HostValue(HostValue::Float{
          number.is_unsigned
              ? static_cast<double>(static_cast<uint64_t>(number.value))
              : static_cast<double>(number.value)});
    } else if (element.number() != nullptr && IsInteger(to)) {
      const double cut = std::trunc(element.number()->value);
      constexpr double kLimit = 9223372036854775808.0;
      const bool fits = cut >= -kLimit && cut < kLimit;
      if (fits) element = HostValue(Int{static_cast<int64_t>(cut)});
    }
    if (const absl::Status status = WriteElement(element, to, target);
        !status.ok()) {
      return Annotate(status, absl::StrCat("(element ", i, ")"));
    }
  }
  return absl::OkStatus();
}

using hal::ElementType;

BufferUse UseOfElements(ElementType from, ElementType to, bool in_order,
                        bool usable) {
  if (!SameBits(from, to) || IsByteEach(from, to)) return BufferUse::kConvert;
  if (!in_order) return BufferUse::kPack;
  return usable ? BufferUse::kAsIs : BufferUse::kCopy;
}

bool IsByteEach(ElementType from, ElementType to) {
  return from == ElementType::kOpaque8 && hal::IsBelowByte(to);
}

absl::Status WriteElements(const HostArray& array, ElementType to,
                           uint8_t* target) {
  if (SameBits(array.type(), to) && !IsByteEach(array.type(), to)) {
    array.Pack(target);
    return absl::OkStatus();
  }
  std::vector<uint8_t> packed;
  const uint8_t* source = array.data();
  if (!array.is_dense()) {
    packed.resize(array.byte_length());
    array.Pack(packed.data());
    source = packed.data();
  }
  if (IsByteEach(array.type(), to)) {
    return PackNpyElements(to, {source, array.byte_length()}, target);
  }
  return ConvertElements(source, array.type(), target, to,
                         array.element_count());
}

}  // namespace eyrie::abi
