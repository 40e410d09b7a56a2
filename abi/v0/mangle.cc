#include "abi/v0/mangle.h"

#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::abi::v0 {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsTag(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

absl::Status ErrorAt(size_t offset, absl::string_view sentence) {
  return absl::InvalidArgumentError(
      absl::StrCat("Byte ", offset, " of the signature: ", sentence));
}

std::string TagText(char tag) {
  return absl::StrCat("'", absl::CHexEscape(absl::string_view(&tag, 1)), "'");
}

absl::StatusOr<Component> SignatureParser::Next() {
  Component component;
  component.offset = offset();
  if (position_ == text_.size()) return component;
  const char tag = text_[position_];
  if (!IsTag(tag)) {
    return ErrorAt(
        offset(), absl::StrCat(TagText(tag),
                               " is not a tag ('_', 'a' to 'z', 'A' to 'Z')."));
  }
  component.tag = tag;
  ++position_;
  RETURN_IF_ERROR(ReadInteger(component));
  if (component.is_span()) RETURN_IF_ERROR(ReadBody(component));
  return component;
}

absl::Status SignatureParser::ReadInteger(Component& component) {
  const size_t start = position_;
  const bool negative = position_ < text_.size() && text_[position_] == '-';
  if (negative) ++position_;
  const size_t first_digit = position_;
  std::optional<int64_t> value = 0;
  while (position_ < text_.size() && IsDigit(text_[position_])) {
    const int digit = text_[position_++] - '0';
    if (value) value = CheckedMul(*value, 10);
    if (value) value = CheckedAdd(*value, negative ? -digit : digit);
  }
  if (position_ == first_digit) {
    return ErrorAt(base_ + position_,
                   absl::StrCat("expected digits of the integer after tag ",
                                TagText(component.tag), "."));
  }
  if (!value) {
    return ErrorAt(base_ + start, "the integer exceeds 64 bits.");
  }
  component.integer = *value;
  return absl::OkStatus();
}

absl::Status SignatureParser::ReadBody(Component& component) {
  const int64_t length = component.integer;
  const size_t length_offset = component.offset + 1;
  component.integer = 0;
  if (length < 1) {
    return ErrorAt(length_offset,
                   absl::StrCat("the length ", length,
                                " is less than 1, which is the '!' alone."));
  }
  const size_t left = text_.size() - position_;
  if (static_cast<uint64_t>(length) > left) {
    return ErrorAt(length_offset,
                   absl::StrCat("the length ", length, " exceeds the ", left,
                                " bytes left."));
  }
  if (text_[position_] != '!') {
    return ErrorAt(offset(),
                   absl::StrCat(TagText(text_[position_]),
                                " is found where a span must have '!'."));
  }
  component.body_offset = offset() + 1;
  component.body = text_.substr(position_ + 1, length - 1);
  position_ += length;
  return absl::OkStatus();
}

absl::StatusOr<Component> SignatureParser::Expect(char tag,
                                                  absl::string_view what) {
  ASSIGN_OR_RETURN(const Component component, Next());
  if (component.tag == tag) return component;
  const std::string found =
      component.at_end() ? "the end" : TagText(component.tag);
  return ErrorAt(component.offset,
                 absl::StrCat(found, " is found in place of ", what, " (",
                              TagText(tag), ")."));
}

absl::Status SignatureParser::ExpectEnd(absl::string_view what) {
  if (position_ == text_.size()) return absl::OkStatus();
  return ErrorAt(offset(), absl::StrCat(TagText(text_[position_]), " follows ",
                                        what, ", which should be the end."));
}

absl::Status SignatureParser::Visit(
    absl::FunctionRef<absl::Status(const Component&)> visit) {
  while (true) {
    ASSIGN_OR_RETURN(const Component component, Next());
    if (component.at_end()) return absl::OkStatus();
    RETURN_IF_ERROR(visit(component));
  }
}

}  // namespace eyrie::abi::v0
