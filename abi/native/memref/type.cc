// A recursive-descent parser for the grammar in type.h, and the printer.
#include "abi/native/memref/type.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "abi/native/ffi_types.h"
#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

using Kind = MemrefType::Kind;

// Returns the element type with MLIR's name, or null if memrefs cannot have it.
const hal::ElementTypeInfo* FindElement(absl::string_view name) {
  for (const hal::ElementTypeInfo& row : hal::ElementTypes()) {
    const bool has_sign = row.kind == hal::numerical_kind::kSigned ||
                          row.kind == hal::numerical_kind::kUnsigned;
    if (name == row.mlir) return has_sign || row.bits < 8 ? nullptr : &row;
  }
  return nullptr;
}

constexpr size_t kMaxText = size_t{1} << 16;  // bytes
constexpr size_t kMaxQuotedRest = 24;

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<MemrefFunctionType> Parse();

 private:
  using Types = std::vector<MemrefType>;

  absl::Status Error(absl::string_view expected) const;
  absl::Status Unsupported(absl::string_view what) const;
  // Returns the next part of the text, for messages.
  std::string Next() const;
  size_t offset() const { return text_.size() - rest_.size(); }

  // Takes the token if it comes next, after blanks.
  bool Take(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return absl::ConsumePrefix(&rest_, token);
  }
  bool Follows(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return absl::StartsWith(rest_, token);
  }
  absl::Status Expect(absl::string_view token) {
    return Take(token) ? absl::OkStatus()
                       : Error(absl::StrCat("'", token, "'"));
  }
  // Takes a decimal number, at most INT64_MAX.
  absl::StatusOr<int64_t> Number();
  // Takes a number or '?'.
  absl::StatusOr<int64_t> Bound();

  absl::StatusOr<Types> TypeList();  // after the '('
  absl::StatusOr<MemrefType> Type();
  absl::Status Element(MemrefType& type);
  absl::Status Memref(MemrefType& type);
  absl::Status Dims(MemrefType& type);
  absl::Status Strided(MemrefType& type);
  // Reads the strides of a layout: "[?, 1]".
  absl::Status Strides(MemrefType& type);
  // Reads "offset: ?, strides: [?, 1]", MLIR's form before strided<…>.
  absl::Status OldStrided(MemrefType& type);
  // Reads a map after "affine_map": the identity, or a sum of an offset and
  // one product with a stride for each dimension.
  absl::Status AffineMap(MemrefType& type);
  // Reads names such as "d0, d1" up to the bracket.
  absl::StatusOr<std::vector<std::string>> Names(absl::string_view end);
  absl::Status AffineTerm(const std::vector<std::string>& dims,
                          const std::vector<std::string>& symbols,
                          MemrefType& type);
  absl::string_view Word();  // letters and digits
  absl::Status MemorySpace();

  const absl::string_view text_;
  absl::string_view rest_;
};

std::string Parser::Next() const {
  if (rest_.empty()) return "nothing";
  return absl::StrCat("'", PlainText(rest_, kMaxQuotedRest), "'");
}

absl::Status Parser::Error(absl::string_view expected) const {
  return absl::InvalidArgumentError(
      absl::StrCat("At offset ", offset(), " of the function type, ", expected,
                   " is expected, but ", Next(), " follows."));
}

absl::Status Parser::Unsupported(absl::string_view what) const {
  return absl::UnimplementedError(absl::StrCat("At offset ", offset(),
                                               " of the function type, ", what,
                                               " (", Next(), ")."));
}

absl::StatusOr<int64_t> Parser::Number() {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  size_t digits = 0;
  while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) ++digits;
  int64_t value = 0;
  if (digits == 0 || !absl::SimpleAtoi(rest_.substr(0, digits), &value)) {
    return Error(
        absl::StrCat("a number up to ", std::numeric_limits<int64_t>::max()));
  }
  rest_.remove_prefix(digits);
  return value;
}

absl::StatusOr<int64_t> Parser::Bound() {
  if (Take("?")) return MemrefType::kDynamic;
  if (Take("-")) {
    return Unsupported("a negative bound, which is not supported");
  }
  return Number();
}

absl::Status Parser::Element(MemrefType& type) {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  size_t length = 0;
  while (length < rest_.size() && absl::ascii_isalnum(rest_[length])) ++length;
  if (rest_.substr(0, length) == "complex") {
    length = rest_.find('>');
    length = length == rest_.npos ? rest_.size() : length + 1;
  }
  const absl::string_view name = rest_.substr(0, length);
  if (length == 0 || absl::ascii_isdigit(name[0])) {
    return Error("an element type");
  }
  type.is_index = name == "index";
  const hal::ElementTypeInfo* const row =
      FindElement(type.is_index ? "i64" : name);
  if (row == nullptr) {
    return Unsupported(
        "a type that the memref convention does not support here");
  }
  type.element = row->type;
  rest_.remove_prefix(length);
  return absl::OkStatus();
}

