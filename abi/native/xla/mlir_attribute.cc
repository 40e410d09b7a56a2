#include "abi/native/xla/mlir_attribute.h"

#include <optional>
#include <utility>

#include "abi/native/numbers.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/byte_reader.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr int kMaxNesting = 16;
constexpr int64_t kMaxElements = int64_t{1} << 20;  // of an attribute

// Returns the type of MLIR's "i32", "ui8", "f64" or "complex<f32>".
std::optional<FfiType> ElementOf(absl::string_view text) {
  if (text == "complex<f32>") return FfiType::kC64;
  if (text == "complex<f64>") return FfiType::kC128;
  // "si32" and "ui32" are the handler's s32 and u32.
  if (text.size() > 2 && text[1] == 'i' && absl::ascii_isdigit(text[2])) {
    const auto type =
        ParseFfiType(absl::StrCat(text.substr(0, 1), text.substr(2)));
    if (!type.ok() || (text[0] != 's' && text[0] != 'u')) return std::nullopt;
    return *type;
  }
  // These are names of handlers, not of MLIR.
  if (absl::StartsWith(text, "s") || absl::StartsWith(text, "u") ||
      absl::StartsWith(text, "c") || text == "pred" || text == "token") {
    return std::nullopt;
  }
  const auto type = ParseFfiType(text);
  if (!type.ok()) return std::nullopt;
  return *type;
}

class AttributeReader {
 public:
  explicit AttributeReader(MlirScanner& in) : in_(in) {}

  absl::StatusOr<Attributes> Dictionary(int depth);
  absl::StatusOr<Attribute> Dense();  // after "dense"

 private:
  absl::Status Unsupported(absl::string_view what) const {
    return absl::UnimplementedError(
        absl::StrCat("In line ", in_.Line(), " of the MLIR text is ", what,
                     ", which handlers cannot get as an attribute."));
  }
  absl::StatusOr<Attribute> Value(int depth);
  absl::StatusOr<Attribute> Scalar();
  absl::StatusOr<Attribute> Array();  // after "array"
  // Takes a number, without its type.
  absl::StatusOr<std::string> Number();
  absl::StatusOr<std::string> PlainNumber();
  // Takes the numbers of nested lists.
  absl::Status Numbers(int depth, std::vector<std::string>& numbers);
  absl::StatusOr<FfiType> Type();
  absl::Status Append(absl::string_view number, FfiType type,
                      std::string& bytes) const;

  MlirScanner& in_;
};

absl::StatusOr<FfiType> AttributeReader::Type() {
  ASSIGN_OR_RETURN(const absl::string_view text, in_.TakeType());
  const std::optional<FfiType> type = ElementOf(text);
  if (type) return *type;
  return Unsupported(absl::StrCat("a number of type ", PlainName(text)));
}

absl::Status AttributeReader::Append(absl::string_view number, FfiType type,
                                     std::string& bytes) const {
  absl::string_view digits = number;
  const auto size = static_cast<size_t>(InfoOf(type).bytes);
  if (absl::ConsumePrefix(&digits, "0x")) {  // the bits of a float
    std::optional<std::string> bits = BytesOfHex(digits);
    if (!bits || bits->size() != size) {
      return absl::InvalidArgumentError(
          absl::StrCat("In line ", in_.Line(), " of the MLIR text, the number ",
                       PlainName(number), " has not the size of its type, ",
                       InfoOf(type).name, "."));
    }
    bytes.append(bits->rbegin(), bits->rend());
    return absl::OkStatus();
  }
  const absl::Status status = AppendNumber(number, type, bytes);
  if (status.ok()) return status;
  return Annotate(status,
                  absl::StrCat("(in line ", in_.Line(), " of the MLIR text)"));
}

absl::StatusOr<std::string> AttributeReader::PlainNumber() {
  std::string number = in_.Take("-") ? "-" : "";
  const absl::string_view word = in_.TakeWord();
  if (word.empty()) return in_.Error("a number");
  absl::StrAppend(&number, word);
  // The exponent's sign: 1.0e-05.
  const char end = word.back();
  if ((end == 'e' || end == 'E') && !absl::StartsWith(word, "0x") &&
      absl::ascii_isdigit(word[0])) {
    if (in_.Take("-")) {
      number += '-';
    } else if (in_.Take("+")) {
      number += '+';
    }
    absl::StrAppend(&number, in_.TakeWord());
  }
  return number;
}

