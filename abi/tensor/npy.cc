// Reads and writes .npy arrays.
#include "abi/tensor/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"

namespace eyrie::abi {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 64;  // NumPy's own limit
constexpr size_t kHeaderAlignment = 64;

absl::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Parses the header: a Python dictionary of strings, booleans and tuples of
// whole numbers.
class HeaderReader {
 public:
  explicit HeaderReader(absl::string_view text) : text_(text) {}

  bool Take(char c) {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return absl::ConsumePrefix(&text_, absl::string_view(&c, 1));
  }
  absl::StatusOr<absl::string_view> TakeString() {
    char quote = '\'';
    if (!Take(quote)) {
      quote = '"';
      if (!Take(quote)) return Malformed();
    }
    const size_t end = text_.find(quote);
    if (end == absl::string_view::npos) return Malformed();
    const absl::string_view value = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return value;
  }
  absl::StatusOr<bool> TakeBool() {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    if (absl::ConsumePrefix(&text_, "True")) return true;
    if (absl::ConsumePrefix(&text_, "False")) return false;
    return Malformed();
  }
  absl::StatusOr<hal::TensorType::Shape> TakeShape() {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    const absl::string_view whole = text_;
    if (!Take('(')) return BadShape(whole);
    hal::TensorType::Shape shape;
    while (!Take(')')) {
      text_ = absl::StripLeadingAsciiWhitespace(text_);
      size_t digits = 0;
      while (digits < text_.size() && absl::ascii_isdigit(text_[digits])) {
        ++digits;
      }
      int64_t dimension = 0;
      if (!absl::SimpleAtoi(text_.substr(0, digits), &dimension)) {
        return BadShape(whole);
      }
      if (shape.size() == kMaxRank) {
        return absl::InvalidArgumentError(absl::StrCat(
            "The .npy array has more than ", kMaxRank, " dimensions."));
      }
      shape.push_back(dimension);
      text_.remove_prefix(digits);
      absl::ConsumePrefix(&text_, "L");  // Python 2 wrote (3L, 4L)
      if (!Take(',')) {
        if (!Take(')')) return BadShape(whole);
        break;
      }
    }
    return shape;
  }
  bool AtList() const {
    return !text_.empty() && absl::StripLeadingAsciiWhitespace(text_)[0] == '[';
  }
  static absl::Status Malformed() {
    return absl::InvalidArgumentError(
        "The .npy header is not a dictionary of descr, fortran_order and "
        "shape.");
  }

 private:
  // `text` begins with the malformed shape.
  static absl::Status BadShape(absl::string_view text) {
    const size_t end = std::min(text.find(')'), text.find('}'));
    const bool closed = end != text.npos && text[end] == ')';
    text = absl::StripAsciiWhitespace(text.substr(0, closed ? end + 1 : end));
    absl::ConsumeSuffix(&text, ",");
    return absl::InvalidArgumentError(
        absl::StrCat("The .npy shape '", PlainName(text),
                     "' is not a tuple of whole numbers, such as (2, 3)."));
  }