absl::Status Parser::Dims(MemrefType& type) {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  const absl::string_view tensor = rest_.substr(0, rest_.find_first_of(",>"));
  absl::string_view after = tensor;
  auto shape = hal::TensorType::TakeShape(after);
  if (!shape.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("At offset ", offset(),
                     " of the function type: ", shape.status().message()));
  }
  if (shape->shape.size() > MemrefType::kMaxRank) {
    return Error(absl::StrCat("a memref of at most ", MemrefType::kMaxRank,
                              " dimensions"));
  }
  type.kind = shape->ranked ? Kind::kRanked : Kind::kUnranked;
  static_cast<hal::TensorType&>(type) = *std::move(shape);
  rest_.remove_prefix(tensor.size() - after.size());
  return absl::OkStatus();
}

absl::Status Parser::Strides(MemrefType& type) {
  RETURN_IF_ERROR(Expect("["));
  if (!Take("]")) {
    do {
      ASSIGN_OR_RETURN(type.strides.emplace_back(), Bound());
    } while (type.strides.size() <= type.shape.size() && Take(","));
    RETURN_IF_ERROR(Expect("]"));
  }
  if (type.kind != Kind::kRanked || type.strides.size() != type.shape.size()) {
    return Error(absl::StrCat("a layout of ", type.shape.size(),
                              " strides, as many as there are dimensions,"));
  }
  type.is_strided = true;
  return absl::OkStatus();
}

absl::Status Parser::Strided(MemrefType& type) {
  RETURN_IF_ERROR(Expect("<"));
  RETURN_IF_ERROR(Strides(type));
  if (Take(",")) {
    RETURN_IF_ERROR(Expect("offset"));
    RETURN_IF_ERROR(Expect(":"));
    ASSIGN_OR_RETURN(type.offset, Bound());
  }
  return Expect(">");
}

absl::Status Parser::OldStrided(MemrefType& type) {
  RETURN_IF_ERROR(Expect(":"));
  ASSIGN_OR_RETURN(type.offset, Bound());
  for (const char* token : {",", "strides", ":"}) {
    RETURN_IF_ERROR(Expect(token));
  }
  return Strides(type);
}

