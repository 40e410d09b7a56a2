#include "tools/debug/condition.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

absl::Status NoCondition(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", PlainName(text),
      "' is not a condition such as %i0 == 3, %i4 f64 < 0.5 or %r0 "
      "!= null."));
}

bool IsWide(RegisterKind kind) { return SizeOf(kind) == sizeof(int64_t); }

}  // namespace

absl::StatusOr<Condition> Condition::Parse(absl::string_view text) {
  constexpr struct {
    absl::string_view text;
    Relation relation;
  } kRelations[] = {
      {"==", Relation::kEq}, {"!=", Relation::kNe}, {"<=", Relation::kLe},
      {">=", Relation::kGe}, {"<", Relation::kLt},  {">", Relation::kGt},
  };
  const size_t begin = text.find_first_of("=!<>");
  if (begin == text.npos) return NoCondition(text);
  Condition condition;
  absl::string_view value = text.substr(begin);
  bool is_known = false;
  for (const auto& row : kRelations) {
    if (is_known || !absl::ConsumePrefix(&value, row.text)) continue;
    condition.relation_ = row.relation;
    is_known = true;
  }
  value = absl::StripAsciiWhitespace(value);
  const std::vector<absl::string_view> words = absl::StrSplit(
      text.substr(0, begin), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  const auto name = words.empty() ? std::nullopt : ParseRegister(words[0]);
  if (!is_known || !name.has_value() || words.size() > 2) {
    return NoCondition(text);
  }
  condition.register_ = *name;
  if (words.size() == 2) {
    condition.kind_ = ParseRegisterKind(words[1]);
    if (name->is_ref || !condition.kind_.has_value()) return NoCondition(text);
    RETURN_IF_ERROR(KindNamed(*name, words[1], *condition.kind_));
  }
  if (name->is_ref) {
    const bool is_equality = condition.relation_ == Relation::kEq ||
                             condition.relation_ == Relation::kNe;
    if (value != "null" || !is_equality) return NoCondition(text);
    return condition;
  }
  condition.bits_ = ParseHexBits(value, sizeof(uint64_t));
  if (condition.bits_.has_value()) return condition;
  int64_t whole = 0;
  if (absl::SimpleAtoi(value, &whole)) condition.whole_ = whole;
  if (!absl::SimpleAtod(value, &condition.number_)) return NoCondition(text);
  return condition;
}

absl::Status Condition::CheckFor(const CodeSpot& spot) const {
  const uint32_t count =
      register_.is_ref
          ? spot.module->function(spot.function).ref_count
          : spot.module->def().functions[spot.function].i32_register_count;
  const bool is_wide =
      register_.is_pair || (kind_.has_value() && IsWide(*kind_));
  const uint32_t last = uint32_t{register_.index} + (is_wide ? 1 : 0);
  if (last < count) return absl::OkStatus();
  RegisterName missing = register_;
  if (register_.index < count) ++missing.index;
  const std::string sentence = NoRegister(missing, count);
  return absl::OutOfRangeError(absl::StrCat(
      FunctionText(spot), ": ", absl::StripTrailingAsciiWhitespace(sentence)));
}

template <typename T>
bool Condition::Compare(T value, T wanted) const {
  switch (relation_) {
    case Relation::kEq:
      return value == wanted;
    case Relation::kNe:
      return value != wanted;
    case Relation::kLe:
      return value <= wanted;
    case Relation::kGe:
      return value >= wanted;
    case Relation::kLt:
      return value < wanted;
    case Relation::kGt:
      return value > wanted;
  }
  return false;
}

bool Condition::Holds(const vm::Frame& frame,
                      const std::vector<RegisterKind>& kinds) const {
  const uint16_t index = register_.index;
  if (register_.is_ref)
    return Compare<bool>(frame.refs[index] == nullptr, true);
  const int32_t* const at = frame.i32 + index;
  const RegisterKind usual =
      kind_.value_or(index < kinds.size() ? kinds[index] : RegisterKind::kI32);
  const RegisterKind kind = KindNamed(register_, "", usual).value_or(usual);
  if (bits_.has_value()) {
    return Compare(IsWide(kind) ? Load<uint64_t>(at) : Load<uint32_t>(at),
                   *bits_);
  }
  if (kind == RegisterKind::kF32)
    return Compare<double>(Load<float>(at), number_);
  if (kind == RegisterKind::kF64) return Compare(Load<double>(at), number_);
  const int64_t value =
      kind == RegisterKind::kI64 ? Load<int64_t>(at) : int64_t{*at};
  if (whole_.has_value()) return Compare(value, *whole_);
  return Compare(static_cast<double>(value), number_);
}

}  // namespace eyrie::tools