  absl::string_view text_;
};

std::optional<uint8_t> KindOf(char letter) {
  switch (letter) {
    case 'b':
      return hal::numerical_kind::kBoolean;
    case 'i':
      return hal::numerical_kind::kSigned;
    case 'u':
      return hal::numerical_kind::kUnsigned;
    case 'f':
      return hal::numerical_kind::kFloat;
    case 'c':
      return hal::numerical_kind::kComplex;
    case 'V':
      return 0x00;
    default:
      return std::nullopt;
  }
}

// Parses "<f4", "|b1", ">i8" or "f8".
absl::Status ParseDescr(absl::string_view descr, NpyArray& array) {
  absl::string_view rest = descr;
  array.big_endian = absl::ConsumePrefix(&rest, ">");
  if (!array.big_endian && !rest.empty() &&
      absl::string_view("<|=").find(rest[0]) != absl::string_view::npos) {
    rest.remove_prefix(1);
  }
  const std::optional<uint8_t> kind =
      rest.empty() ? std::nullopt : KindOf(rest[0]);
  uint32_t width = 0;
  if (kind && absl::SimpleAtoi(rest.substr(1), &width)) {
    for (const hal::ElementTypeInfo& row : hal::ElementTypes()) {
      if (row.kind == *kind && width <= 16 && row.bits == width * 8) {
        array.spec.element = row.type;
        return absl::OkStatus();
      }
    }
  }
  if (rest == "f1") {  // as ml_dtypes names its float8_e5m2, and no other
    array.spec.element = hal::ElementType::kFloat8E5M2;
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("The .npy element type '", PlainName(descr),
                   "' is not one that tensors have."));
}

absl::Status ParseHeader(absl::string_view text, NpyArray& array) {
  HeaderReader reader(text);
  bool has_descr = false, has_order = false, has_shape = false;
  if (!reader.Take('{')) return HeaderReader::Malformed();
  while (!reader.Take('}')) {
    ASSIGN_OR_RETURN(const absl::string_view key, reader.TakeString());
    if (!reader.Take(':')) return HeaderReader::Malformed();
    if (key == "descr") {
      if (reader.AtList()) {
        return absl::UnimplementedError(
            "The .npy array has records, not numbers.");
      }
      ASSIGN_OR_RETURN(const absl::string_view descr, reader.TakeString());
      RETURN_IF_ERROR(ParseDescr(descr, array));
      has_descr = true;
    } else if (key == "fortran_order") {
      ASSIGN_OR_RETURN(array.fortran_order, reader.TakeBool());
      has_order = true;
    } else if (key == "shape") {
      ASSIGN_OR_RETURN(array.spec.shape, reader.TakeShape());
      has_shape = true;
    } else {
      return HeaderReader::Malformed();
    }
    if (!reader.Take(',')) {
      if (!reader.Take('}')) return HeaderReader::Malformed();
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape) return HeaderReader::Malformed();
  return absl::OkStatus();
}

// Returns the size of an element in a file.
size_t SizeOf(hal::ElementType type) { return (hal::StrideBits(type) + 7) / 8; }

// Returns the size of one number in bytes: half an element for complex types.
size_t NumberSize(hal::ElementType type) {
  const size_t size = SizeOf(type);
  return hal::NumericalKind(type) == hal::numerical_kind::kComplex ? size / 2
                                                                   : size;
}

// Copies the elements of a column-major array in row-major order.
void CopyTransposed(const NpyArray& array, std::span<uint8_t> target) {
  const auto& shape = array.spec.shape;
  const size_t size = SizeOf(array.spec.element);
  std::vector<size_t> strides(shape.size()), index(shape.size(), 0);
  size_t stride = size;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<size_t>(shape[axis]);
  }
  size_t source = 0;
  for (size_t at = 0; at < target.size(); at += size) {
    std::memcpy(target.data() + at, array.bytes.data() + source, size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < static_cast<size_t>(shape[axis])) break;
      source -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
}

std::string DescrOf(hal::ElementType type) {
  const size_t width = SizeOf(type);
  for (const hal::ElementTypeInfo& row : hal::ElementTypes()) {
    if (row.type == type && row.numpy[0] != 0) return row.numpy;
  }
  return absl::StrCat(width == 1 ? "|V" : "<V", width);
}

}  // namespace

void NpyArray::TakeType(hal::ElementType wanted) {
  if (hal::NumericalKind(spec.element) != 0 ||
      wanted == hal::ElementType::kNone ||
      DescrOf(wanted).substr(1) != DescrOf(spec.element).substr(1)) {
    return;
  }
  spec.element = wanted;
}

absl::Status NpyArray::CopyTo(std::span<uint8_t> target) const {
  if (target.empty()) return absl::OkStatus();
  const bool transposes = fortran_order && spec.shape.size() > 1;
  if (hal::IsBelowByte(spec.element)) {
    std::vector<uint8_t> rows;
    if (transposes) {
      RETURN_IF_ERROR(Resize(rows, bytes.size(), "an array of a .npy file"));
      CopyTransposed(*this, rows);
    }
    return PackNpyElements(spec.element, transposes ? rows : bytes,
                           target.data());
  }
  if (transposes) {
    CopyTransposed(*this, target);
  } else {
    std::memcpy(target.data(), bytes.data(), target.size());
  }
  const size_t number = NumberSize(spec.element);
  if (!big_endian || number < 2) return absl::OkStatus();
  for (size_t at = 0; at < target.size(); at += number) {
    std::reverse(target.begin() + at, target.begin() + at + number);
  }
  return absl::OkStatus();
}

bool LooksLikeNpy(std::span<const uint8_t> bytes) {
  return absl::StartsWith(TextOf(bytes), kMagic);
}

absl::StatusOr<NpyArray> ReadNpyHeader(ByteReader& reader) {
  if (reader.remaining() == 0) {
    return absl::OutOfRangeError("The file has no further array.");
  }
  if (reader.remaining() < kMagic.size() + 4) {
    return absl::InvalidArgumentError("The file ends within a .npy header.");
  }
  ASSIGN_OR_RETURN(const auto magic, reader.Take(kMagic.size()));
  if (TextOf(magic) != kMagic) {
    return absl::InvalidArgumentError(
        "The data does not begin with .npy's magic number.");
  }
  ASSIGN_OR_RETURN(const uint8_t major, reader.ReadU8());
  ASSIGN_OR_RETURN(const uint8_t minor, reader.ReadU8());
  if (major < 1 || major > 3) {
    return absl::UnimplementedError(
        absl::StrCat("The .npy version ", major, ".", minor, " is not known."));
  }
  uint32_t header_size = 0;
  if (major == 1) {
    ASSIGN_OR_RETURN(header_size, reader.ReadU16());
  } else {
    ASSIGN_OR_RETURN(header_size, reader.ReadU32());
  }
  if (header_size > reader.remaining()) {
    return absl::InvalidArgumentError("The file ends within a .npy header.");
  }
  ASSIGN_OR_RETURN(const auto header, reader.Take(header_size));
  NpyArray array;
  RETURN_IF_ERROR(ParseHeader(TextOf(header), array));
  return array;
}

absl::StatusOr<NpyArray> ReadNpy(ByteReader& reader) {
  ASSIGN_OR_RETURN(NpyArray array, ReadNpyHeader(reader));
  ASSIGN_OR_RETURN(const uint64_t size, array.spec.ByteLength());
  if (size > reader.remaining()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The .npy array of ", array.spec.ToString(), " needs ", size,
        " bytes; the file has ", reader.remaining(), " left."));
  }
  ASSIGN_OR_RETURN(array.bytes, reader.Take(size));
  return array;
}

