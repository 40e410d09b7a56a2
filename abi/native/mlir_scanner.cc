#include "abi/native/mlir_scanner.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxQuotedLine = 24;

bool IsWordChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

}  // namespace

size_t MlirScanner::LineOf(size_t offset) const {
  const absl::string_view before = text_.substr(0, offset);
  return 1 +
         static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
}

absl::Status MlirScanner::Error(absl::string_view expected) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "In line ", Line(), " of the MLIR text, ", expected, " is expected, but ",
      rest_.empty() ? "nothing"
                    : absl::StrCat("'",
                                   PlainText(rest_.substr(0, rest_.find('\n')),
                                             kMaxQuotedLine),
                                   "'"),
      " follows."));
}

void MlirScanner::SkipBlanks() {
  while (true) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (!absl::StartsWith(rest_, "//")) return;
    rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
  }
}

absl::string_view MlirScanner::TakeWord() {
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsWordChar);
  const auto length = static_cast<size_t>(end - rest_.begin());
  const absl::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

bool MlirScanner::TakeWord(absl::string_view word) {
  SkipBlanks();
  const absl::string_view before = rest_;
  if (TakeWord() == word) return true;
  rest_ = before;
  return false;
}

absl::StatusOr<absl::string_view> MlirScanner::TakeString() {
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

absl::StatusOr<absl::string_view> MlirScanner::TakeAttributeName() {
  absl::string_view name;
  if (Take("\"")) {
    ASSIGN_OR_RETURN(name, TakeString());
  } else {
    name = TakeWord();
  }
  if (name.empty()) return Error("the name of an attribute");
  return name;
}

absl::StatusOr<absl::string_view> MlirScanner::TakeSymbol() {
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

absl::StatusOr<absl::string_view> MlirScanner::TakeBrackets() {
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

absl::StatusOr<absl::string_view> MlirScanner::TakeType() {
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

bool MlirScanner::Take(absl::string_view token) {
  SkipBlanks();
  return absl::ConsumePrefix(&rest_, token);
}

absl::Status MlirScanner::Expect(absl::string_view token) {
  if (Take(token)) return absl::OkStatus();
  return Error(absl::StrCat("'", token, "'"));
}

bool MlirScanner::Follows(absl::string_view token) {
  SkipBlanks();
  return absl::StartsWith(rest_, token);
}

absl::StatusOr<absl::string_view> MlirScanner::TakeAttribute() {
  SkipBlanks();
  const absl::string_view from = rest_;
  while (!rest_.empty() && !absl::StrContains(",)}]>", rest_.substr(0, 1))) {
    if (absl::ConsumePrefix(&rest_, "\"")) {
      RETURN_IF_ERROR(TakeString());
    } else if (absl::StrContains("<([{", rest_.substr(0, 1))) {
      RETURN_IF_ERROR(TakeBrackets());
    } else if (!absl::ConsumePrefix(&rest_, "->")) {
      rest_.remove_prefix(1);
    }
  }
  const absl::string_view taken =
      absl::StripAsciiWhitespace(from.substr(0, from.size() - rest_.size()));
  if (taken.empty()) return Error("an attribute");
  return taken;
}

absl::StatusOr<absl::string_view> MlirScanner::TakeAny(
    absl::string_view& quoted) {
  quoted = {};
  if (absl::ConsumePrefix(&rest_, "\"")) {
    ASSIGN_OR_RETURN(quoted, TakeString());
    return absl::string_view();
  }
  const char first = rest_[0];
  const absl::string_view word = TakeWord();
  if (!word.empty()) return word;
  rest_.remove_prefix(1);
  // Names of values, symbols and types are not operations.
  if (absl::StrContains("%@!#^", std::string(1, first))) TakeWord();
  return absl::string_view();
}

}  // namespace eyrie::native
