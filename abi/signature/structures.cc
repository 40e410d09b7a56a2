#include "abi/signature/structures.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/hash_map.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using NodeKind = v0::SipNode::Kind;

// Collects the raw values in a structure.
class LeafCollector : public v0::SipVisitor {
 public:
  explicit LeafCollector(size_t count) : seen_(count) {}

  void Key(const v0::SipKey&) override {}
  void Open(NodeKind) override {}
  void Close() override {}
  void Leaf(int64_t raw) override {
    if (static_cast<uint64_t>(raw) < seen_.size()) {
      seen_[raw] = true;
    } else if (unknown_ < 0) {
      unknown_ = raw;
    }
  }

  const std::vector<bool>& seen() const { return seen_; }
  // Returns the first raw value that the function does not have; -1 if there is
  // none.
  int64_t unknown() const { return unknown_; }

 private:
  std::vector<bool> seen_;
  int64_t unknown_ = -1;
};

absl::Status Unknown(int64_t raw, const std::string& place, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat("The structure has raw value ", raw, " at ", place,
                   "; the function has ", count, "."));
}

// Creates types, up to a limit, because one type may appear at many places.
class TypeMaker {
 public:
  // All leaves must be less than raw.size().
  explicit TypeMaker(std::span<const Parameter> raw) : raw_(raw) {}

  absl::StatusOr<Type> Create(const v0::SipNode& node) {
    Type type;
    type.kind = Type::Kind::kNull;
    RETURN_IF_ERROR(Count(1));
    switch (node.kind) {
      case NodeKind::kNothing:
        return type;
      case NodeKind::kLeaf:
        RETURN_IF_ERROR(Count(WeightOf(raw_[node.raw].type)));
        return raw_[node.raw].type;
      case NodeKind::kList:
      case NodeKind::kDict:
        break;
    }
    const bool is_list = node.is(NodeKind::kList);
    const Member nothing = {"", type};
    type.kind = is_list ? Type::Kind::kList : Type::Kind::kDict;
    if (is_list) {
      const auto size = static_cast<size_t>(node.list_size());
      RETURN_IF_ERROR(Count(size));
      type.members.assign(size, nothing);
    }
    for (const v0::SipItem& item : node.items) {
      ASSIGN_OR_RETURN(Type made, Create(item.node));
      if (is_list) {
        type.members[std::get<int64_t>(item.key)].type = std::move(made);
      } else {
        type.members.push_back(
            {std::get<std::string>(item.key), std::move(made)});
      }
    }
    return type;
  }

 private:
  static size_t WeightOf(const Type& type) {
    constexpr size_t kUnit = 16;
    size_t weight = 1 + type.shape.size() + type.text.size() / kUnit;
    for (const Member& member : type.members) {
      weight += member.key.size() / kUnit + WeightOf(member.type);
    }
    return weight;
  }

  absl::Status Count(size_t parts) {
    parts_ += parts;
    if (parts_ <= kMaxStructureTypes) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("The types of the structure have more than ",
                     kMaxStructureTypes, " parts, which is the limit."));
  }

  std::span<const Parameter> raw_;
  size_t parts_ = 0;
};

}  // namespace

std::string Structures::ArgumentPlace(size_t raw) const {
  const v0::SipNode& root = signature.inputs;
  const std::vector<v0::SipKey> path =
      v0::SipFirstPath(root, static_cast<int64_t>(raw));
  if (path.empty()) return argument_names[0];
  const auto item = std::find_if(
      root.items.begin(), root.items.end(),
      [&](const v0::SipItem& item) { return item.key == path[0]; });
  const size_t argument = root.is(NodeKind::kList)
                              ? static_cast<size_t>(std::get<int64_t>(path[0]))
                              : item - root.items.begin();
  return absl::StrCat(argument_names[argument],
                      v0::SipPathText(v0::SipPath(path).subspan(1)));
}

std::string Structures::ResultPlace(size_t raw) const {
  const std::vector<v0::SipKey> path =
      v0::SipFirstPath(signature.results, static_cast<int64_t>(raw));
  const v0::SipNode& root = signature.results;
  const bool has_none =
      path.empty() &&
      !(root.is(NodeKind::kLeaf) && root.raw == static_cast<int64_t>(raw));
  if (has_none) return absl::StrCat("raw result ", raw);
  return absl::StrCat("result 0", v0::SipPathText(path));
}

