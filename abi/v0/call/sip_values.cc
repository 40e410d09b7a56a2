#include "abi/v0/call/sip_values.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/hash_map.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi::v0 {
namespace {

using NodeKind = SipNode::Kind;
using HostKind = HostValue::Kind;

constexpr absl::string_view kItems = "the items of a result";

bool SameArray(const HostArray& a, const HostArray& b) {
  if (&a == &b) return true;
  const auto first = a.shape();
  const auto second = b.shape();
  if (a.type() != b.type() || a.casts() != b.casts() ||
      !std::equal(first.begin(), first.end(), second.begin(), second.end())) {
    return false;
  }
  std::vector<uint8_t> packed(a.byte_length());
  std::vector<uint8_t> other(b.byte_length());
  a.Pack(packed.data());
  b.Pack(other.data());
  return packed == other;
}

bool SameItems(const HostValue::Items& a, const HostValue::Items& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameValue);
}

bool SameEntries(const HostValue::Entries& a, const HostValue::Entries& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& first, const auto& second) {
                      return first.first == second.first &&
                             SameValue(first.second, second.second);
                    });
}

// Returns the cost of a copy: one unit per value and per 16 bytes.
size_t WeightOf(const HostValue& value) {
  constexpr size_t kUnit = 16;
  size_t weight = 1;
  if (const std::string* bytes = value.bytes()) weight += bytes->size() / kUnit;
  if (const HostValue::Items* items = value.items()) {
    for (const HostValue& item : *items) weight += WeightOf(item);
  }
  if (const HostValue::Entries* entries = value.entries()) {
    for (const auto& [key, item] : *entries) {
      weight += key.size() / kUnit + WeightOf(item);
    }
  }
  return weight;
}

class Nester {
 public:
  explicit Nester(std::vector<HostValue> raw)
      : raw_(std::move(raw)), weights_(raw_.size()) {}

  absl::StatusOr<HostValue> Nest(const SipNode& node) {
    switch (node.kind) {
      case NodeKind::kNothing:
        return HostValue();
      case NodeKind::kLeaf:
        return Copy(static_cast<size_t>(node.raw));
      case NodeKind::kList:
        return List(node);
      case NodeKind::kDict:
        return Dict(node);
    }
    return HostValue();
  }

 private:
  absl::StatusOr<HostValue> Copy(size_t index) {
    std::optional<size_t>& weight = weights_[index];
    if (weight) {
      copied_ += *weight;
      if (copied_ > kSipMaxCopied) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "more than ", kSipMaxCopied,
            " values would be copies of others, which is the limit."));
      }
    } else {
      weight = WeightOf(raw_[index]);
    }
    return raw_[index].Copy();
  }

  absl::StatusOr<HostValue> List(const SipNode& node) {
    HostValue::Items items;
    RETURN_IF_ERROR(
        Resize(items, static_cast<size_t>(node.list_size()), kItems));
    for (const SipItem& item : node.items) {
      ASSIGN_OR_RETURN(items[std::get<int64_t>(item.key)], Nest(item.node));
    }
    return HostValue::List(std::move(items));
  }

  absl::StatusOr<HostValue> Dict(const SipNode& node) {
    HostValue::Entries entries;
    RETURN_IF_ERROR(Reserve(entries, node.items.size(), kItems));
    for (const SipItem& item : node.items) {
      ASSIGN_OR_RETURN(HostValue value, Nest(item.node));
      HostValue::Entry& entry = entries.emplace_back();
      RETURN_IF_ERROR(
          Assign(entry.first, std::get<std::string>(item.key), "a key"));
      entry.second = std::move(value);
    }
    return HostValue::Dict(std::move(entries));
  }

  std::vector<HostValue> raw_;
  std::vector<std::optional<size_t>> weights_;  // of the values used so far
  size_t copied_ = 0;
};

}  // namespace

