// V0 structured index paths (SIP): which raw argument or result stands where
// in a structure of lists and dicts.
//
//   I17!S13!k0_0k1D6!K2!a_1R3!_0
// is [raw 0, {a: raw 1}] for the inputs and raw 0 for the results. Lists may
// lack items and dicts hold any keys; one raw value may stand at several
// places. docs/abi.md has the grammar; mangle.h what it consists of.
// Tested by sip_signature_test.cc, round_trip_test.cc, abi/sip_fuzz.cc.
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

inline constexpr size_t kSipMaxDepth = 32;  // of structures in structures
// Items of all lists and dicts of one side together, those that lists lack
// included: what a key may cost.
inline constexpr int64_t kSipMaxItems = int64_t{1} << 16;

// The place of an item: an index of a list, or a key of a dict.
using SipKey = std::variant<int64_t, std::string>;
// "[2]", "['foo']": how errors write a path.
std::string SipKeyText(const SipKey& key);
using SipPath = std::span<const SipKey>;
std::string SipPathText(SipPath path);

struct SipItem;

// A structure, or a leaf of one.
struct SipNode {
  enum class Kind : uint8_t {
    kNothing,  // no value at all: only as the whole
    kLeaf,
    kList,
    kDict,
  };

  Kind kind = Kind::kNothing;
  int64_t raw = 0;  // of leaves: the index of the raw value
  std::vector<SipItem> items;

  bool is(Kind other) const { return kind == other; }
  // Of lists: items, those that it lacks included.
  int64_t list_size() const;

  bool operator==(const SipNode&) const = default;
};

struct SipItem {
  SipKey key;
  SipNode node;

  bool operator==(const SipItem&) const = default;
};

// Is told of a structure from its start to its end: before each item of a
// list or dict its key, then what it is.
class SipVisitor {
 public:
  virtual ~SipVisitor() = default;
  virtual void Key(const SipKey& key) = 0;
  virtual void Open(SipNode::Kind kind) = 0;  // kList or kDict
  virtual void Close() = 0;
  virtual void Leaf(int64_t raw) = 0;
};

// Reads a signature and tells one visitor of the inputs, one of the results;
// neither is told of kNothing. INVALID_ARGUMENT: the text is not by the
// grammar, has a key twice in one list or dict, a negative key or raw index,
// or exceeds a limit above, with the byte. They may have been told of a part.
absl::Status ParseSip(absl::string_view text, SipVisitor& inputs,
                      SipVisitor& results);
// Tells a visitor of a structure. Its depth is within the limit.
void VisitSip(const SipNode& node, SipVisitor& visitor);
// The structure, indented, one line per item:
//   :[
//     0:{
//       bar=raw(1),
//     },
//     2=raw(0),
//   ],
std::string SipText(const SipNode& node);

// The first path of a raw index; empty if it has none.
std::vector<SipKey> SipFirstPath(const SipNode& root, int64_t raw);

struct SipSignature {
  SipNode inputs;
  SipNode results;

  // Fails as ParseSip does.
  static absl::StatusOr<SipSignature> Parse(absl::string_view text);
  // The text that Parse reads.
  std::string Mangle() const;

  bool operator==(const SipSignature&) const = default;
};

// Makes a structure from its leaves, given in any order.
class SipMangler {
 public:
  // The raw value at a path; an empty path is the whole structure.
  // INVALID_ARGUMENT: a negative index or raw index; a path through a leaf, to
  // a structure or to a place that is taken; an index for a dict or a name for
  // a list; a limit above.
  absl::Status Set(int64_t raw, SipPath path);
  absl::Status Set(int64_t raw, std::initializer_list<SipKey> path) {
    return Set(raw, SipPath(path.begin(), path.size()));
  }

  // Items of lists by index, those of dicts by name.
  const SipNode& root() const { return root_; }

 private:
  // Set's errors; `added` becomes the items that there will be more.
  absl::Status Check(int64_t raw, SipPath path, int64_t& added) const;

  SipNode root_;
  int64_t items_ = 0;
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_SIP_SIGNATURE_H_
