// Parses type records; docs/abi.md lists them.
#include "abi/signature/records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;

absl::Status Malformed(absl::string_view what, const Json& where) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " at byte ", where.offset, "."));
}

// Returns the number after "i" or "f"; 0 if it is not a number.
uint32_t WidthOf(absl::string_view name) {
  uint32_t width = 0;
  if (name.size() < 2 || !absl::ascii_isdigit(name[1]) ||
      !absl::SimpleAtoi(name.substr(1), &width)) {
    return 0;
  }
  return width;
}

// Returns the element type of a primitive's name; kNone if the name is unknown.
ElementType ElementOf(absl::string_view name) {
  constexpr uint32_t kWidest = 64;
  const uint32_t width = WidthOf(name);
  if (name[0] == 'i' && width > 1 && width <= kWidest) {
    return static_cast<ElementType>(
        uint32_t{hal::numerical_kind::kSignless} << 24 | width);
  }
  if (name == "index") return ElementType::kInt64;
  const auto element = hal::ParseElementType(name);
  return element.ok() && name[0] != '*' ? *element : ElementType::kNone;
}

Type Primitive(const std::string& name) {
  Type type;
  type.text = name;
  if (name.empty() || name == "unknown") return type;
  type.element = ElementOf(name);
  if (type.element != ElementType::kNone) type.kind = Kind::kScalar;
  return type;
}

class RecordParser {
 public:
  absl::StatusOr<Type> Parse(const Json& json) {
    if (depth_ == Signature::kMaxDepth) {
      return Malformed(absl::StrCat("Type records are nested ", depth_ + 1,
                                    " deep; the limit is ", depth_, ";"),
                       json);
    }
    ++depth_;
    absl::StatusOr<Type> type = ParseHere(json);
    --depth_;
    return type;
  }

  // Unwraps a "named" record.
  absl::StatusOr<Records::Record> ParseRoot(const Json& json) {
    Records::Record record;
    const Json* type = &json;
    if (TagOf(json) == "named") {
      if (json.items.size() != 3 || !json.items[1].is(Json::Kind::kString)) {
        return Malformed("A 'named' record is not a name and a type", json);
      }
      record.named = true;
      record.name = json.items[1].text;
      type = &json.items[2];
    }
    ASSIGN_OR_RETURN(record.type, Parse(*type));
    return record;
  }

 private:
  static absl::string_view TagOf(const Json& json) {
    if (!json.is(Json::Kind::kArray) || json.items.empty() ||
        !json.items[0].is(Json::Kind::kString)) {
      return "";
    }
    return json.items[0].text;
  }

  absl::StatusOr<Type> ParseHere(const Json& json) {
    if (json.is(Json::Kind::kNull)) {
      Type type;
      type.kind = Kind::kNull;
      return type;
    }
    if (json.is(Json::Kind::kString)) return Primitive(json.text);
    if (!json.is(Json::Kind::kArray)) {
      return Malformed(absl::StrCat("A type record is ", json.Describe(),
                                    ", not a string, null or an array,"),
                       json);
    }
    const absl::string_view tag = TagOf(json);
    if (tag.empty()) {
      return Malformed("A compound type record has no name", json);
    }
    if (tag == "ndarray") return Array(json);
    if (tag == "slist") return Sequence(json, Kind::kList);
    if (tag == "stuple") return Sequence(json, Kind::kTuple);
    if (tag == "sdict") return Dict(json);
    if (tag == "py_homogeneous_list") return Homogeneous(json);
    if (tag == "named") {
      return Malformed("A 'named' record is nested in another", json);
    }
    if (tag == "sdict_kwargs") {
      ASSIGN_OR_RETURN(Type type, Dict(json));
      type.takes_keywords = true;
      return type;
    }
    Type type;  // a later version's type
    type.text = std::string(tag);
    return type;
  }

