// Scans words, brackets, strings and comments of MLIR text, and prints JSON.
#include "abi/native/memref/source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxQuotedLine = 24;
constexpr char kWrapped[] = "llvm.emit_c_interface";
constexpr char kOutput[] = "bufferize.result";

bool IsWordChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<MlirSource> Scan();

 private:
  // A parameter or result: its type and the attributes after it.
  struct Value {
    absl::string_view type;
    absl::string_view attributes;
  };

  absl::Status Error(absl::string_view expected) const;
  size_t Line() const {
    const auto end = text_.end() - rest_.size();
    return 1 + static_cast<size_t>(std::count(text_.begin(), end, '\n'));
  }

  void SkipBlanks();  // and comments
  bool Take(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }
  // Takes the characters that form a word.
  absl::string_view TakeWord();
  bool TakeWord(absl::string_view word);
  // Takes a string's rest after its opening quote.
  absl::StatusOr<absl::string_view> TakeString();
  // Takes a name after '@', without decoding escapes.
  absl::StatusOr<absl::string_view> TakeSymbol();
  // Takes text up to a blank, ',', ')' or '{' outside of brackets.
  absl::StatusOr<absl::string_view> TakeType();
  // Takes text from an opening bracket to the matching one.
  absl::StatusOr<absl::string_view> TakeBrackets();
  absl::Status TakeLocation();
  absl::StatusOr<Value> TakeValue();
  // Takes values after the '('.
  absl::StatusOr<std::vector<Value>> TakeValues();
  absl::Status TakeFunction();  // after "func.func"
  absl::Status TakeNext();

  const absl::string_view text_;
  absl::string_view rest_;
  MlirSource source_;
};

absl::Status Scanner::Error(absl::string_view expected) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "In line ", Line(), " of the MLIR text, ", expected, " is expected, but ",
      rest_.empty() ? "nothing"
                    : absl::StrCat("'",
                                   PlainText(rest_.substr(0, rest_.find('\n')),
                                             kMaxQuotedLine),
                                   "'"),
      " follows."));
}

void Scanner::SkipBlanks() {
  while (true) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (!absl::StartsWith(rest_, "//")) return;
    rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
  }
}

absl::string_view Scanner::TakeWord() {
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsWordChar);
  const auto length = static_cast<size_t>(end - rest_.begin());
  const absl::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

bool Scanner::TakeWord(absl::string_view word) {
  SkipBlanks();
  const absl::string_view before = rest_;
  if (TakeWord() == word) return true;
  rest_ = before;
  return false;
}

absl::StatusOr<absl::string_view> Scanner::TakeString() {
  for (size_t i = 0; i < rest_.size() && rest_[i] != '\n'; ++i) {
    if (rest_[i] == '\\') {
      ++i;
    } else if (rest_[i] == '"') {
      const absl::string_view string = rest_.substr(0, i);
      rest_.remove_prefix(i + 1);
      return string;
    }
  }
  return Error("a string that ends on its line");
}

absl::StatusOr<absl::string_view> Scanner::TakeSymbol() {
  if (!Take("@")) return Error("a name, @name,");
  if (absl::ConsumePrefix(&rest_, "\"")) return TakeString();
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), [](char c) {
    return IsWordChar(c) || c == '-';
  });
  const absl::string_view name =
      rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
  if (name.empty()) return Error("a name after the '@'");
  rest_.remove_prefix(name.size());
  return name;
}

absl::StatusOr<absl::string_view> Scanner::TakeBrackets() {
  const absl::string_view from = rest_;
  std::string open;
  do {
    if (rest_.empty()) return Error(absl::StrCat("'", open.substr(0, 1), "'"));
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (c == '"') {
      RETURN_IF_ERROR(TakeString());
    } else if (c == '-' && absl::ConsumePrefix(&rest_, ">")) {
      // The '>' of an arrow does not close a bracket.
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      open += c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (open.back() != c) {
        return Error(absl::StrCat("'", open.substr(open.size() - 1),
                                  "' instead of the previous '",
                                  std::string(1, c), "'"));
      }
      open.pop_back();
    }
  } while (!open.empty());
  return from.substr(0, from.size() - rest_.size());
}

absl::StatusOr<absl::string_view> Scanner::TakeType() {
  SkipBlanks();
  const absl::string_view from = rest_;
  while (!rest_.empty() && !absl::ascii_isspace(rest_[0]) &&
         !absl::StrContains(",){>]}", rest_.substr(0, 1))) {
    if (absl::StrContains("<([", rest_.substr(0, 1))) {
      RETURN_IF_ERROR(TakeBrackets());
    } else {
      rest_.remove_prefix(1);
    }
  }
  if (rest_.size() == from.size()) return Error("a type");
  return from.substr(0, from.size() - rest_.size());
}

absl::Status Scanner::TakeLocation() {
  if (!TakeWord("loc")) return absl::OkStatus();
  if (!absl::StartsWith(rest_, "(")) return Error("'('");
  return TakeBrackets().status();
}

