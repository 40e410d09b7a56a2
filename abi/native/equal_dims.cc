#include "abi/native/equal_dims.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace eyrie::native {
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
