#include "plugins/pjrt/compiler/signature_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::pjrt {
namespace {

constexpr size_t kMaxShown = 200;  // bytes of a text in a message

constexpr absl::string_view kElements[] = {
    "i1",     "i2",         "i4",       "i8",         "i16",
    "i32",    "i64",        "ui2",      "ui4",        "ui8",
    "ui16",   "ui32",       "ui64",     "f16",        "bf16",
    "f32",    "f64",        "f4E2M1FN", "f6E2M3FN",   "f6E3M2FN",
    "f8E3M4", "f8E4M3",     "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ",
    "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU"};

absl::Status Unreadable(absl::string_view what, absl::string_view text) {
  return absl::InternalError(absl::StrCat("The compiler prints ", what,
                                          " that cannot be read: '",
                                          PlainText(text, kMaxShown), "'."));
}

// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : rest_(text) { SkipSpaces(); }

  bool AtEnd() const { return rest_.empty(); }
  bool StartsWith(char c) const { return !rest_.empty() && rest_[0] == c; }
  absl::string_view rest() const { return rest_; }

  // Skips a token, and the spaces after it, if it is next.
  bool Skip(absl::string_view token) {
    if (!absl::ConsumePrefix(&rest_, token)) return false;
    SkipSpaces();
    return true;
  }

  // Returns the text up to a comma, an '=' or the end of the list that it is
  // in. Brackets in it are balanced, unless the text ends before.
  absl::string_view TakeItem() {
    size_t depth = 0, at = 0;
    for (; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '"') {
        at = EndOfString(at);
      } else if (c == '-' && at + 1 < rest_.size() && rest_[at + 1] == '>') {
        ++at;
      } else if (absl::StrContains("([{<", c)) {
        ++depth;
      } else if (absl::StrContains(")]}>", c)) {
        if (depth == 0) break;
        --depth;
      } else if (depth == 0 && (c == ',' || c == '=')) {
        break;
      }
    }
    const size_t size = std::min(at, rest_.size());
    const absl::string_view item = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return absl::StripAsciiWhitespace(item);
  }

 private:
  void SkipSpaces() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  // Returns the index of the quote that ends the string, or the text's size.
  size_t EndOfString(size_t begin) const {
    for (size_t at = begin + 1; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '"') {
        return at;
      }
    }
    return rest_.size();
  }

  absl::string_view rest_;
};

// Removes the VHLO name around a text: "!vhlo.NAME_v1<" and ">". Without
// parameters, as in "!vhlo.NAME_v1", nothing is left. Returns false, and leaves
// the text, if it has another form.
bool Unwrap(absl::string_view name, absl::string_view& text) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "!") && !absl::ConsumePrefix(&rest, "#")) {
    return false;
  }
  if (!absl::ConsumePrefix(&rest, "vhlo.") ||
      !absl::ConsumePrefix(&rest, name) || !absl::ConsumePrefix(&rest, "_v")) {
    return false;
  }
  const size_t digits =
      std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0) return false;
  rest.remove_prefix(digits);
  if (!rest.empty() &&
      (!absl::ConsumePrefix(&rest, "<") || !absl::ConsumeSuffix(&rest, ">"))) {
    return false;
  }
  text = rest;
  return true;
}

