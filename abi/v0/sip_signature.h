// V0 structured index paths (SIP): the places of raw arguments and results in a
// structure of lists and dicts.
//
//   I17!S13!k0_0k1D6!K2!a_1R3!_0
//
// is [raw 0, {a: raw 1}] for the inputs and raw 0 for the results. Lists may
// have missing items, dict keys may be any text, and one raw value may be at
// several places. docs/abi.md has the grammar; mangle.h has the encoding.
// Tested by sip_signature_test.cc, abi/v0/call/sip_round_trip_test.cc,
// abi/call/testing/sip_fuzz.cc.
#ifndef EYRIE_ABI_V0_SIP_SIGNATURE_H_
#define EYRIE_ABI_V0_SIP_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi::v0 {

inline constexpr size_t kSipMaxDepth = 32;  // of nested structures
// Maximum of all items in the lists and dicts of one side, including missing
// items. Bounds the cost of a large key.
inline constexpr int64_t kSipMaxItems = int64_t{1} << 16;

// An index of a list, or a key of a dict.
using SipKey = std::variant<int64_t, std::string>;
// Returns "[2]" or "['foo']", as in messages.
std::string SipKeyText(const SipKey& key);
using SipPath = std::span<const SipKey>;
std::string SipPathText(SipPath path);

struct SipItem;

// A structure, or a leaf of one.
struct SipNode {
  enum class Kind : uint8_t {
    kNothing,  // no value; only for the whole
    kLeaf,
    kList,
    kDict,
  };

  Kind kind = Kind::kNothing;
  int64_t raw = 0;  // index of the raw value, of leaves
  std::vector<SipItem> items;

  bool is(Kind other) const { return kind == other; }
  // Returns the number of a list's items, including missing ones.
  int64_t list_size() const;

  bool operator==(const SipNode&) const = default;
};

struct SipItem {
  SipKey key;
  SipNode node;

  bool operator==(const SipItem&) const = default;
};

// Receives a structure from start to end: for each item of a list or dict,
// first its key and then its content.
class SipVisitor {
 public:
  virtual ~SipVisitor() = default;
  virtual void Key(const SipKey& key) = 0;
  virtual void Open(SipNode::Kind kind) = 0;  // kList or kDict
  virtual void Close() = 0;
  virtual void Leaf(int64_t raw) = 0;
};

// Reads a signature and passes the inputs to one visitor and the results to the
// other; kNothing is not passed. INVALID_ARGUMENT: the text does not match the
// grammar, repeats a key in one list or dict, has a negative key or raw index,
// or exceeds a limit above; the message gives the byte. The visitors may have
// received a part by then.
absl::Status ParseSip(absl::string_view text, SipVisitor& inputs,
                      SipVisitor& results);
// Passes a structure to a visitor. Its depth must be within the limit.
void VisitSip(const SipNode& node, SipVisitor& visitor);
// Returns the structure as indented text, one line per item:
//   :[
//     0:{
//       bar=raw(1),
//     },
//     2=raw(0),
//   ],
std::string SipText(const SipNode& node);

// Returns the first path of a raw index; empty if it has none.
std::vector<SipKey> SipFirstPath(const SipNode& root, int64_t raw);

struct SipSignature {
  SipNode inputs;
  SipNode results;

  // Returns the same errors as ParseSip.
  static absl::StatusOr<SipSignature> Parse(absl::string_view text);

  bool operator==(const SipSignature&) const = default;
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_SIP_SIGNATURE_H_
