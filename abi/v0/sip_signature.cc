#include "abi/v0/sip_signature.h"

#include <algorithm>
#include <set>
#include <utility>

#include "abi/v0/mangle.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi::v0 {
namespace {

constexpr char kInputsTag = 'I';
constexpr char kResultsTag = 'R';
constexpr char kLeafTag = '_';
constexpr char kListTag = 'S';
constexpr char kDictTag = 'D';
constexpr char kIndexTag = 'k';
constexpr char kNameTag = 'K';

std::string TooManyItems() {
  return absl::StrCat("the lists and dicts have more than ", kSipMaxItems,
                      " items together, which is the limit.");
}

std::string TooDeep() {
  return absl::StrCat("structures are nested more than ", kSipMaxDepth,
                      " deep, which is the limit.");
}

// Returns the size of a list or dict after one more item is added.
int64_t GrownSize(const SipKey& key, int64_t size) {
  const int64_t* index = std::get_if<int64_t>(&key);
  if (index == nullptr) return size + 1;
  // Avoids overflow: an index this large is above all limits.
  return std::max(size, std::min(*index, kSipMaxItems) + 1);
}

// Reads the inputs or the results.
class SipReader {
 public:
  explicit SipReader(SipVisitor& visitor) : visitor_(visitor) {}

  absl::Status Read(const Component& side) {
    if (side.body.empty()) return absl::OkStatus();
    SignatureParser parser(side);
    RETURN_IF_ERROR(Value(parser, 0));
    return parser.ExpectEnd("the structure");
  }

 private:
  absl::Status Value(SignatureParser& parser, size_t depth) {
    ASSIGN_OR_RETURN(const Component component, parser.Next());
    switch (component.tag) {
      case kLeafTag:
        return Leaf(component);
      case kListTag:
      case kDictTag:
        return Structure(component, depth + 1);
      default:
        return ErrorAt(
            component.offset,
            absl::StrCat(
                component.at_end() ? "the end" : TagText(component.tag),
                " is found where a value ('_', 'S' or 'D') is expected."));
    }
  }

  absl::Status Leaf(const Component& component) {
    if (component.integer < 0) {
      return ErrorAt(
          component.offset,
          absl::StrCat("the raw index ", component.integer, " is negative."));
    }
    visitor_.Leaf(component.integer);
    return absl::OkStatus();
  }

  absl::Status Structure(const Component& component, size_t depth) {
    if (depth > kSipMaxDepth) return ErrorAt(component.offset, TooDeep());
    const bool is_list = component.tag == kListTag;
    visitor_.Open(is_list ? SipNode::Kind::kList : SipNode::Kind::kDict);
    SignatureParser parser(component);
    std::set<SipKey> keys;
    int64_t size = 0;
    while (!parser.at_end()) {
      const size_t offset = parser.offset();
      ASSIGN_OR_RETURN(const SipKey key, Key(parser, is_list));
      RETURN_IF_ERROR(Grow(key, offset, size));
      if (!keys.insert(key).second) {
        return ErrorAt(
            offset, absl::StrCat("the key ", SipKeyText(key), " is repeated."));
      }
      visitor_.Key(key);
      RETURN_IF_ERROR(Value(parser, depth));
    }
    visitor_.Close();
    return absl::OkStatus();
  }

  static absl::StatusOr<SipKey> Key(SignatureParser& parser, bool is_list) {
    if (!is_list) {
      ASSIGN_OR_RETURN(const Component name,
                       parser.Expect(kNameTag, "a dict's key"));
      return SipKey(std::string(name.body));
    }
    ASSIGN_OR_RETURN(const Component index,
                     parser.Expect(kIndexTag, "a list's index"));
    if (index.integer < 0) {
      return ErrorAt(index.offset, absl::StrCat("the index ", index.integer,
                                                " is negative."));
    }
    return SipKey(index.integer);
  }

  // Counts the items that one more item adds to a list or dict of this size.
  absl::Status Grow(const SipKey& key, size_t offset, int64_t& size) {
    const int64_t grown = GrownSize(key, size);
    if (grown - size > kSipMaxItems - items_) {
      return ErrorAt(offset, TooManyItems());
    }
    items_ += grown - size;
    size = grown;
    return absl::OkStatus();
  }

  SipVisitor& visitor_;
  int64_t items_ = 0;
};

class TreeBuilder : public SipVisitor {
 public:
  explicit TreeBuilder(SipNode& root) : next_(&root) {}