// Returns the value of a string attribute: "text", or of VHLO. MLIR writes
// other characters as a backslash with two hexadecimal digits.
std::optional<std::string> StringOf(absl::string_view text) {
  Unwrap("string", text);
  if (text.size() < 2 || !absl::ConsumePrefix(&text, "\"") ||
      !absl::ConsumeSuffix(&text, "\"")) {
    return std::nullopt;
  }
  std::string value;
  while (!text.empty()) {
    if (text[0] != '\\') {
      value += text[0];
      text.remove_prefix(1);
      continue;
    }
    const auto code =
        BytesOfHex(text.substr(1, std::min<size_t>(2, text.size() - 1)));
    if (code.has_value() && code->size() == 1) {
      value += *code;
      text.remove_prefix(3);
    } else if (text.size() > 1 && (text[1] == '\\' || text[1] == '"')) {
      value += text[1];
      text.remove_prefix(2);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// Returns the name of an element type in StableHLO, or "" if it is not a type
// of numbers.
std::string ElementOf(absl::string_view text) {
  absl::string_view part = text;
  if (Unwrap("complex", part) || (absl::ConsumePrefix(&part, "complex<") &&
                                  absl::ConsumeSuffix(&part, ">"))) {
    for (const absl::string_view each : {"f32", "f64"}) {
      absl::string_view rest = part;
      if (part == each || (Unwrap(each, rest) && rest.empty())) {
        return absl::StrCat("complex<", each, ">");
      }
    }
    return "";
  }
  if (Unwrap("bool", part) && part.empty()) return "i1";
  for (const absl::string_view each : kElements) {
    part = text;
    if (part == each || (Unwrap(each, part) && part.empty())) {
      return std::string(each);
    }
  }
  return "";
}

absl::Status Unsupported(absl::string_view text) {
  return absl::UnimplementedError(
      absl::StrCat("has type '", PlainText(text, kMaxShown),
                   "'; expected a tensor of numbers."));
}

// The error's message continues "Argument 0 ".
absl::StatusOr<TensorType> ReadTensor(absl::string_view text) {
  absl::string_view inner = text;
  if (!Unwrap("tensor", inner) && !(absl::ConsumePrefix(&inner, "tensor<") &&
                                    absl::ConsumeSuffix(&inner, ">"))) {
    return Unsupported(text);
  }
  TensorType type;
  bool is_dynamic = false;
  while (!inner.empty() && (inner[0] == '?' || absl::ascii_isdigit(inner[0]))) {
    const size_t end = std::min(inner.find('x'), inner.size());
    int64_t& size = type.dims.emplace_back(-1);
    if (inner[0] == '?') is_dynamic = true;
    if (inner.substr(0, end) != "?" &&
        (!absl::SimpleAtoi(inner.substr(0, end), &size) || size < 0)) {
      return Unsupported(text);
    }
    inner.remove_prefix(std::min(end + 1, inner.size()));
  }
  Scanner scanner(inner);
  type.element = ElementOf(scanner.TakeItem());
  // Only the bounds of dynamic dimensions may follow.
  if (type.element.empty() || (!scanner.AtEnd() && !is_dynamic)) {
    return Unsupported(text);
  }
  return type;
}

// Appends the types of a list up to its end.
absl::Status ReadTypes(Scanner& scanner, absl::string_view kind,
                       std::vector<ProgramArgument>& types) {
  while (true) {
    const absl::string_view item = scanner.TakeItem();
    // VHLO prints an empty list as "()".
    if (types.empty() && (item.empty() || item == "()"))
      return absl::OkStatus();
    absl::StatusOr<TensorType> type = ReadTensor(item);
    if (!type.ok()) {
      return absl::Status(
          type.status().code(),
          absl::StrCat(kind, " ", types.size(), " ", type.status().message()));
    }
    types.emplace_back().type = *std::move(type);
    if (!scanner.Skip(",")) return absl::OkStatus();
  }
}

absl::Status ReadFunctionType(absl::string_view text,
                              ProgramSignature& signature) {
  const absl::Status error = Unreadable("a function type", text);
  Unwrap("type", text);
  Unwrap("func", text);
  Scanner scanner(text);
  if (!scanner.Skip("(")) return error;
  RETURN_IF_ERROR(ReadTypes(scanner, "Argument", signature.arguments));
  if (!scanner.Skip(")") || !scanner.Skip("->")) return error;
  const bool is_list = scanner.Skip("(");
  RETURN_IF_ERROR(ReadTypes(scanner, "Result", signature.results));
  if (is_list && !scanner.Skip(")")) return error;
  return scanner.AtEnd() ? absl::OkStatus() : error;
}

// Sets a property from an attribute. A text without value is the whole value of
// a unit attribute.
bool Apply(absl::string_view name, absl::string_view value,
           ProgramArgument& argument) {
  if (name == "jax.buffer_donor") {
    Unwrap("bool", value);
    if (value != "false") argument.is_donated = true;
  } else if (name == "tf.aliasing_output") {
    argument.is_donated = true;
  } else if (name == "mhlo.memory_kind") {
    std::optional<std::string> kind = StringOf(value);
    if (!kind.has_value()) return false;
    argument.memory_kind = *std::move(kind);
  }
  return true;
}

// Reads "{name = value, name}", or that of VHLO.
bool ReadDictionary(absl::string_view text, ProgramArgument& argument) {
  Unwrap("dict", text);
  Scanner scanner(text);
  if (!scanner.Skip("{")) return false;
  while (!scanner.Skip("}")) {
    const absl::string_view item = scanner.TakeItem();
    const std::string name = StringOf(item).value_or(std::string(item));
    const absl::string_view value =
        scanner.Skip("=") ? scanner.TakeItem() : absl::string_view();
    if (name.empty() || !Apply(name, value, argument)) return false;
    if (!scanner.Skip(",") && !scanner.StartsWith('}')) return false;
  }
  return scanner.AtEnd();
}

// Reads a list of dictionaries, one for each of `arguments`. An absent or empty
// list means that none has an attribute.
absl::Status ReadAttributes(absl::string_view text,
                            std::vector<ProgramArgument>& arguments) {
  if (text.empty()) return absl::OkStatus();
  const absl::Status error = Unreadable("attributes", text);
  Unwrap("array", text);
  Scanner scanner(text);
  if (!scanner.Skip("[")) return error;
  size_t count = 0;
  while (!scanner.Skip("]")) {
    if (count == arguments.size() ||
        !ReadDictionary(scanner.TakeItem(), arguments[count]) ||
        (!scanner.Skip(",") && !scanner.StartsWith(']'))) {
      return error;
    }
    ++count;
  }
  if (count != 0 && count != arguments.size()) return error;
  return scanner.AtEnd() ? absl::OkStatus() : error;
}

// Reads an integer attribute, such as "2 : i32".
absl::StatusOr<int64_t> ReadCount(absl::string_view text) {
  constexpr int64_t kMost = 1 << 20;
  if (text.empty()) return 1;
  absl::string_view digits = text;
  Unwrap("integer", digits);
  digits = absl::StripAsciiWhitespace(digits.substr(0, digits.find(':')));
  int64_t count = 0;
  if (!absl::SimpleAtoi(digits, &count) || count < 1 || count > kMost) {
    return Unreadable("a number of devices", text);
  }
  return count;
}

}  // namespace

absl::StatusOr<ProgramSignature> ReadSignature(const SignatureText& text) {
  ProgramSignature signature;
  std::optional<std::string> name = StringOf(text.function_name);
  if (!name.has_value() || name->empty()) {
    return Unreadable("a name", text.function_name);
  }
  signature.function = *std::move(name);
  signature.name = StringOf(text.module_name).value_or("");
  if (signature.name.empty()) signature.name = signature.function;
  ASSIGN_OR_RETURN(signature.replicas, ReadCount(text.replicas));
  ASSIGN_OR_RETURN(signature.partitions, ReadCount(text.partitions));
  RETURN_IF_ERROR(ReadFunctionType(text.function_type, signature));
  RETURN_IF_ERROR(
      ReadAttributes(text.argument_attributes, signature.arguments));
  RETURN_IF_ERROR(ReadAttributes(text.result_attributes, signature.results));
  return signature;
}

}  // namespace eyrie::pjrt
