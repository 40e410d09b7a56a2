// Writes V0 signatures, for tests and fuzzers.
#ifndef EYRIE_ABI_V0_TESTING_WRITERS_H_
#define EYRIE_ABI_V0_TESTING_WRITERS_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "abi/v0/raw_signature.h"
#include "abi/v0/sip_signature.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi::v0 {

// Appends components to a text. The caller must choose valid tags.
class SignatureBuilder {
 public:
  // `tag` must be '_' or 'a' to 'z'.
  SignatureBuilder& Integer(int64_t value, char tag = '_');
  // `tag` must be 'A' to 'Z'.
  SignatureBuilder& Span(absl::string_view body, char tag);
  // Appends another builder's text as a span.
  SignatureBuilder& Span(const SignatureBuilder& body, char tag) {
    return Span(body.encoded(), tag);
  }

  const std::string& encoded() const { return encoded_; }

 private:
  std::string encoded_;
};

// Returns the text that Parse reads, in its canonical form.
std::string Mangle(const RawSignature& signature);
std::string Mangle(const SipSignature& signature);

// Puts a raw value at a path of a structure that is built; an empty path is the
// whole structure. List items are sorted by index, dict items by name. Returns
// false, and changes nothing, if the place is taken or the path leads through a
// leaf or another kind of structure.
bool PutLeaf(SipNode& root, int64_t raw, SipPath path);
inline bool PutLeaf(SipNode& root, int64_t raw,
                    std::initializer_list<SipKey> path) {
  return PutLeaf(root, raw, SipPath(path.begin(), path.size()));
}

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_TESTING_WRITERS_H_