absl::string_view Parser::Word() {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  size_t length = 0;
  while (length < rest_.size() && absl::ascii_isalnum(rest_[length])) ++length;
  const absl::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

absl::StatusOr<std::vector<std::string>> Parser::Names(absl::string_view end) {
  std::vector<std::string> names;
  if (Take(end)) return names;
  do {
    names.emplace_back(Word());
    if (names.back().empty() || absl::ascii_isdigit(names.back()[0]) ||
        names.size() > 2 * MemrefType::kMaxRank + 1) {
      return Error("a name, one of a few,");
    }
  } while (Take(","));
  RETURN_IF_ERROR(Expect(end));
  return names;
}

absl::Status Parser::AffineTerm(const std::vector<std::string>& dims,
                                const std::vector<std::string>& symbols,
                                MemrefType& type) {
  std::optional<size_t> dim;
  std::optional<int64_t> factor;  // kDynamic: a symbol
  do {
    const absl::string_view word = Word();
    const auto as_dim = std::find(dims.begin(), dims.end(), word);
    int64_t number = 0;
    if (!dim && as_dim != dims.end()) {
      dim = static_cast<size_t>(as_dim - dims.begin());
    } else if (!factor && absl::c_linear_search(symbols, word)) {
      factor = MemrefType::kDynamic;
    } else if (!factor && absl::SimpleAtoi(word, &number) && number >= 0) {
      factor = number;
    } else {
      return Unsupported(
          "an affine map that is neither the identity nor a sum of an offset "
          "and of each dimension times a stride");
    }
  } while (Take("*"));
  int64_t& place = dim ? type.strides[*dim] : type.offset;
  const int64_t value = factor.value_or(1);
  const bool taken = dim ? place != 0 : place == MemrefType::kDynamic;
  int64_t sum = 0;
  if (taken || (value != MemrefType::kDynamic &&
                __builtin_add_overflow(place, value, &sum))) {
    return Unsupported("an affine map with a dimension or an offset twice");
  }
  place = value == MemrefType::kDynamic ? value : sum;
  return absl::OkStatus();
}

absl::Status Parser::AffineMap(MemrefType& type) {
  for (const char* token : {"<", "("}) RETURN_IF_ERROR(Expect(token));
  ASSIGN_OR_RETURN(const std::vector<std::string> dims, Names(")"));
  std::vector<std::string> symbols;
  if (Take("[")) {
    ASSIGN_OR_RETURN(symbols, Names("]"));
  }
  for (const char* token : {"->", "("}) RETURN_IF_ERROR(Expect(token));
  if (type.kind != Kind::kRanked || dims.size() != type.shape.size()) {
    return Error(absl::StrCat("a map of ", type.shape.size(), " dimensions"));
  }
  const std::string identity = absl::StrCat(absl::StrJoin(dims, ", "), ")>");
  if (absl::ConsumePrefix(&rest_, identity)) return absl::OkStatus();
  type.is_strided = true;
  type.strides.assign(dims.size(), 0);
  do {
    RETURN_IF_ERROR(AffineTerm(dims, symbols, type));
  } while (Take("+"));
  RETURN_IF_ERROR(Expect(")"));
  return Expect(">");
}

absl::Status Parser::MemorySpace() {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  if (!Take("0") || (!rest_.empty() && absl::ascii_isalnum(rest_[0]))) {
    return Unsupported(
        "a layout or memory space other than strided<...> and 0");
  }
  MemrefType width;
  if (Take(":")) RETURN_IF_ERROR(Element(width));
  return absl::OkStatus();
}

absl::Status Parser::Memref(MemrefType& type) {
  RETURN_IF_ERROR(Dims(type));
  RETURN_IF_ERROR(Element(type));
  if (Take(",")) {
    const bool has_layout =
        Follows("strided") || Follows("offset") || Follows("affine_map");
    if (Take("strided")) {
      RETURN_IF_ERROR(Strided(type));
    } else if (Take("offset")) {
      RETURN_IF_ERROR(OldStrided(type));
    } else if (Take("affine_map")) {
      RETURN_IF_ERROR(AffineMap(type));
    }
    if (has_layout) {
      if (Take(",")) RETURN_IF_ERROR(MemorySpace());
    } else {
      RETURN_IF_ERROR(MemorySpace());
    }
  }
  return Expect(">");
}

absl::StatusOr<MemrefType> Parser::Type() {
  MemrefType type;
  if (Take("memref")) {
    RETURN_IF_ERROR(Expect("<"));
    RETURN_IF_ERROR(Memref(type));
    return type;
  }
  RETURN_IF_ERROR(Element(type));
  if (ScalarLetter(type.element) == 0) {
    return absl::UnimplementedError(absl::StrCat(
        "Before offset ", offset(), " of the function type, a scalar of ",
        type.element_name(), ", which calling conventions cannot carry."));
  }
  return type;
}

absl::StatusOr<Parser::Types> Parser::TypeList() {
  Types types;
  if (Take(")")) return types;
  do {
    if (types.size() == MemrefFunctionType::kMaxValues) {
      return Error(
          absl::StrCat("no type past ", MemrefFunctionType::kMaxValues));
    }
    ASSIGN_OR_RETURN(types.emplace_back(), Type());
  } while (Take(","));
  RETURN_IF_ERROR(Expect(")"));
  return types;
}

absl::StatusOr<MemrefFunctionType> Parser::Parse() {
  if (text_.size() > kMaxText) {
    return absl::InvalidArgumentError(
        absl::StrCat("The function type has ", text_.size(),
                     " bytes; the limit is ", kMaxText, "."));
  }
  MemrefFunctionType function;
  RETURN_IF_ERROR(Expect("("));
  ASSIGN_OR_RETURN(function.arguments, TypeList());
  RETURN_IF_ERROR(Expect("->"));
  if (Take("(")) {
    ASSIGN_OR_RETURN(function.results, TypeList());
  } else {
    ASSIGN_OR_RETURN(function.results.emplace_back(), Type());
  }
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
  if (!rest_.empty()) return Error("the end");
  return function;
}

std::string BoundText(int64_t bound) {
  return bound == MemrefType::kDynamic ? "?" : absl::StrCat(bound);
}

std::string ListText(const std::vector<MemrefType>& types) {
  return absl::StrCat(
      "(",
      absl::StrJoin(types, ", ",
                    [](std::string* out, const MemrefType& type) {
                      out->append(type.ToString());
                    }),
      ")");
}

}  // namespace

const char* MemrefType::element_name() const {
  return is_index ? "index" : hal::FindElementType(element)->mlir;
}

std::string MemrefType::ToString() const {
  if (is_scalar()) return element_name();
  std::string text = absl::StrCat("memref<", ShapePrefix(), element_name());
  if (is_strided) {
    absl::StrAppend(&text, ", strided<[",
                    absl::StrJoin(strides, ", ",
                                  [](std::string* out, int64_t stride) {
                                    out->append(BoundText(stride));
                                  }),
                    "]");
    if (offset != 0) absl::StrAppend(&text, ", offset: ", BoundText(offset));
    absl::StrAppend(&text, ">");
  }
  return absl::StrCat(text, ">");
}

std::string MemrefFunctionType::ToString() const {
  return absl::StrCat(
      ListText(arguments), " -> ",
      results.size() == 1 ? results[0].ToString() : ListText(results));
}

absl::StatusOr<MemrefFunctionType> ParseMemrefFunctionType(
    absl::string_view text) {
  return Parser(text).Parse();
}

}  // namespace eyrie::native
