#include "abi/v0/testing/writers.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hal/element_type.h"

namespace eyrie::abi::v0 {
namespace {

char TagOf(RawType::Kind kind) {
  switch (kind) {
    case RawType::Kind::kBuffer:
      return 'B';
    case RawType::Kind::kScalar:
      return 'S';
    case RawType::Kind::kRefObject:
      return 'O';
    case RawType::Kind::kUnrecognized:
      break;
  }
  return 'U';
}

void Append(const RawType& type, SignatureBuilder& builder) {
  SignatureBuilder body;
  const bool is_buffer = type.kind == RawType::Kind::kBuffer;
  if (is_buffer || type.kind == RawType::Kind::kScalar) {
    const std::vector<hal::ElementType> types = ScalarTypes();
    const auto number =
        std::find(types.begin(), types.end(), type.element) - types.begin();
    if (number != 0) body.Integer(number, 't');
  }
  if (is_buffer) {
    for (const int64_t dimension : type.shape) body.Integer(dimension, 'd');
    if (type.layout != Layout::kUnspecified) {
      body.Integer(type.layout == Layout::kColumnMajor ? 1 : 0, 'c');
    }
  }
  builder.Span(body, TagOf(type.kind));
}

void Append(const SipNode& node, SignatureBuilder& builder) {
  if (node.is(SipNode::Kind::kNothing)) return;
  if (node.is(SipNode::Kind::kLeaf)) {
    builder.Integer(node.raw);
    return;
  }
  SignatureBuilder body;
  for (const SipItem& item : node.items) {
    if (const int64_t* index = std::get_if<int64_t>(&item.key)) {
      body.Integer(*index, 'k');
    } else {
      body.Span(std::get<std::string>(item.key), 'K');
    }
    Append(item.node, body);
  }
  builder.Span(body, node.is(SipNode::Kind::kList) ? 'S' : 'D');
}

SipNode::Kind KindOf(const SipKey& key) {
  return std::holds_alternative<int64_t>(key) ? SipNode::Kind::kList
                                              : SipNode::Kind::kDict;
}

// Returns the place of an item in the sorted list, whether or not it exists.
template <typename Node>
auto LowerBound(Node& node, const SipKey& key) {
  return std::lower_bound(
      node.items.begin(), node.items.end(), key,
      [](const SipItem& item, const SipKey& key) { return item.key < key; });
}

bool HasRoom(const SipNode& root, SipPath path) {
  const SipNode* node = &root;
  for (const SipKey& key : path) {
    if (node->is(SipNode::Kind::kNothing)) return true;
    if (!node->is(KindOf(key))) return false;
    const auto item = LowerBound(*node, key);
    if (item == node->items.end() || item->key != key) return true;
    node = &item->node;
  }
  return node->is(SipNode::Kind::kNothing);
}

}  // namespace

SignatureBuilder& SignatureBuilder::Integer(int64_t value, char tag) {
  absl::StrAppend(&encoded_, absl::string_view(&tag, 1), value);
  return *this;
}

SignatureBuilder& SignatureBuilder::Span(absl::string_view body, char tag) {
  absl::StrAppend(&encoded_, absl::string_view(&tag, 1), body.size() + 1, "!",
                  body);
  return *this;
}

std::string Mangle(const RawSignature& signature) {
  SignatureBuilder inputs;
  SignatureBuilder results;
  for (const RawType& type : signature.inputs) Append(type, inputs);
  for (const RawType& type : signature.results) Append(type, results);
  return SignatureBuilder().Span(inputs, 'I').Span(results, 'R').encoded();
}

std::string Mangle(const SipSignature& signature) {
  SignatureBuilder inputs;
  SignatureBuilder results;
  Append(signature.inputs, inputs);
  Append(signature.results, results);
  return SignatureBuilder().Span(inputs, 'I').Span(results, 'R').encoded();
}

bool PutLeaf(SipNode& root, int64_t raw, SipPath path) {
  if (!HasRoom(root, path)) return false;
  SipNode* node = &root;
  for (const SipKey& key : path) {
    node->kind = KindOf(key);
    auto item = LowerBound(*node, key);
    if (item == node->items.end() || item->key != key) {
      item = node->items.insert(item, SipItem{key, {}});
    }
    node = &item->node;
  }
  node->kind = SipNode::Kind::kLeaf;
  node->raw = raw;
  return true;
}

}  // namespace eyrie::abi::v0
