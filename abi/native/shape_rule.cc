#include "abi/native/shape_rule.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

absl::Status NoDim(const JsonReader& json, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, the dimension '", PlainName(text), "' of ",
                   json.where(),
                   " must have a form such as 4, \"0.1\", \"0.-1\", \"0.:-2\" "
                   "and \"0.1:\"."));
}

absl::Status CheckOperand(const JsonReader& json, int64_t operand,
                          ShapeRule::Operands operands) {
  std::string why;
  if (operand < 0 || operand >= static_cast<int64_t>(operands.size())) {
    why = absl::StrCat("; there are ", operands.size(), ".");
  } else if (operands[static_cast<size_t>(operand)] == kNoTensor) {
    why = ", which is not a tensor.";
  } else {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, ", json.where(), " depends on operand ", operand, why));
}

absl::Status LikeAndMore(const JsonReader& json) {
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, ", json.where(),
                   " has \"like\" or \"inout\" together with another of "
                   "\"like\", \"inout\", \"dtype\" and \"shape\"."));
}

bool ReadIndex(absl::string_view text, int64_t& index) {
  return absl::SimpleAtoi(text, &index) && index >= -ShapeRule::kMaxRank &&
         index <= ShapeRule::kMaxRank;
}

// A range of a tensor's dimensions: the first, and the end.
using DimRange = std::pair<int64_t, int64_t>;

// Returns the range for a rule that follows an operand, or nullopt if the rank
// does not have these dimensions.
std::optional<DimRange> Resolve(const DimRule& rule, int64_t rank) {
  const auto from_start = [rank](int64_t index) {
    return index < 0 ? index + rank : index;
  };
  const int64_t first = from_start(rule.first);
  const int64_t last = !rule.slice   ? first + 1
                       : rule.to_end ? rank
                                     : from_start(rule.last);
  if (first < 0 || last > rank || first > last) return std::nullopt;
  return DimRange(first, last);
}

// Reads "0.1" or "0.:-2": one dimension or a range.
absl::StatusOr<DimRule> ReadDimText(const JsonReader& json,
                                    absl::string_view text,
                                    ShapeRule::Operands operands) {
  DimRule rule;
  const size_t dot = text.find('.');
  if (dot == text.npos || !absl::SimpleAtoi(text.substr(0, dot), &rule.operand))
    return NoDim(json, text);
  RETURN_IF_ERROR(CheckOperand(json, rule.operand, operands));
  const absl::string_view place = text.substr(dot + 1);
  const size_t colon = place.find(':');
  rule.slice = colon != place.npos;
  const absl::string_view first = place.substr(0, colon);
  if (!(rule.slice && first.empty()) && !ReadIndex(first, rule.first)) {
    return NoDim(json, text);
  }
  if (!rule.slice) return rule;
  const absl::string_view last = place.substr(colon + 1);
  rule.to_end = last.empty();
  if (!rule.to_end && !ReadIndex(last, rule.last)) return NoDim(json, text);
  return rule;
}

std::string DimText(const DimRule& rule) {
  if (rule.operand < 0) return absl::StrCat(rule.first);
  std::string text = absl::StrCat(rule.operand, ".");
  if (!rule.slice) return absl::StrCat(text, rule.first);
  if (rule.first != 0) absl::StrAppend(&text, rule.first);
  absl::StrAppend(&text, ":");
  if (!rule.to_end) absl::StrAppend(&text, rule.last);
  return text;
}

absl::Status AppendDims(const DimRule& rule, const hal::BufferView& operand,
                        ShapeRule::Shape& shape) {
  const auto dims = operand.shape();
  const std::optional<DimRange> range =
      Resolve(rule, static_cast<int64_t>(dims.size()));
  if (!range) {
    return absl::InvalidArgumentError(
        absl::StrCat("Argument ", rule.operand, " is ", operand.ShapeAndType(),
                     "; a result needs its dimensions ", DimText(rule), "."));
  }
  shape.insert(shape.end(), dims.begin() + range->first,
               dims.begin() + range->second);
  return absl::OkStatus();
}

absl::StatusOr<const hal::BufferView*> OperandAt(
    std::span<const hal::BufferView* const> operands, int index) {
  if (static_cast<size_t>(index) >= operands.size() ||
      operands[index] == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A result depends on argument ", index, ", which is not given."));
  }
  return operands[index];
}

}  // namespace

absl::StatusOr<DimRule> ReadDimRule(const JsonReader& json, const Json& value,
                                    ShapeRule::Operands operands) {
  if (value.is(Json::Kind::kInt) && value.integer >= 0) {
    DimRule rule;
    rule.first = value.integer;
    return rule;
  }
  if (!value.is(Json::Kind::kString)) {
    return json.WrongKind("shape", value, "a dimension or \"0.1\"");
  }
  ASSIGN_OR_RETURN(const DimRule rule, ReadDimText(json, value.text, operands));
  const OperandRank rank = operands[static_cast<size_t>(rule.operand)];
  if (rank != kAnyRank && !Resolve(rule, rank)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(), " takes \"", PlainName(value.text),
        "\", but operand ", rule.operand, " has rank ", rank, "."));
  }
  return rule;
}