absl::StatusOr<std::string> AttributeReader::Number() {
  if (!in_.Take("(")) return PlainNumber();
  ASSIGN_OR_RETURN(const std::string real, PlainNumber());
  RETURN_IF_ERROR(in_.Expect(","));
  ASSIGN_OR_RETURN(const std::string imaginary, PlainNumber());
  RETURN_IF_ERROR(in_.Expect(")"));
  return absl::StrCat("(", real, ",", imaginary, ")");
}

absl::StatusOr<Attribute> AttributeReader::Scalar() {
  Attribute scalar;
  scalar.kind = Attribute::Kind::kScalar;
  ASSIGN_OR_RETURN(const std::string number, Number());
  if (number == "true" || number == "false") {
    scalar.type = FfiType::kPred;
  } else if (!absl::ascii_isdigit(number.back()) &&
             !absl::ascii_isxdigit(number.back())) {
    return Unsupported(absl::StrCat("the attribute ", PlainName(number)));
  } else if (in_.Take(":")) {
    ASSIGN_OR_RETURN(scalar.type, Type());
  } else {
    scalar.type =
        absl::StrContains(number, '.') ? FfiType::kF64 : FfiType::kS64;
  }
  RETURN_IF_ERROR(Append(number, scalar.type, scalar.bytes));
  return scalar;
}

absl::StatusOr<Attribute> AttributeReader::Array() {
  Attribute array;
  array.kind = Attribute::Kind::kArray;
  RETURN_IF_ERROR(in_.Expect("<"));
  in_.SkipBlanks();
  const absl::string_view name = in_.TakeWord();
  const std::optional<FfiType> type = ElementOf(name);
  if (!type) {
    return Unsupported(absl::StrCat("an array of ", PlainName(name)));
  }
  array.type = *type;
  if (in_.Take(":")) {
    do {
      ASSIGN_OR_RETURN(const std::string number, Number());
      RETURN_IF_ERROR(Append(number, array.type, array.bytes));
    } while (in_.Take(","));
  }
  RETURN_IF_ERROR(in_.Expect(">"));
  return array;
}

absl::Status AttributeReader::Numbers(int depth,
                                      std::vector<std::string>& numbers) {
  if (depth > kMaxNesting) return in_.Error("a less deeply nested list");
  if (!in_.Take("[")) {
    ASSIGN_OR_RETURN(numbers.emplace_back(), Number());
    return absl::OkStatus();
  }
  if (in_.Take("]")) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(Numbers(depth + 1, numbers));
  } while (in_.Take(","));
  return in_.Expect("]");
}

// The bytes of a tensor may be hexadecimal: dense<"0x0100…">.
absl::StatusOr<Attribute> AttributeReader::Dense() {
  Attribute array;
  array.kind = Attribute::Kind::kArray;
  std::vector<std::string> numbers;
  std::string bytes;
  RETURN_IF_ERROR(in_.Expect("<"));
  if (in_.Take("\"0x")) {
    ASSIGN_OR_RETURN(const absl::string_view digits, in_.TakeString());
    std::optional<std::string> decoded = BytesOfHex(digits);
    if (!decoded) return in_.Error("an even number of digits before this");
    bytes = *std::move(decoded);
  } else if (!in_.Follows(">")) {
    RETURN_IF_ERROR(Numbers(0, numbers));
  }
  RETURN_IF_ERROR(in_.Expect(">"));
  RETURN_IF_ERROR(in_.Expect(":"));
  ASSIGN_OR_RETURN(const absl::string_view text, in_.TakeType());
  const bool is_index = absl::EndsWith(text, "index>");
  ASSIGN_OR_RETURN(
      const MlirTensor tensor,
      ParseMlirTensor(
          is_index ? absl::StrCat(absl::StripSuffix(text, "index>"), "i64>")
                   : std::string(text)));
  int64_t count = 1;
  for (const int64_t dim : tensor.shape) {
    if (dim < 0 || (count != 0 && dim > kMaxElements / count)) {
      return Unsupported(absl::StrCat("a constant of type ", PlainName(text)));
    }
    count *= dim;
  }
  array.type = tensor.type;
  for (const std::string& number : numbers) {
    RETURN_IF_ERROR(Append(number, tensor.type, bytes));
  }
  // One element is that of all places.
  const auto size = static_cast<size_t>(InfoOf(tensor.type).bytes);
  const size_t whole = static_cast<size_t>(count) * size;
  if (bytes.size() == size) {
    while (array.bytes.size() < whole) array.bytes += bytes;
  } else {
    array.bytes = std::move(bytes);
  }
  if (array.bytes.size() == whole) return array;
  return absl::InvalidArgumentError(absl::StrCat(
      "In line ", in_.Line(), " of the MLIR text, a constant of type ",
      PlainName(text), " has ", array.bytes.size(), " bytes; expected ", whole,
      "."));
}