std::string NpyHeader(const hal::TensorType& spec) {
  std::string dictionary = absl::StrCat("{'descr': '", DescrOf(spec.element),
                                        "', 'fortran_order': False, "
                                        "'shape': (");
  for (size_t i = 0; i < spec.shape.size(); ++i) {
    absl::StrAppend(&dictionary, i == 0 ? "" : ", ", spec.shape[i]);
  }
  absl::StrAppend(&dictionary, spec.shape.size() == 1 ? ",), }" : "), }");
  const bool wide = dictionary.size() + kHeaderAlignment > 65535;
  const size_t prefix = kMagic.size() + 2 + (wide ? 4 : 2);
  while ((prefix + dictionary.size() + 1) % kHeaderAlignment != 0) {
    dictionary.push_back(' ');
  }
  dictionary.push_back('\n');
  std::string header(kMagic);
  header.push_back(wide ? 2 : 1);
  header.push_back(0);
  for (size_t i = 0; i < (wide ? 4 : 2); ++i) {
    header.push_back(static_cast<char>(dictionary.size() >> (8 * i)));
  }
  return header + dictionary;
}

void AppendNpyElements(const hal::TensorType& spec,
                       std::span<const uint8_t> bytes, std::string& out) {
  const uint32_t bits = hal::StrideBits(spec.element);
  if (bits >= 8) {
    absl::StrAppend(&out, TextOf(bytes));
    return;
  }
  const uint64_t count = spec.ElementCount().value_or(0);
  const uint32_t mask = (1u << bits) - 1;
  out.reserve(out.size() + count);
  for (uint64_t bit = 0; bit < count * bits; bit += bits) {
    out.push_back(static_cast<char>(bytes[bit / 8] >> bit % 8 & mask));
  }
}

absl::Status PackNpyElements(hal::ElementType type,
                             std::span<const uint8_t> bytes, uint8_t* target) {
  const uint32_t bits = hal::BitCount(type);
  const bool has_sign =
      hal::IsIntegerKind(type) &&
      hal::NumericalKind(type) != hal::numerical_kind::kUnsigned;
  const uint32_t least = has_sign ? 256 - (1u << (bits - 1)) : 256;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] >> bits == 0 || bytes[i] >= least) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The byte 0x", absl::Hex(bytes[i], absl::kZeroPad2), " at index ", i,
        " is not an element of ", hal::ElementTypeName(type),
        "; a .npy file has one in the low ", bits, " bits of each byte."));
  }
  hal::Pack(type, bytes, target);
  return absl::OkStatus();
}

}  // namespace eyrie::abi