absl::Status ShapeRule::ReadType(JsonReader& json, const Json& type,
                                 Operands operands) {
  if (type.is(Json::Kind::kInt)) {
    RETURN_IF_ERROR(CheckOperand(json, type.integer, operands));
    type_of_ = static_cast<int>(type.integer);
    return absl::OkStatus();
  }
  if (!type.is(Json::Kind::kString)) {
    return json.WrongKind("dtype", type, "a type or an operand");
  }
  absl::StatusOr<FfiType> parsed = ParseFfiType(type.text);
  if (!parsed.ok()) {
    return Annotate(parsed.status(), absl::StrCat("(", json.where(), ")"));
  }
  type_ = *parsed;
  if (InfoOf(type_).element == hal::ElementType::kNone) {
    return absl::UnimplementedError(
        absl::StrCat("In the manifest, ", json.where(), " is of ", type.text,
                     ", which tensors cannot have."));
  }
  return absl::OkStatus();
}

absl::Status ShapeRule::ReadDims(JsonReader& json, const Json& shape,
                                 Operands operands) {
  if (!shape.is(Json::Kind::kArray)) {
    return json.WrongKind("shape", shape, "an array");
  }
  if (shape.items.size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, \"shape\" of ", json.where(), " has ",
        shape.items.size(), " dimensions; the limit is ", kMaxRank, "."));
  }
  for (const Json& value : shape.items) {
    ASSIGN_OR_RETURN(DimRule dim, ReadDimRule(json, value, operands));
    dims_.push_back(dim);
  }
  return absl::OkStatus();
}

absl::StatusOr<ShapeRule> ShapeRule::Read(JsonReader& json, Operands operands) {
  const Json* const type = json.Find("dtype");
  const bool like =
      json.Find("like") != nullptr || json.Find("inout") != nullptr;
  if (like && type != nullptr) return LikeAndMore(json);
  if (!like && (type == nullptr || json.Find("shape") == nullptr)) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", json.where(),
                     " has neither \"like\", \"inout\" nor \"dtype\" and "
                     "\"shape\"."));
  }
  ASSIGN_OR_RETURN(const bool each, json.GetBool("each", false));
  ASSIGN_OR_RETURN(ShapeRule rule, ReadShape(json, operands));
  rule.each_ = each;
  if (type != nullptr) {
    RETURN_IF_ERROR(rule.ReadType(json, *type, operands));
  }
  return rule;
}

absl::StatusOr<ShapeRule> ShapeRule::ReadShape(JsonReader& json,
                                               Operands operands) {
  ShapeRule rule;
  const Json* const shape = json.Find("shape");
  const bool is_like = json.Find("like") != nullptr;
  rule.is_inout_ = json.Find("inout") != nullptr;
  if (is_like + rule.is_inout_ + (shape != nullptr) > 1) {
    return LikeAndMore(json);
  }
  if (shape != nullptr) {
    RETURN_IF_ERROR(rule.ReadDims(json, *shape, operands));
    return rule;
  }
  if (!is_like && !rule.is_inout_) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", json.where(),
                     " has neither \"like\", \"inout\" nor \"shape\"."));
  }
  ASSIGN_OR_RETURN(const int64_t like,
                   json.GetInt(is_like ? "like" : "inout", -1));
  RETURN_IF_ERROR(CheckOperand(json, like, operands));
  rule.like_ = static_cast<int>(like);
  return rule;
}

ShapeRule ShapeRule::OfShape(std::span<const int64_t> dims) {
  ShapeRule rule;
  for (const int64_t dim : dims) rule.dims_.push_back({.first = dim});
  return rule;
}

OperandRank ShapeRule::Rank(Operands operands) const {
  if (like_) return operands[static_cast<size_t>(*like_)];
  OperandRank sum = 0;
  for (const DimRule& dim : dims_) {
    if (!dim.slice) {
      ++sum;
      continue;
    }
    const OperandRank rank = operands[static_cast<size_t>(dim.operand)];
    const std::optional<DimRange> range =
        rank == kAnyRank ? std::nullopt : Resolve(dim, rank);
    if (!range) return kAnyRank;
    sum += range->second - range->first;
  }
  return sum;
}

ShapeRule ShapeRule::ForLaterResult(int index) const {
  ShapeRule rule = *this;
  if (rule.like_ && rule.each_) *rule.like_ += index;
  return rule;
}

int ShapeRule::last_operand() const {
  int last = std::max(like_.value_or(-1), type_of_);
  for (const DimRule& dim : dims_) last = std::max(last, dim.operand);
  return last;
}