absl::StatusOr<Attribute> AttributeReader::Value(int depth) {
  Attribute value;
  if (in_.Take("\"")) {
    ASSIGN_OR_RETURN(const absl::string_view text, in_.TakeString());
    value.bytes = DecodeMlirString(text);
    return value;
  }
  if (in_.Follows("{")) {
    value.kind = Attribute::Kind::kDictionary;
    ASSIGN_OR_RETURN(value.members, Dictionary(depth + 1));
    return value;
  }
  if (in_.TakeWord("array")) return Array();
  if (in_.TakeWord("dense")) return Dense();
  if (in_.Follows("[") || in_.Follows("@") || in_.Follows("#")) {
    const absl::string_view from = in_.rest();
    RETURN_IF_ERROR(in_.TakeAttribute());
    return Unsupported(absl::StrCat(
        "the attribute ",
        PlainName(from.substr(0, from.size() - in_.rest().size()))));
  }
  return Scalar();
}

absl::StatusOr<Attributes> AttributeReader::Dictionary(int depth) {
  if (depth > kMaxNesting) return in_.Error("a less deeply nested dictionary");
  Attributes members;
  RETURN_IF_ERROR(in_.Expect("{"));
  if (in_.Take("}")) return members;
  do {
    ASSIGN_OR_RETURN(const absl::string_view text, in_.TakeAttributeName());
    const std::string name = DecodeMlirString(text);
    if (!in_.Take("=")) return Unsupported(absl::StrCat("unit ", name));
    ASSIGN_OR_RETURN(Attribute value, Value(depth));
    if (!members.emplace(name, std::move(value)).second) {
      return in_.Error(absl::StrCat("another attribute than '", PlainName(name),
                                    "' a second time"));
    }
  } while (in_.Take(","));
  RETURN_IF_ERROR(in_.Expect("}"));
  return members;
}

}  // namespace

absl::StatusOr<Attributes> TakeMlirDictionary(MlirScanner& in) {
  return AttributeReader(in).Dictionary(0);
}

absl::StatusOr<int64_t> TakeMlirInteger(MlirScanner& in) {
  in.SkipBlanks();
  int64_t number = 0;
  const bool is_negative = in.Take("-");
  if (!absl::SimpleAtoi(in.TakeWord(), &number)) return in.Error("an integer");
  if (in.Take(":")) RETURN_IF_ERROR(in.TakeType());
  return is_negative ? -number : number;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> TakeMlirLayouts(
    MlirScanner& in) {
  std::vector<std::vector<int64_t>> layouts;
  RETURN_IF_ERROR(in.Expect("["));
  if (in.Take("]")) return layouts;
  do {
    if (!in.TakeWord("dense")) return in.Error("dense<…>");
    ASSIGN_OR_RETURN(const Attribute order, AttributeReader(in).Dense());
    if (order.type != FfiType::kS64) return in.Error("tensor<…xindex> before");
    std::vector<int64_t>& layout = layouts.emplace_back();
    for (size_t i = 0; i < order.bytes.size(); i += sizeof(int64_t)) {
      layout.push_back(LoadLittleEndian<int64_t>(&order.bytes[i]));
    }
  } while (in.Take(","));
  RETURN_IF_ERROR(in.Expect("]"));
  return layouts;
}

absl::StatusOr<MlirTensor> ParseMlirTensor(absl::string_view text) {
  const auto unsupported = [text](absl::string_view why) {
    return absl::UnimplementedError(
        absl::StrCat("The type ", PlainName(text), why));
  };
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "tensor<") ||
      !absl::ConsumeSuffix(&rest, ">")) {
    return unsupported(" is not a tensor, which handlers need.");
  }
  const auto shape = hal::TensorType::TakeShape(rest);
  if (!shape.ok()) return unsupported(" is malformed.");
  if (!shape->ranked) return unsupported(" has no rank, which handlers need.");
  MlirTensor tensor{*shape};
  const std::optional<FfiType> type = ElementOf(rest);
  if (!type) return unsupported(" has elements that handlers do not know.");
  tensor.type = *type;
  tensor.element = InfoOf(*type).element;
  return tensor;
}

std::string DecodeMlirString(absl::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c != '\\' || text.empty()) {
      decoded += c;
      continue;
    }
    if (const auto byte = BytesOfHex(text.substr(0, 2));
        byte && !byte->empty()) {
      decoded += *byte;
      text.remove_prefix(2);
      continue;
    }
    decoded += text[0] == 'n' ? '\n' : text[0] == 't' ? '\t' : text[0];
    text.remove_prefix(1);
  }
  return decoded;
}

}  // namespace eyrie::native
