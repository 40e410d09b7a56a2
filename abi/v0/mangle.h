// Tagged integers and length-prefixed spans, the components of V0 signatures.
//
//   component ::= integer-tag integer | span-tag length '!' body
//   integer-tag ::= '_' | 'a' … 'z'      integer ::= '-'? [0-9]+
//   span-tag ::= 'A' … 'Z'               length ::= [0-9]+
//
// The length includes the '!' and the body's bytes. Every span has the '!', so
// a body may begin with a digit, '-' or '!': "A4!-23" is -23 and "A3!!5" is !5.
// A body is any bytes, often components again.
// Tested by mangle_test.cc, testing/raw_fuzz.cc, abi/call/testing/sip_fuzz.cc.
#ifndef EYRIE_ABI_V0_MANGLE_H_
#define EYRIE_ABI_V0_MANGLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi::v0 {

// One component. A view: the text must outlive it.
struct Component {
  char tag = 0;         // 0: the end of the text
  size_t offset = 0;    // of the tag, in bytes from the start of the signature
  int64_t integer = 0;  // of integers
  absl::string_view body;  // of spans
  size_t body_offset = 0;

  bool at_end() const { return tag == 0; }
  bool is_span() const { return tag >= 'A' && tag <= 'Z'; }
};

// Reads components one after another.
class SignatureParser {
 public:
  // `offset` is the position of the text in the whole signature.
  explicit SignatureParser(absl::string_view text, size_t offset = 0)
      : text_(text), base_(offset) {}
  // Reads the components of a span's body.
  explicit SignatureParser(const Component& span)
      : SignatureParser(span.body, span.body_offset) {}

  // Returns the next component; at_end() is true after the last.
  // INVALID_ARGUMENT: the text is malformed; the message gives the byte.
  absl::StatusOr<Component> Next();
  // Returns the next component, which must have this tag. `what` names it in
  // the message. INVALID_ARGUMENT: malformed, or another tag.
  absl::StatusOr<Component> Expect(char tag, absl::string_view what);
  // INVALID_ARGUMENT: there is more text.
  absl::Status ExpectEnd(absl::string_view what);

  // Calls `visit` for each remaining component, until it returns an error.
  absl::Status Visit(absl::FunctionRef<absl::Status(const Component&)> visit);

  bool at_end() const { return position_ == text_.size(); }
  // Returns the byte in the signature that is read next.
  size_t offset() const { return base_ + position_; }

 private:
  absl::Status ReadInteger(Component& component);
  absl::Status ReadBody(Component& component);

  absl::string_view text_;
  size_t base_;
  size_t position_ = 0;
};

// Returns the error "Byte 7 of the signature: the sentence."
absl::Status ErrorAt(size_t offset, absl::string_view sentence);
// Returns a tag for messages: "'k'", "'\x01'".
std::string TagText(char tag);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_MANGLE_H_
