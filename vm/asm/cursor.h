// A position in a line of assembly text. Reads words, numbers, registers and
// quoted text, and creates errors that show the position.
//
// Errors are INVALID_ARGUMENT and read
//   add.vmasm:3:9: Instruction 'vm.ad.i32' does not exist.
//     %i0 = vm.ad.i32 %i1, %i2
//           ^
// Tested by cursor_test.cc.
#ifndef EYRIE_VM_ASM_CURSOR_H_
#define EYRIE_VM_ASM_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::vm {

// A line of the source. The file's name and the text must outlive it.
struct SourceLine {
  absl::string_view file;  // for messages
  uint32_t number = 0;     // starts at 1
  absl::string_view text;  // without the line end

  // Returns an error that shows the byte at `at`, or the end. Columns count
  // characters. Long lines and messages are truncated.
  absl::Status Error(size_t at, absl::string_view sentence) const;
};

// The parts of a line: the code, and the note after "//!". Notes contain what
// upstream's text cannot express. Comments are in neither.
struct LineParts {
  size_t code_end;
  size_t note_begin;  // after the "//!"; npos if none
  size_t note_end;
};
LineParts SplitLine(absl::string_view text);

// Reports whether a name may contain the character without quotes: letters,
// digits, '_', '$' and '.'.
bool IsNameChar(char c);

// Cheap to copy. Reads skip blanks first. A read that fails does not move the
// cursor.
class TextCursor {
 public:
  // Reads the bytes [begin, end) of the line's text.
  TextCursor(const SourceLine& line, size_t begin, size_t end)
      : line_(&line), at_(begin), end_(end) {}

  size_t position() const { return at_; }
  void set_position(size_t at) { at_ = at; }
  void SkipBlanks();
  // Reports whether only blanks remain.
  bool AtEnd();
  // Returns the next byte that is not blank, or 0 at the end.
  char Peek();
  // Returns the position of the next `c`, or npos.
  size_t Find(char c) const { return line_->text.substr(0, end_).find(c, at_); }

  // Reads exactly this text. If its last character may be part of a name, the
  // next character must not be.
  bool Accept(absl::string_view text);
  // Reads the text as Accept does, without skipping blanks first.
  bool AcceptHere(absl::string_view text);
  // Like Accept, but returns the error "Here … is expected." if it fails.
  absl::Status Expect(absl::string_view text);
  // Reads the ',' after an entry of a list. Returns false if the list ends
  // here, with or without a ',' after its last entry.
  bool AcceptNext();
  // Returns an error unless AtEnd().
  absl::Status ExpectEnd();

  // Reads characters of names; may be empty.
  absl::string_view TakeName();
  // Reads bytes up to the next blank or the end; may be empty.
  absl::string_view TakeWord();
  // Reads the rest, without blanks around it.
  absl::string_view TakeRest();

  // Reads a number: decimal, 0x1F, or octal after a 0, as C does. Errors
  // mention `what`, such as "a version".
  absl::StatusOr<uint32_t> TakeU32(absl::string_view what);
  // Reads a number of `bits` bits, signed or unsigned, as TakeU32 does. Returns
  // its bits.
  absl::StatusOr<uint64_t> TakeInteger(int bits);
  // Reads a decimal or hexadecimal float, inf, nan, nan(0x1) or snan(0x1).
  // Returns its bits.
  absl::StatusOr<uint64_t> TakeFloat(int bits);
  // Reads "text" without escapes, or e"text" with the escapes \" \\ \n \r \t
  // \xHH.
  absl::StatusOr<std::string> TakeQuoted();
  // Reads '@' and a name, which may be quoted.
  absl::StatusOr<std::string> TakeSymbol();
  // Reads a type, such as !vm.list<i8>, which may be quoted.
  absl::StatusOr<std::string> TakeType();

  absl::Status Error(absl::string_view sentence) const {
    return line_->Error(at_, sentence);
  }
  absl::Status ErrorAt(size_t at, absl::string_view sentence) const {
    return line_->Error(at, sentence);
  }

 private:
  absl::string_view rest() const { return line_->text.substr(at_, end_ - at_); }
  // Reads '-' or '+', if there is one; returns true for '-'.
  bool TakeSign();
  absl::StatusOr<uint64_t> TakeNan(bool negative, int bits);

  const SourceLine* line_;
  size_t at_;
  size_t end_;
};

// The inverse functions of the cursor's reads.
std::string QuoteText(absl::string_view text);
std::string SymbolText(absl::string_view name);  // with its '@'
// Returns the same as the public tool prints it: never in quotes, unless the
// name contains control characters.
std::string PublicSymbolText(absl::string_view name);
std::string TypeText(absl::string_view name);
std::string FloatText(uint64_t bits, int width);  // width: 32 or 64

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_CURSOR_H_