bool SameValue(const HostValue& a, const HostValue& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case HostKind::kNull:
      return true;
    case HostKind::kBool:
      return *a.boolean() == *b.boolean();
    case HostKind::kInt:
      return a.integer()->value == b.integer()->value &&
             a.integer()->is_unsigned == b.integer()->is_unsigned;
    case HostKind::kFloat:
      return std::bit_cast<uint64_t>(a.number()->value) ==
             std::bit_cast<uint64_t>(b.number()->value);
    case HostKind::kBytes:
      return *a.bytes() == *b.bytes();
    case HostKind::kArray:
      return SameArray(*a.array(), *b.array());
    case HostKind::kList:
    case HostKind::kTuple:
      return SameItems(*a.items(), *b.items());
    case HostKind::kDict:
      return SameEntries(*a.entries(), *b.entries());
    case HostKind::kRef:
      return a.ref()->get() == b.ref()->get();
  }
  return false;
}

absl::Status SipFlattener::AddToPath(const SipKey& key, absl::Status status) {
  if (!status.ok()) path_ = absl::StrCat(SipKeyText(key), path_);
  return status;
}

absl::Status SipFlattener::Add(const SipNode& node, const HostValue& value) {
  switch (node.kind) {
    case NodeKind::kNothing:
      break;
    case NodeKind::kLeaf:
      return Leaf(node.raw, value);
    case NodeKind::kList:
      return List(node, value);
    case NodeKind::kDict:
      return Dict(node, value);
  }
  if (value.is(HostKind::kNull)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(value.Describe(), " is given; null is expected."));
}

absl::Status SipFlattener::Leaf(int64_t raw, const HostValue& value) {
  const HostValue*& place = raw_[static_cast<size_t>(raw)];
  if (place != nullptr && !SameValue(*place, value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.Describe(), " is given; raw argument ", raw,
                     " is another, ", place->Describe(), ", at the path ",
                     SipPathText(SipFirstPath(root_, raw)), "."));
  }
  place = &value;
  return absl::OkStatus();
}

absl::Status SipFlattener::List(const SipNode& node, const HostValue& value) {
  const HostValue::Items* items = value.items();
  const auto size = static_cast<size_t>(node.list_size());
  if (items == nullptr || items->size() < size) {
    return absl::InvalidArgumentError(absl::StrCat(
        value.Describe(), " is given; a list of ", size, " is expected."));
  }
  std::vector<bool> taken(items->size());
  for (const SipItem& item : node.items) {
    const auto index = static_cast<size_t>(std::get<int64_t>(item.key));
    taken[index] = true;
    RETURN_IF_ERROR(AddToPath(item.key, Add(item.node, (*items)[index])));
  }
  for (size_t i = 0; i < items->size(); ++i) {
    if (taken[i] || (*items)[i].is(HostKind::kNull)) continue;
    return AddToPath(static_cast<int64_t>(i), Add(SipNode(), (*items)[i]));
  }
  return absl::OkStatus();
}

absl::Status SipFlattener::Dict(const SipNode& node, const HostValue& value) {
  const HostValue::Entries* entries = value.entries();
  if (entries == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.Describe(), " is given; a dict is expected."));
  }
  HashMap<absl::string_view, const HostValue*> by_key;
  for (const auto& [key, item] : *entries) {
    if (by_key.emplace(key, &item).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the key '", EscapedName(key), "' is given twice."));
  }
  for (const SipItem& item : node.items) {
    const std::string& key = std::get<std::string>(item.key);
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the key '", EscapedName(key), "' is missing."));
    }
    RETURN_IF_ERROR(AddToPath(item.key, Add(item.node, *found->second)));
    by_key.erase(found);
  }
  for (const auto& [key, item] : *entries) {
    if (!by_key.contains(key)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the key '", EscapedName(key), "' is not expected."));
  }
  return absl::OkStatus();
}

absl::StatusOr<HostValue> SipNest(const SipNode& node,
                                  std::vector<HostValue> raw) {
  return Nester(std::move(raw)).Nest(node);
}

}  // namespace eyrie::abi::v0