  absl::StatusOr<Type> Array(const Json& json) {
    const std::vector<Json>& items = json.items;
    if (items.size() < 3) {
      return Malformed("An 'ndarray' lacks its element type or rank", json);
    }
    Type type;
    ASSIGN_OR_RETURN(Type element, Parse(items[1]));
    const bool is_value =
        element.is(Kind::kScalar) ||
        (element.is(Kind::kUnknown) && items[1].is(Json::Kind::kString));
    type.kind = is_value ? Kind::kArray : Kind::kRefArray;
    type.element = element.element;
    if (is_value) type.text = element.text;
    if (!is_value) type.members.push_back({"", std::move(element)});
    const Json& rank = items[2];
    if (!rank.is(Json::Kind::kNull)) {
      type.ranked = true;
      if (!rank.is(Json::Kind::kInt) || rank.integer < 0 ||
          rank.integer > int64_t{Signature::kMaxRank}) {
        return Malformed(
            absl::StrCat("A rank is ", rank.Describe(),
                         ", not a number from 0 to ", Signature::kMaxRank, ","),
            rank);
      }
    }
    const size_t dims = items.size() - 3;
    const size_t want = type.ranked ? static_cast<size_t>(rank.integer) : 0;
    if (dims != want) {
      return Malformed(absl::StrCat("An 'ndarray' of ",
                                    type.ranked ? "rank " : "unknown rank",
                                    type.ranked ? absl::StrCat(want) : "",
                                    " has ", Counted(dims, "dimension")),
                       json);
    }
    for (size_t i = 3; i < items.size(); ++i) {
      ASSIGN_OR_RETURN(const int64_t dimension, Dimension(items[i]));
      type.shape.push_back(dimension);
    }
    return type;
  }

  absl::StatusOr<int64_t> Dimension(const Json& json) {
    if (json.is(Json::Kind::kNull)) return Type::kDynamic;
    if (!json.is(Json::Kind::kInt) || json.integer < Type::kDynamic) {
      return Malformed(absl::StrCat("A dimension is ", json.Describe(),
                                    ", not null or a number from 0 on,"),
                       json);
    }
    return json.integer;
  }

  absl::StatusOr<Type> Sequence(const Json& json, Kind kind) {
    Type type;
    type.kind = kind;
    type.members.reserve(json.items.size() - 1);
    for (size_t i = 1; i < json.items.size(); ++i) {
      ASSIGN_OR_RETURN(Type slot, Parse(json.items[i]));
      type.members.push_back({"", std::move(slot)});
    }
    return type;
  }

  absl::StatusOr<Type> Dict(const Json& json) {
    Type type;
    type.kind = Kind::kDict;
    std::vector<absl::string_view> keys;
    for (size_t i = 1; i < json.items.size(); ++i) {
      const Json& pair = json.items[i];
      if (pair.items.size() != 2 || !pair.is(Json::Kind::kArray) ||
          !pair.items[0].is(Json::Kind::kString)) {
        return Malformed("An item of a dict is not a key and a type", pair);
      }
      ASSIGN_OR_RETURN(Type slot, Parse(pair.items[1]));
      keys.push_back(pair.items[0].text);
      type.members.push_back({pair.items[0].text, std::move(slot)});
    }
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) {
      return Malformed(
          absl::StrCat("A dict has the key '", EscapedName(*twice), "' twice"),
          json);
    }
    return type;
  }

  absl::StatusOr<Type> Homogeneous(const Json& json) {
    if (json.items.size() != 2) {
      return Malformed(
          "A 'py_homogeneous_list' must have exactly one element type", json);
    }
    Type type;
    type.kind = Kind::kHomogeneous;
    ASSIGN_OR_RETURN(Type element, Parse(json.items[1]));
    type.members.push_back({"", std::move(element)});
    return type;
  }

  size_t depth_ = 0;
};

absl::StatusOr<std::optional<std::vector<Records::Record>>> ParseSide(
    const Json& root, absl::string_view key) {
  const Json* side = root.Find(key);
  std::optional<std::vector<Records::Record>> records;
  if (side == nullptr) return records;
  if (!side->is(Json::Kind::kArray)) {
    return Malformed(absl::StrCat("'", key, "' is ", side->Describe(),
                                  ", not an array of type records,"),
                     *side);
  }
  records.emplace();
  for (const Json& item : side->items) {
    RecordParser parser;
    ASSIGN_OR_RETURN(Records::Record record, parser.ParseRoot(item));
    records->push_back(std::move(record));
  }
  return records;
}

}  // namespace

absl::StatusOr<Records> ParseRecords(absl::string_view json) {
  ASSIGN_OR_RETURN(const Json root, ParseJson(json));
  if (!root.is(Json::Kind::kObject)) {
    return Malformed(
        absl::StrCat("The records are ", root.Describe(), ", not an object,"),
        root);
  }
  Records records;
  ASSIGN_OR_RETURN(records.arguments, ParseSide(root, "a"));
  ASSIGN_OR_RETURN(records.results, ParseSide(root, "r"));
  if (const Json* doc = root.Find("doc")) records.doc = doc->text;
  return records;
}

}  // namespace eyrie::abi