absl::StatusOr<Scanner::Value> Scanner::TakeValue() {
  if (Take("%")) {
    TakeWord();
    if (!Take(":")) return Error("':'");
  }
  Value value;
  ASSIGN_OR_RETURN(value.type, TakeType());
  SkipBlanks();
  if (absl::StartsWith(rest_, "{")) {
    ASSIGN_OR_RETURN(value.attributes, TakeBrackets());
  }
  RETURN_IF_ERROR(TakeLocation());
  return value;
}

absl::StatusOr<std::vector<Scanner::Value>> Scanner::TakeValues() {
  std::vector<Value> values;
  if (Take(")")) return values;
  do {
    ASSIGN_OR_RETURN(values.emplace_back(), TakeValue());
  } while (Take(","));
  if (!Take(")")) return Error("',' or ')'");
  return values;
}

absl::Status Scanner::TakeFunction() {
  const bool is_private = TakeWord("private");
  if (!is_private && !TakeWord("public")) TakeWord("nested");
  MlirFunction function;
  ASSIGN_OR_RETURN(const absl::string_view name, TakeSymbol());
  function.name = std::string(name);
  if (!Take("(")) return Error("'('");
  ASSIGN_OR_RETURN(const std::vector<Value> arguments, TakeValues());
  std::vector<Value> results;
  if (Take("->")) {
    if (Take("(")) {
      ASSIGN_OR_RETURN(results, TakeValues());
    } else {
      // Attributes here belong to the function, not to the result.
      ASSIGN_OR_RETURN(results.emplace_back().type, TakeType());
    }
  }
  absl::string_view attributes;
  if (TakeWord("attributes")) {
    SkipBlanks();
    if (!absl::StartsWith(rest_, "{")) return Error("'{'");
    ASSIGN_OR_RETURN(attributes, TakeBrackets());
  }
  // Public functions count even without a body.
  if (is_private) return absl::OkStatus();
  function.wrapped = absl::StrContains(attributes, kWrapped);
  const auto append = [](std::string* out, const Value& value) {
    absl::StrAppend(out, value.type);
  };
  function.type =
      absl::StrCat("(", absl::StrJoin(arguments, ", ", append), ") -> (",
                   absl::StrJoin(results, ", ", append), ")");
  while (function.outputs < arguments.size() &&
         absl::StrContains(
             arguments[arguments.size() - 1 - function.outputs].attributes,
             kOutput)) {
    ++function.outputs;
  }
  source_.functions.push_back(std::move(function));
  return absl::OkStatus();
}

absl::Status Scanner::TakeNext() {
  if (absl::ConsumePrefix(&rest_, "\"")) {
    ASSIGN_OR_RETURN(const absl::string_view string, TakeString());
    if (string != "func.func") return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "In line ", Line(),
        " of the MLIR text is a function in MLIR's generic form; use mlir-opt "
        "without --mlir-print-op-generic to print the supported form."));
  }
  const char first = rest_[0];
  const absl::string_view word = TakeWord();
  if (word.empty()) {
    rest_.remove_prefix(1);
    // Skip names of values, symbols and types, which are not operations.
    if (absl::StrContains("%@!#^", std::string(1, first))) TakeWord();
    return absl::OkStatus();
  }
  if (word == "func.func") return TakeFunction();
  if (word == "module" || word == "builtin.module") {
    SkipBlanks();
    if (source_.name.empty() && absl::StartsWith(rest_, "@")) {
      ASSIGN_OR_RETURN(const absl::string_view name, TakeSymbol());
      source_.name = std::string(name);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MlirSource> Scanner::Scan() {
  for (SkipBlanks(); !rest_.empty(); SkipBlanks()) {
    RETURN_IF_ERROR(TakeNext());
  }
  std::vector<MlirFunction>& functions = source_.functions;
  if (functions.empty()) {
    return absl::InvalidArgumentError("The MLIR text has no public func.func.");
  }
  const auto is_wrapped = [](const MlirFunction& f) { return f.wrapped; };
  if (std::any_of(functions.begin(), functions.end(), is_wrapped)) {
    functions.erase(
        std::remove_if(functions.begin(), functions.end(),
                       [](const MlirFunction& f) { return !f.wrapped; }),
        functions.end());
  }
  return std::move(source_);
}

}  // namespace

absl::StatusOr<MlirSource> ReadMlirSource(absl::string_view text) {
  return Scanner(text).Scan();
}

std::string MemrefManifest(absl::string_view module,
                           std::span<const MlirFunction> functions,
                           int index_bits) {
  std::string json = "{\"module\": ";
  AppendJsonString(module, json);
  json += ", \"functions\": {";
  for (const MlirFunction& function : functions) {
    if (&function != functions.data()) json += ", ";
    AppendJsonString(function.name, json);
    json += ": {\"convention\": \"memref\", \"type\": ";
    AppendJsonString(function.type, json);
    if (function.outputs != 0) {
      absl::StrAppend(&json, ", \"outputs\": ", function.outputs);
    }
    if (index_bits != 64) {
      absl::StrAppend(&json, ", \"index_bits\": ", index_bits);
    }
    json += "}";
  }
  return json + "}}\n";
}

}  // namespace eyrie::native
