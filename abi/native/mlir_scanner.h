// Reads the tokens of MLIR's text: words, names, strings, types, brackets.
//
// Borrows the text. Every error gives the line. Source of the format: MLIR's
// language reference.
// Tested by memref/source_test.cc, xla/program_test.cc,
// tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_MLIR_SCANNER_H_
#define EYRIE_ABI_NATIVE_MLIR_SCANNER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

class MlirScanner {
 public:
  explicit MlirScanner(absl::string_view text) : text_(text), rest_(text) {}

  // Returns the text that is not taken yet.
  absl::string_view rest() const { return rest_; }
  // Returns the offset of rest().
  size_t at() const { return text_.size() - rest_.size(); }
  // Returns the number of a line, from 1, of rest() or of an offset. Linear in
  // the offset.
  size_t Line() const { return LineOf(at()); }
  size_t LineOf(size_t offset) const;
  // Returns the error that `expected`, such as "':'", does not follow.
  absl::Status Error(absl::string_view expected) const;

  void SkipBlanks();  // and comments
  // Skips blanks and reports whether the text ends after them.
  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }
  // Skip blanks. If the token or the word follows, take it and return true.
  bool Take(absl::string_view token);
  bool TakeWord(absl::string_view word);
  // Like Take, and returns an error if the token does not follow.
  absl::Status Expect(absl::string_view token);
  // Skips blanks and reports whether the token follows.
  bool Follows(absl::string_view token);
  // Takes the characters here that form a word; there may be none.
  absl::string_view TakeWord();
  // Takes a string's rest after its opening quote, without decoding escapes.
  absl::StatusOr<absl::string_view> TakeString();
  // Skips blanks and takes the name of an attribute, which may be a string.
  absl::StatusOr<absl::string_view> TakeAttributeName();
  // Takes a name after '@', without decoding escapes.
  absl::StatusOr<absl::string_view> TakeSymbol();
  // Takes text up to a blank, ',', ')' or '{' outside of brackets.
  absl::StatusOr<absl::string_view> TakeType();
  // Takes text from an opening bracket to the matching one.
  absl::StatusOr<absl::string_view> TakeBrackets();
  // Takes text up to a ',' or a closing bracket outside of brackets and
  // strings, without blanks at its ends.
  absl::StatusOr<absl::string_view> TakeAttribute();
  // Takes one token of any kind: a string, a name with its sign, or a
  // character. Returns it if it is a word, and otherwise "". `quoted` is set to
  // the content of a string.
  absl::StatusOr<absl::string_view> TakeAny(absl::string_view& quoted);

 private:
  const absl::string_view text_;
  absl::string_view rest_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MLIR_SCANNER_H_
