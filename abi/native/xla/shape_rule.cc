// Tested by abi/native/manifest_test.cc, abi/native/native_fuzz.cc.
#include "abi/native/xla/shape_rule.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMostQuoted = 80;
constexpr int64_t kMaxRank = 64;  // of what rules index

absl::Status NoDim(const JsonReader& json, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, the dimension '", PlainText(text, kMostQuoted), "' of ",
      json.where(),
      " is none of 4, \"0.1\", \"0.-1\", \"0.:-2\" and \"0.1:\"."));
}

absl::Status NoOperand(const JsonReader& json, int64_t operand, int count) {
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, ", json.where(), " follows operand ",
                   operand, "; there are ", count, "."));
}

bool ReadIndex(absl::string_view text, int64_t& index) {
  return absl::SimpleAtoi(text, &index) && index >= -kMaxRank &&
         index <= kMaxRank;
}

// "0.1", "0.:-2": a dimension, or some of them.
absl::StatusOr<DimRule> ReadDimText(const JsonReader& json,
                                    absl::string_view text, int operand_count) {
  DimRule rule;
  const size_t dot = text.find('.');
  if (dot == text.npos || !absl::SimpleAtoi(text.substr(0, dot), &rule.operand))
    return NoDim(json, text);
  if (rule.operand < 0 || rule.operand >= operand_count) {
    return NoOperand(json, rule.operand, operand_count);
  }
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

absl::StatusOr<DimRule> ReadDim(const JsonReader& json, const Json& value,
                                int operand_count) {
  if (value.is(Json::Kind::kInt) && value.integer >= 0) {
    DimRule rule;
    rule.first = value.integer;
    return rule;
  }
  if (!value.is(Json::Kind::kString)) {
    return json.WrongKind("shape", value, "a dimension or \"0.1\"");
  }
  return ReadDimText(json, value.text, operand_count);
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
  const auto rank = static_cast<int64_t>(dims.size());
  const auto from_start = [rank](int64_t index) {
    return index < 0 ? index + rank : index;
  };
  const int64_t first = from_start(rule.first);
  const int64_t last = !rule.slice   ? first + 1
                       : rule.to_end ? rank
                                     : from_start(rule.last);
  if (first < 0 || last > rank || first > last) {
    return absl::InvalidArgumentError(
        absl::StrCat("Argument ", rule.operand, " is ", operand.ShapeAndType(),
                     "; a result takes its dimensions ", DimText(rule), "."));
  }
  shape.insert(shape.end(), dims.begin() + first, dims.begin() + last);
  return absl::OkStatus();
}

absl::StatusOr<const hal::BufferView*> OperandAt(
    std::span<const hal::BufferView* const> operands, int index) {
  if (static_cast<size_t>(index) >= operands.size() ||
      operands[index] == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A result follows argument ", index, ", which is not given."));
  }
  return operands[index];
}

}  // namespace

absl::StatusOr<ShapeRule> ShapeRule::Read(JsonReader& json, int operand_count) {
  ShapeRule rule;
  ASSIGN_OR_RETURN(const int64_t like, json.GetInt("like", -1));
  ASSIGN_OR_RETURN(rule.each_, json.GetBool("each", false));
  const Json* type = json.Find("dtype");
  const Json* shape = json.Find("shape");
  if (like != -1) {
    if (type != nullptr || shape != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("In the manifest, ", json.where(),
                       " has \"like\" beside \"dtype\" or \"shape\"."));
    }
    if (like < 0 || like >= operand_count) {
      return NoOperand(json, like, operand_count);
    }
    rule.like_ = static_cast<int>(like);
    return rule;
  }
  if (type == nullptr || shape == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", json.where(),
                     " has neither \"like\" nor \"dtype\" and \"shape\"."));
  }
  if (type->is(Json::Kind::kInt)) {
    if (type->integer < 0 || type->integer >= operand_count) {
      return NoOperand(json, type->integer, operand_count);
    }
    rule.type_of_ = static_cast<int>(type->integer);
  } else if (type->is(Json::Kind::kString)) {
    absl::StatusOr<FfiType> parsed = ParseFfiType(type->text);
    if (!parsed.ok()) {
      return Annotate(parsed.status(), absl::StrCat("(", json.where(), ")"));
    }
    rule.type_ = *parsed;
    if (InfoOf(rule.type_).element == hal::ElementType::kNone) {
      return absl::UnimplementedError(
          absl::StrCat("In the manifest, ", json.where(), " is of ", type->text,
                       ", which no tensor is of."));
    }
  } else {
    return json.WrongKind("dtype", *type, "a type or an operand");
  }
  if (!shape->is(Json::Kind::kArray)) {
    return json.WrongKind("shape", *shape, "an array");
  }
  for (const Json& value : shape->items) {
    ASSIGN_OR_RETURN(DimRule dim, ReadDim(json, value, operand_count));
    rule.dims_.push_back(dim);
  }
  return rule;
}

ShapeRule ShapeRule::Later(int index) const {
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
  if (like_) return absl::StrCat("like ", *like_, each_ ? " and on" : "");
  std::string text =
      absl::StrJoin(dims_, "x", [](std::string* out, const DimRule& dim) {
        absl::StrAppend(out, dim.operand < 0 ? "" : "[", DimText(dim),
                        dim.operand < 0 ? "" : "]");
      });
  if (!dims_.empty()) text += "x";
  if (type_of_ >= 0) return absl::StrCat(text, "[", type_of_, "]");
  return absl::StrCat(text, InfoOf(type_).name);
}

}  // namespace eyrie::native
