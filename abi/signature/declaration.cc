#include "abi/signature/declaration.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;

// Returns the position of the first `stop` outside all brackets and strings;
// the text's length if there is none.
size_t FindOutside(absl::string_view text, char stop) {
  int depth = 0;
  bool quoted = false;
  char before = '\0';
  for (size_t i = 0; i < text.size(); before = text[i++]) {
    const char c = text[i];
    if (c == '"' && before != '\\') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && c == stop) return i;
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    const bool arrow = c == '>' && before == '-';
    if (c == ')' || (c == '>' && !arrow) || c == ']' || c == '}') --depth;
  }
  return text.size();
}

// Removes "(…)" from the front and returns its contents.
std::optional<absl::string_view> TakeParenthesized(absl::string_view& text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&text, "(")) return std::nullopt;
  const size_t end = FindOutside(text, ')');
  if (end == text.size()) return std::nullopt;
  const absl::string_view inside = text.substr(0, end);
  text.remove_prefix(end + 1);
  return inside;
}

// Parses "4x?xf32". If a dimension cannot be parsed, the type is unknown.
void ParseTensor(absl::string_view inside, Type& type) {
  inside = inside.substr(0, FindOutside(inside, ','));  // removes an encoding
  inside = absl::StripAsciiWhitespace(inside);
  const auto shape = hal::TensorType::TakeShape(inside);
  const auto element = hal::ParseElementType(inside);
  const bool is_name =
      !inside.empty() && (absl::ascii_isalpha(inside[0]) || inside[0] == '!');
  if (!shape.ok() || !(element.ok() || is_name)) return;
  static_cast<hal::TensorType&>(type) = *shape;
  type.kind = Kind::kArray;
  if (element.ok()) {
    type.element = *element;
  } else {
    type.text = std::string(inside);
  }
}

Type ParseTypeAt(absl::string_view text, size_t depth);

// Parses the type in the brackets of "!util.list<i32>".
void ParseList(absl::string_view inside, size_t depth, Type& type) {
  type.kind = Kind::kAnyList;
  if (inside == "?" || depth > Signature::kMaxDepth) return;
  Type element = ParseTypeAt(inside, depth + 1);
  if (element.is(Kind::kUnknown)) return;
  if (element.is(Kind::kScalar) && element.element == hal::ElementType::kInt8) {
    type.kind = Kind::kByteList;
    return;
  }
  type.kind = Kind::kHomogeneous;
  type.members.push_back({"", std::move(element)});
}

Type ParseTypeAt(absl::string_view text, size_t depth) {
  constexpr struct {
    absl::string_view text;
    Kind kind;
  } kNames[] = {
      {"!hal.buffer_view", Kind::kArray}, {"!hal.buffer", Kind::kBuffer},
      {"!hal.fence", Kind::kFence},       {"!util.buffer", Kind::kBytes},
      {"!vm.buffer", Kind::kBytes},
  };
  Type type;
  text = absl::StripAsciiWhitespace(text);
  for (const auto& name : kNames) {
    if (text != name.text) continue;
    type.kind = name.kind;
    return type;
  }
  absl::string_view inside = text;
  const bool closes = absl::ConsumeSuffix(&inside, ">");
  if (closes && absl::ConsumePrefix(&inside, "tensor<")) {
    ParseTensor(inside, type);
  } else if (absl::ConsumePrefix(&inside, "!util.list<") ||
             absl::ConsumePrefix(&inside, "!vm.list<")) {
    ParseList(inside, depth, type);
  } else if (text == "index") {
    type.kind = Kind::kScalar;
    type.element = hal::ElementType::kInt64;
  } else if (const auto element = hal::ParseElementType(text);
             element.ok() && text[0] != '*') {
    type.kind = Kind::kScalar;
    type.element = *element;
  }
  if (type.is(Kind::kUnknown)) type.text = std::string(text);
  return type;
}

// Parses "{iree.abi.output = 0 : index}".
std::optional<int> StorageOf(absl::string_view attributes) {
  constexpr absl::string_view kKey = "iree.abi.output";
  const size_t at = attributes.find(kKey);
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = attributes.substr(at + kKey.size());
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::ConsumePrefix(&rest, "=")) return std::nullopt;
  rest = absl::StripLeadingAsciiWhitespace(rest);
  size_t digits = 0;
  while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
  int index = 0;
  if (!absl::SimpleAtoi(rest.substr(0, digits), &index)) return std::nullopt;
  return index;
}

// Parses "%input0: tensor<4xf32> {…}"; the name is optional.
Parameter ParseValue(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  Parameter value;
  if (absl::ConsumePrefix(&text, "%")) {
    const size_t colon = std::min(text.find(':'), text.size());
    value.name = std::string(absl::StripAsciiWhitespace(text.substr(0, colon)));
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  const size_t attributes = FindOutside(text, '{');
  value.type = ParseDeclaredType(text.substr(0, attributes));
  value.storage_of = StorageOf(text.substr(attributes));
  return value;
}

std::vector<Parameter> ParseValues(absl::string_view text) {
  std::vector<Parameter> values;
  while (!absl::StripAsciiWhitespace(text).empty()) {
    const size_t end = FindOutside(text, ',');
    values.push_back(ParseValue(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

}  // namespace

Type ParseDeclaredType(absl::string_view text) { return ParseTypeAt(text, 0); }

std::optional<Declaration> ParseDeclaration(absl::string_view text) {
  Declaration declaration;
  text = absl::StripAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&text, "async ")) {
    absl::ConsumePrefix(&text, "sync ");
  }
  if (!absl::ConsumePrefix(&text, "func @")) return std::nullopt;
  text.remove_prefix(FindOutside(text, '('));
  const auto arguments = TakeParenthesized(text);
  if (!arguments) return std::nullopt;
  declaration.arguments = ParseValues(*arguments);
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "->")) {
    if (const auto results = TakeParenthesized(text)) {
      declaration.results = ParseValues(*results);
    } else {
      declaration.results = ParseValues(text);
    }
  }
  return declaration;
}

}  // namespace eyrie::abi