class StructureReader {
 public:
  static absl::StatusOr<Signature> Read(Signature flat, absl::string_view sip) {
    auto structures = std::make_shared<Structures>();
    ASSIGN_OR_RETURN(structures->signature, v0::SipSignature::Parse(sip));
    Signature signature = flat;
    signature.raw_ = nullptr;
    signature.source_ = SignatureSource::kV0;
    signature.source_name_ = "sip";
    ReadArguments(flat.arguments_, *structures, signature.arguments_);
    for (size_t i = 0; i < signature.arguments_.size(); ++i) {
      structures->argument_names.push_back(signature.ArgumentName(i));
    }
    RETURN_IF_ERROR(Check(*structures, flat));
    RETURN_IF_ERROR(ReadTypes(*structures, flat, signature));
    flat.places_ = structures;
    auto call = std::make_shared<StructuredCall>();
    call->structures = std::move(structures);
    call->flat = std::make_shared<const Signature>(std::move(flat));
    signature.structured_ = std::move(call);
    return signature;
  }

 private:
  // Reads the arguments and their names. A raw argument's name belongs to its
  // first place.
  static void ReadArguments(std::span<const Parameter> raw,
                            Structures& structures,
                            std::vector<Parameter>& arguments) {
    const v0::SipNode& root = structures.signature.inputs;
    std::vector<const v0::SipNode*>& nodes = structures.arguments;
    arguments.clear();
    if (root.is(NodeKind::kLeaf)) nodes = {&root};
    if (root.is(NodeKind::kList)) {
      nodes.resize(static_cast<size_t>(root.list_size()));
      for (const v0::SipItem& item : root.items) {
        nodes[std::get<int64_t>(item.key)] = &item.node;
      }
    }
    for (const v0::SipItem& item : root.items) {
      if (!root.is(NodeKind::kDict)) break;
      nodes.push_back(&item.node);
      Parameter& argument = arguments.emplace_back();
      argument.name = std::get<std::string>(item.key);
      argument.keyword = true;
    }
    arguments.resize(nodes.size());
    HashSet<int64_t> named;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const v0::SipNode* node = nodes[i];
      if (node == nullptr || !node->is(NodeKind::kLeaf)) continue;
      if (arguments[i].keyword || !named.insert(node->raw).second) continue;
      if (static_cast<uint64_t>(node->raw) >= raw.size()) continue;
      arguments[i].name = raw[node->raw].name;
      arguments[i].keyword = raw[node->raw].keyword;
    }
  }

  // Compares the leaves with the raw values of the function.
  static absl::Status Check(const Structures& structures,
                            const Signature& flat) {
    LeafCollector inputs(flat.arguments_.size());
    v0::VisitSip(structures.signature.inputs, inputs);
    if (const int64_t raw = inputs.unknown(); raw >= 0) {
      return Unknown(raw, structures.ArgumentPlace(static_cast<size_t>(raw)),
                     flat.arguments_.size());
    }
    const auto missing =
        std::find(inputs.seen().begin(), inputs.seen().end(), false);
    if (missing != inputs.seen().end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The structure has no place for raw argument ",
                       missing - inputs.seen().begin(), " of ",
                       flat.arguments_.size(), "."));
    }
    LeafCollector results(flat.results_.size());
    v0::VisitSip(structures.signature.results, results);
    if (const int64_t raw = results.unknown(); raw >= 0) {
      return Unknown(raw, structures.ResultPlace(static_cast<size_t>(raw)),
                     flat.results_.size());
    }
    return absl::OkStatus();
  }

  static absl::Status ReadTypes(const Structures& structures,
                                const Signature& flat, Signature& signature) {
    static const v0::SipNode* const kNothing = new v0::SipNode();
    TypeMaker arguments(flat.arguments_);
    for (size_t i = 0; i < signature.arguments_.size(); ++i) {
      const v0::SipNode* node = structures.arguments[i];
      ASSIGN_OR_RETURN(signature.arguments_[i].type,
                       arguments.Create(node ? *node : *kNothing));
    }
    const v0::SipNode& root = structures.signature.results;
    signature.results_.clear();
    if (root.is(NodeKind::kNothing)) return absl::OkStatus();
    Parameter& result = signature.results_.emplace_back();
    ASSIGN_OR_RETURN(result.type, TypeMaker(flat.results_).Create(root));
    if (root.is(NodeKind::kLeaf)) result.name = flat.results_[root.raw].name;
    return absl::OkStatus();
  }
};

absl::StatusOr<Signature> WithStructures(Signature flat,
                                         absl::string_view sip) {
  return StructureReader::Read(std::move(flat), sip);
}

}  // namespace eyrie::abi
