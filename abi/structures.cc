// Tested by structures_test.cc.
#include "abi/structures.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using NodeKind = v0::SipNode::Kind;

// Names raw values by the first path that leads to each, and checks them.
class PathNamer : public v0::SipVisitor {
 public:
  explicit PathNamer(size_t count) : names_(count) {}

  // The structure of one argument or result with this name.
  absl::Status Name(const v0::SipNode& node, const std::string& name) {
    name_ = &name;
    v0::VisitSip(node, *this);
    if (missing_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(missing_);
  }

  // By raw index; empty for those at no path.
  std::vector<std::string> names() && { return std::move(names_); }

  void Key(const v0::SipKey& key) override { path_.back() = &key; }
  void Open(NodeKind) override { path_.push_back(nullptr); }
  void Close() override { path_.pop_back(); }
  void Leaf(int64_t raw) override {
    const bool known = static_cast<uint64_t>(raw) < names_.size();
    if (known ? !names_[raw].empty() : !missing_.empty()) return;
    std::string text = *name_;
    for (const v0::SipKey* key : path_) text += v0::SipKeyText(*key);
    if (known) {
      names_[raw] = std::move(text);
    } else {
      missing_ = absl::StrCat("The structure has raw value ", raw, " at ", text,
                              "; the function has ", names_.size(), ".");
    }
  }

 private:
  std::vector<std::string> names_;
  const std::string* name_ = nullptr;
  std::vector<const v0::SipKey*> path_;
  std::string missing_;  // an index that is
};

// The leaves are below raw.size().
Type TypeOf(const v0::SipNode& node, std::span<const Parameter> raw) {
  Type type;
  switch (node.kind) {
    case NodeKind::kLeaf:
      return raw[node.raw].type;
    case NodeKind::kList:
      type.kind = Type::Kind::kList;
      type.members.resize(static_cast<size_t>(node.list_size()));
      for (Member& member : type.members) member.type.kind = Type::Kind::kNull;
      for (const v0::SipItem& item : node.items) {
        type.members[std::get<int64_t>(item.key)].type = TypeOf(item.node, raw);
      }
      return type;
    case NodeKind::kDict:
      type.kind = Type::Kind::kDict;
      for (const v0::SipItem& item : node.items) {
        type.members.push_back(
            {std::get<std::string>(item.key), TypeOf(item.node, raw)});
      }
      return type;
    case NodeKind::kNothing:
      break;
  }
  type.kind = Type::Kind::kNull;
  return type;
}

}  // namespace

class StructureReader {
 public:
  static absl::StatusOr<Signature> Read(Signature flat, absl::string_view sip) {
    auto call = std::make_shared<StructuredCall>();
    ASSIGN_OR_RETURN(call->structure, v0::SipSignature::Parse(sip));
    Signature signature = flat;
    signature.raw_ = nullptr;
    signature.source_ = SignatureSource::kV0;
    signature.source_name_ = "sip";
    ReadArguments(flat.arguments_, *call, signature.arguments_);
    RETURN_IF_ERROR(NameArguments(*call, signature, flat));
    RETURN_IF_ERROR(ReadResults(call->structure.results, signature, flat));
    for (size_t i = 0; i < call->arguments.size(); ++i) {
      if (const v0::SipNode* node = call->arguments[i]) {
        signature.arguments_[i].type = TypeOf(*node, flat.arguments_);
      }
    }
    call->flat = std::make_shared<const Signature>(std::move(flat));
    signature.structured_ = std::move(call);
    return signature;
  }

 private:
  // The arguments and their names; a raw argument's name is its first place's.
  static void ReadArguments(std::span<const Parameter> raw,
                            StructuredCall& call,
                            std::vector<Parameter>& arguments) {
    const v0::SipNode& root = call.structure.inputs;
    arguments.clear();
    if (root.is(NodeKind::kLeaf)) call.arguments = {&root};
    if (root.is(NodeKind::kList)) {
      call.arguments.resize(static_cast<size_t>(root.list_size()));
      for (const v0::SipItem& item : root.items) {
        call.arguments[std::get<int64_t>(item.key)] = &item.node;
      }
    }
    for (const v0::SipItem& item : root.items) {
      if (!root.is(NodeKind::kDict)) break;
      call.arguments.push_back(&item.node);
      Parameter& argument = arguments.emplace_back();
      argument.name = std::get<std::string>(item.key);
      argument.keyword = true;
    }
    arguments.resize(call.arguments.size());
    absl::flat_hash_set<int64_t> named;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const v0::SipNode* node = call.arguments[i];
      if (node == nullptr) arguments[i].type.kind = Type::Kind::kNull;
      if (node == nullptr || !node->is(NodeKind::kLeaf)) continue;
      if (arguments[i].keyword || !named.insert(node->raw).second) continue;
      if (static_cast<uint64_t>(node->raw) >= raw.size()) continue;
      arguments[i].name = raw[node->raw].name;
      arguments[i].keyword = raw[node->raw].keyword;
    }
  }

  static absl::Status NameArguments(const StructuredCall& call,
                                    const Signature& signature,
                                    Signature& flat) {
    PathNamer namer(flat.arguments_.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i] == nullptr) continue;
      RETURN_IF_ERROR(
          namer.Name(*call.arguments[i], signature.ArgumentName(i)));
    }
    flat.argument_places_ = std::move(namer).names();
    for (size_t i = 0; i < flat.argument_places_.size(); ++i) {
      if (!flat.argument_places_[i].empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("The structure has no place for raw argument ", i,
                       " of ", flat.argument_places_.size(), "."));
    }
    return absl::OkStatus();
  }

  static absl::Status ReadResults(const v0::SipNode& root, Signature& signature,
                                  Signature& flat) {
    PathNamer namer(flat.results_.size());
    RETURN_IF_ERROR(namer.Name(root, signature.ResultName(0)));
    flat.result_places_ = std::move(namer).names();
    for (size_t i = 0; i < flat.result_places_.size(); ++i) {
      std::string& place = flat.result_places_[i];
      if (place.empty()) place = absl::StrCat("raw result ", i);
    }
    signature.results_.clear();
    if (root.is(NodeKind::kNothing)) return absl::OkStatus();
    Parameter& result = signature.results_.emplace_back();
    result.type = TypeOf(root, flat.results_);
    if (root.is(NodeKind::kLeaf)) result.name = flat.results_[root.raw].name;
    return absl::OkStatus();
  }
};

absl::StatusOr<Signature> WithStructures(Signature flat,
                                         absl::string_view sip) {
  return StructureReader::Read(std::move(flat), sip);
}

}  // namespace eyrie::abi
