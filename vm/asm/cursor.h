// A place in a line of assembly text: reads words, numbers, registers and
// quoted text there, and makes errors that show it.
//
// Errors are INVALID_ARGUMENT and read
//   add.vmasm:3:9: There is no instruction vm.ad.i32.
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

// A line of the source. Views the name and the text, which outlive it.
struct SourceLine {
  absl::string_view file;  // name for messages
  uint32_t number = 0;     // from 1
  absl::string_view text;  // without its end

  // The error at a byte of the text, or at its end. Places are shown by
  // characters; of a long line or sentence a part is.
  absl::Status Error(size_t at, absl::string_view sentence) const;
};

// The parts of a line: what assembles, and the note after "//!" with which
// this assembler says what upstream's text cannot. Comments belong to neither.
struct LineParts {
  size_t code_end;
  size_t note_begin;  // after the "//!"; npos if there is none
  size_t note_end;
};
LineParts SplitLine(absl::string_view text);

// True for what names are made of without quotes: letters, digits, _ $ and
// periods.
bool IsNameChar(char c);

// A small value. Reads skip blanks first; one that does not find what it wants
// leaves the cursor where it was.
class TextCursor {
 public:
  // Over the bytes [begin, end) of the line's text.
  TextCursor(const SourceLine& line, size_t begin, size_t end)
      : line_(&line), at_(begin), end_(end) {}

  size_t position() const { return at_; }
  void set_position(size_t at) { at_ = at; }
  void SkipBlanks();
  // True if nothing but blanks is left.
  bool AtEnd();
  // The next byte, or 0 at the end.
  char Peek();
  // Where a character stands next, or npos.
  size_t Find(char c) const { return line_->text.substr(0, end_).find(c, at_); }

  // Reads exactly this text. Of a text that ends with a name's character, the
  // next one must not be one.
  bool Accept(absl::string_view text);
  // The same where nothing stands before the text, not even a blank.
  bool AcceptHere(absl::string_view text);
  // As Accept, or an error: "Here … is expected."
  absl::Status Expect(absl::string_view text);
  // An error unless AtEnd.
  absl::Status ExpectEnd();

  // Characters of names; may be empty.
  absl::string_view TakeName();
  // Bytes up to the next blank or the end; may be empty.
  absl::string_view TakeWord();
  // All that is left, without blanks around it.
  absl::string_view TakeRest();

  // Decimal digits. Errors name what `what` is ("a version").
  absl::StatusOr<uint32_t> TakeU32(absl::string_view what);
  // A number of `bits` bits, signed or unsigned, decimal or 0x: its bits.
  absl::StatusOr<uint64_t> TakeInteger(int bits);
  // Decimal, 0x hexadecimal, inf, nan, nan(0x1), snan(0x1): its bits.
  absl::StatusOr<uint64_t> TakeFloat(int bits);
  // "text" as it is, or e"text" with escapes: \" \\ \n \r \t \xHH.
  absl::StatusOr<std::string> TakeQuoted();
  // '@' and a name, bare or quoted.
  absl::StatusOr<std::string> TakeSymbol();
  // A type, bare ("!vm.list<i8>") or quoted.
  absl::StatusOr<std::string> TakeType();

  absl::Status Error(absl::string_view sentence) const {
    return line_->Error(at_, sentence);
  }
  absl::Status ErrorAt(size_t at, absl::string_view sentence) const {
    return line_->Error(at, sentence);
  }

 private:
  absl::string_view rest() const { return line_->text.substr(at_, end_ - at_); }
  absl::StatusOr<uint64_t> TakeNan(bool negative, int bits);

  const SourceLine* line_;
  size_t at_;
  size_t end_;
};

// The inverses of the cursor's reads.
std::string QuoteText(absl::string_view text);
std::string SymbolText(absl::string_view name);  // with its '@'
std::string TypeText(absl::string_view name);
std::string FloatText(uint64_t bits, int width);  // width: 32 or 64

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_CURSOR_H_