  void Key(const SipKey& key) override {
    next_ = &open_.back()->items.emplace_back(SipItem{key, {}}).node;
  }
  void Open(SipNode::Kind kind) override {
    next_->kind = kind;
    open_.push_back(next_);
  }
  void Close() override { open_.pop_back(); }
  void Leaf(int64_t raw) override {
    next_->kind = SipNode::Kind::kLeaf;
    next_->raw = raw;
  }

 private:
  SipNode* next_;  // receives the next event
  std::vector<SipNode*> open_;
};

class TextWriter : public SipVisitor {
 public:
  void Key(const SipKey& key) override {
    Indent();
    if (const int64_t* index = std::get_if<int64_t>(&key)) {
      absl::StrAppend(&text_, *index);
    } else {
      absl::StrAppend(&text_, EscapedName(std::get<std::string>(key)));
    }
  }
  void Open(SipNode::Kind kind) override {
    open_.push_back(kind);
    absl::StrAppend(&text_, kind == SipNode::Kind::kList ? ":[\n" : ":{\n");
  }
  void Close() override {
    const SipNode::Kind kind = open_.back();
    open_.pop_back();
    Indent();
    absl::StrAppend(&text_, kind == SipNode::Kind::kList ? "],\n" : "},\n");
  }
  void Leaf(int64_t raw) override {
    absl::StrAppend(&text_, "=raw(", raw, "),\n");
  }

  std::string text() && { return std::move(text_); }

 private:
  void Indent() { text_.append(2 * open_.size(), ' '); }

  std::string text_;
  std::vector<SipNode::Kind> open_;
};

class PathFinder : public SipVisitor {
 public:
  explicit PathFinder(int64_t raw) : raw_(raw) {}

  void Key(const SipKey& key) override { path_.back() = &key; }
  void Open(SipNode::Kind) override { path_.push_back(nullptr); }
  void Close() override { path_.pop_back(); }
  void Leaf(int64_t raw) override {
    if (raw != raw_ || has_found_) return;
    has_found_ = true;
    for (const SipKey* key : path_) found_.push_back(*key);
  }

  std::vector<SipKey> found() && { return std::move(found_); }

 private:
  int64_t raw_;
  std::vector<const SipKey*> path_;
  std::vector<SipKey> found_;
  bool has_found_ = false;
};

}  // namespace

std::string SipKeyText(const SipKey& key) {
  if (const int64_t* index = std::get_if<int64_t>(&key)) {
    return absl::StrCat("[", *index, "]");
  }
  return absl::StrCat("['", EscapedName(std::get<std::string>(key)), "']");
}

std::string SipPathText(SipPath path) {
  std::string text;
  for (const SipKey& key : path) text += SipKeyText(key);
  return text;
}

int64_t SipNode::list_size() const {
  int64_t size = 0;
  for (const SipItem& item : items) size = GrownSize(item.key, size);
  return size;
}

absl::Status ParseSip(absl::string_view text, SipVisitor& inputs,
                      SipVisitor& results) {
  SignatureParser parser(text);
  ASSIGN_OR_RETURN(const Component input_span,
                   parser.Expect(kInputsTag, "the inputs"));
  RETURN_IF_ERROR(SipReader(inputs).Read(input_span));
  ASSIGN_OR_RETURN(const Component result_span,
                   parser.Expect(kResultsTag, "the results"));
  RETURN_IF_ERROR(SipReader(results).Read(result_span));
  return parser.ExpectEnd("the results");
}

void VisitSip(const SipNode& node, SipVisitor& visitor) {
  switch (node.kind) {
    case SipNode::Kind::kNothing:
      return;
    case SipNode::Kind::kLeaf:
      return visitor.Leaf(node.raw);
    case SipNode::Kind::kList:
    case SipNode::Kind::kDict:
      break;
  }
  visitor.Open(node.kind);
  for (const SipItem& item : node.items) {
    visitor.Key(item.key);
    VisitSip(item.node, visitor);
  }
  visitor.Close();
}

std::string SipText(const SipNode& node) {
  TextWriter writer;
  VisitSip(node, writer);
  return std::move(writer).text();
}

std::vector<SipKey> SipFirstPath(const SipNode& root, int64_t raw) {
  PathFinder finder(raw);
  VisitSip(root, finder);
  return std::move(finder).found();
}

absl::StatusOr<SipSignature> SipSignature::Parse(absl::string_view text) {
  SipSignature signature;
  TreeBuilder inputs(signature.inputs);
  TreeBuilder results(signature.results);
  RETURN_IF_ERROR(ParseSip(text, inputs, results));
  return signature;
}

}  // namespace eyrie::abi::v0