absl::Status ShapeRule::Apply(std::span<const hal::BufferView* const> operands,
                              hal::ElementType& type, Shape& shape) const {
  if (like_) {
    ASSIGN_OR_RETURN(const hal::BufferView* operand,
                     OperandAt(operands, *like_));
    type = operand->element_type();
    shape.assign(operand->shape().begin(), operand->shape().end());
    return absl::OkStatus();
  }
  type = InfoOf(type_).element;
  if (type_of_ >= 0) {
    ASSIGN_OR_RETURN(const hal::BufferView* operand,
                     OperandAt(operands, type_of_));
    type = operand->element_type();
  }
  shape.clear();
  for (const DimRule& dim : dims_) {
    if (dim.operand < 0) {
      shape.push_back(dim.first);
      continue;
    }
    ASSIGN_OR_RETURN(const hal::BufferView* operand,
                     OperandAt(operands, dim.operand));
    RETURN_IF_ERROR(AppendDims(dim, *operand, shape));
  }
  return absl::OkStatus();
}

std::string ShapeRule::ToString() const {
  if (is_inout_) return absl::StrCat("inout ", *like_);
  if (like_) return absl::StrCat("like ", *like_, each_ ? " and on" : "");
  std::string text =
      absl::StrJoin(dims_, "x", [](std::string* out, const DimRule& dim) {
        absl::StrAppend(out, dim.operand < 0 ? "" : "[", DimText(dim),
                        dim.operand < 0 ? "" : "]");
      });
  if (type_of_ < 0 && type_ == FfiType::kNone) {
    return dims_.empty() ? "rank 0" : text;
  }
  if (!dims_.empty()) text += "x";
  if (type_of_ >= 0) return absl::StrCat(text, "[", type_of_, "]");
  return absl::StrCat(text, InfoOf(type_).name);
}

namespace {

constexpr size_t kMaxGroups = 256;

std::string PlaceText(const DimRule& dim) {
  if (dim.operand < 0) return absl::StrCat(dim.first);
  return absl::StrCat(dim.operand, ".", dim.first);
}

absl::Status BadGroup(const JsonReader& json, const Json& value) {
  return json.WrongKind("equal", value,
                        "an array of arrays of two or more dimensions, such as "
                        "[[\"0.-1\", \"0.-2\"]],");
}

absl::StatusOr<std::vector<DimRule>> ReadGroup(const JsonReader& json,
                                               const Json& list,
                                               ShapeRule::Operands operands) {
  if (!list.is(Json::Kind::kArray) || list.items.size() < 2 ||
      list.items.size() > ShapeRule::kMaxRank) {
    return BadGroup(json, list);
  }
  std::vector<DimRule> group;
  for (const Json& value : list.items) {
    ASSIGN_OR_RETURN(group.emplace_back(), ReadDimRule(json, value, operands));
    if (group.back().slice) return BadGroup(json, value);
  }
  return group;
}

// Returns the dimension's size, or nullopt if the argument is not given.
absl::StatusOr<std::optional<int64_t>> SizeOf(
    const DimRule& dim, std::span<const hal::BufferView* const> arguments) {
  if (dim.operand < 0) return dim.first;
  const auto index = static_cast<size_t>(dim.operand);
  if (index >= arguments.size() || arguments[index] == nullptr) {
    return std::nullopt;
  }
  const std::span<const int64_t> shape = arguments[index]->shape();
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t at = dim.first < 0 ? dim.first + rank : dim.first;
  if (at >= 0 && at < rank) return shape[static_cast<size_t>(at)];
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " is ", arguments[index]->ShapeAndType(),
      "; it needs a dimension ", dim.first, ", which the manifest compares."));
}

}  // namespace

absl::StatusOr<EqualDims> EqualDims::Read(JsonReader& json,
                                          ShapeRule::Operands operands) {
  EqualDims dims;
  const Json* const list = json.Find("equal");
  if (list == nullptr) return dims;
  if (!list->is(Json::Kind::kArray) || list->items.size() > kMaxGroups) {
    return BadGroup(json, *list);
  }
  for (const Json& group : list->items) {
    ASSIGN_OR_RETURN(dims.groups_.emplace_back(),
                     ReadGroup(json, group, operands));
  }
  return dims;
}

absl::Status EqualDims::Check(
    std::span<const hal::BufferView* const> arguments) const {
  for (const Group& group : groups_) {
    const DimRule* first = nullptr;
    int64_t expected = 0;
    for (const DimRule& dim : group) {
      ASSIGN_OR_RETURN(const std::optional<int64_t> size,
                       SizeOf(dim, arguments));
      if (!size || (first != nullptr && *size == expected)) continue;
      if (first != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "The dimensions ", PlaceText(*first), " and ", PlaceText(dim),
            " of the arguments are ", expected, " and ", *size,
            "; the manifest declares that they are equal."));
      }
      first = &dim;
      expected = *size;
    }
  }
  return absl::OkStatus();
}

std::string EqualDims::ToString() const {
  if (groups_.empty()) return "";
  return absl::StrCat(
      " equal ",
      absl::StrJoin(groups_, ", ", [](std::string* out, const Group& group) {
        absl::StrAppend(
            out, absl::StrJoin(group, "=",
                               [](std::string* text, const DimRule& dim) {
                                 text->append(PlaceText(dim));
                               }));
      }));
}

}  // namespace eyrie::native
