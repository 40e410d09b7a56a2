// Tagged integers and length-prefixed spans, of which V0 signatures consist.
//
//   component ::= integer-tag integer | span-tag length '!' body
//   integer-tag ::= '_' | 'a' … 'z'      integer ::= '-'? [0-9]+
//   span-tag ::= 'A' … 'Z'               length ::= [0-9]+
// The length counts the '!' and the body's bytes. The '!' stands in every
// span, so a body may begin with a digit, '-' or '!': "A4!-23" is -23 and
// "A3!!5" is !5. A body is any bytes; often it is components again.
// Tested by mangle_test.cc, raw_fuzz.cc, abi/sip_fuzz.cc.
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

// Appends components to a text. Tags are the caller's to choose rightly.
class SignatureBuilder {
 public:
  // The tag is '_' or 'a' to 'z'.
  SignatureBuilder& Integer(int64_t value, char tag = '_');
  // The tag is 'A' to 'Z'.
  SignatureBuilder& Span(absl::string_view body, char tag);
  // Appends what another builder holds, as a span.
  SignatureBuilder& Span(const SignatureBuilder& body, char tag) {
    return Span(body.encoded(), tag);
  }

  const std::string& encoded() const { return encoded_; }

 private:
  std::string encoded_;
};

// One component of a text, which must outlive it.
struct Component {
  char tag = 0;         // 0: the text has ended
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
  // `offset` is where the text stands in the whole signature.
  explicit SignatureParser(absl::string_view text, size_t offset = 0)
      : text_(text), base_(offset) {}
  // Those of a span's body.
  explicit SignatureParser(const Component& span)
      : SignatureParser(span.body, span.body_offset) {}

  // The next component; at_end() after the last. INVALID_ARGUMENT: what
  // stands there is none, with its byte.
  absl::StatusOr<Component> Next();
  // The next one, which has this tag. INVALID_ARGUMENT: as Next, or it has
  // another; `what` names what was looked for.
  absl::StatusOr<Component> Expect(char tag, absl::string_view what);
  // INVALID_ARGUMENT: something follows.
  absl::Status ExpectEnd(absl::string_view what);

  // Calls `visit` for every component left; its errors are passed on.
  absl::Status Visit(absl::FunctionRef<absl::Status(const Component&)> visit);

  bool at_end() const { return position_ == text_.size(); }
  // The byte of the signature that is read next.
  size_t offset() const { return base_ + position_; }

 private:
  absl::Status ReadInteger(Component& component);
  absl::Status ReadBody(Component& component);

  absl::string_view text_;
  size_t base_;
  size_t position_ = 0;
};

// INVALID_ARGUMENT: "Byte 7 of the signature: the sentence."
absl::Status ErrorAt(size_t offset, absl::string_view sentence);
// "'k'", "'\x01'": a tag for a reader.
std::string TagText(char tag);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_MANGLE_H_
