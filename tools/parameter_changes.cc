// Numbers of --splat are parsed as elements of tensors.
#include "tools/parameter_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

// "f32=4.5", or "x32=CAFEF00D"; empty is zero.
absl::StatusOr<hal::Splat> ParseTypedNumber(const std::string& text) {
  if (text.empty()) return hal::Splat();
  const std::vector<std::string> parts = absl::StrSplit(text, '=');
  if (parts.size() != 2) {
    return absl::InvalidArgumentError(
        "Expected a type and a number, such as f32=4.5.");
  }
  ASSIGN_OR_RETURN(const hal::ElementType type,
                   hal::ParseElementType(parts[0]));
  return ParseSplat(parts[1], type);
}

}  // namespace

absl::StatusOr<hal::Splat> ParseSplat(absl::string_view number,
                                      hal::ElementType type) {
  hal::Splat splat;
  const uint32_t bits = hal::StrideBits(type);
  if (bits % 8 != 0 || bits / 8 > splat.pattern.size()) {
    return absl::UnimplementedError(
        absl::StrCat("A repeated number of type ", hal::ElementTypeName(type),
                     " is not a whole number of bytes."));
  }
  if (number.empty()) return splat;  // zeros
  splat.length = static_cast<uint8_t>(bits / 8);
  const auto element = std::span(splat.pattern).first(splat.length);
  const absl::Status parsed = abi::ParseElement(number, type, element);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(parsed.message(), "."));
  }
  return splat;
}

absl::Status ParameterChanges::ReadTable(const Arguments& arguments,
                                         const char* flag, bool has_value,
                                         Table& table) {
  for (const std::string& text : arguments.GetList(flag)) {
    const size_t equals =
        has_value ? std::min(text.find('='), text.size()) : text.size();
    Change change;
    change.flag = absl::StrCat("--", flag, "=", text);
    change.value = text.substr(std::min(equals + 1, text.size()));
    const std::string name = text.substr(0, equals);
    if (!table.emplace(name, std::move(change)).second) {
      return UsageError(absl::StrCat("--", flag, " names ",
                                     hal::QuotedName(name), " twice."));
    }
  }
  return absl::OkStatus();
}

const ParameterChanges::Change* ParameterChanges::Find(
    Table& table, const std::string& name) {
  const auto found = table.find(name);
  if (found == table.end()) return nullptr;
  found->second.used = true;
  return &found->second;
}

absl::StatusOr<ParameterChanges> ParameterChanges::Read(
    const Arguments& arguments) {
  ParameterChanges changes;
  changes.strip_ = arguments.GetBool("strip");
  RETURN_IF_ERROR(ReadTable(arguments, "exclude", false, changes.exclude_));
  RETURN_IF_ERROR(ReadTable(arguments, "rename", true, changes.rename_));
  RETURN_IF_ERROR(ReadTable(arguments, "splat", true, changes.splat_));
  for (const auto& [name, change] : changes.rename_) {
    if (!change.value.empty()) continue;
    return UsageError(absl::StrCat(change.flag, " is not --rename=old=new."));
  }
  return changes;
}

absl::StatusOr<bool> ParameterChanges::Apply(hal::ParameterSource& source) {
  const bool stays = Find(exclude_, source.key) == nullptr;
  if (const Change* rename = Find(rename_, source.key)) {
    source.key = rename->value;
  }
  const Change* splat = Find(splat_, source.key);
  if (splat == nullptr && !strip_) return stays;
  const auto number = ParseTypedNumber(splat == nullptr ? "" : splat->value);
  if (!number.ok()) {
    return AsValueError(
        Annotate(number.status(), absl::StrCat("(", splat->flag, ")")));
  }
  source.content = hal::ParameterSource::Content::kSplat;
  source.splat = *number;
  return stays;
}

absl::Status ParameterChanges::CheckAllUsed() const {
  for (const Table* table : {&exclude_, &rename_, &splat_}) {
    for (const auto& [name, change] : *table) {
      if (change.used) continue;
      return absl::NotFoundError(absl::StrCat(
          change.flag, ": there is no parameter ", hal::QuotedName(name), "."));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
