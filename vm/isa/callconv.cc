// Parses and prints calling conventions.
#include "vm/isa/callconv.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"

namespace eyrie::vm {
namespace {

absl::Status BadLetter(absl::string_view text, size_t at, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text.substr(at, 1), "' at ", at,
                   " of the calling convention \"", text, "\" ", why, "."));
}

// Limit for the types of a span; more than a call can have operands.
constexpr size_t kMaxSpan = size_t{1} << 15;

constexpr char kWhat[] = "a calling convention";

// Parses the elements of text[begin, end).
absl::StatusOr<std::vector<CallElement>> ParseSide(absl::string_view text,
                                                   size_t begin, size_t end,
                                                   bool spans_allowed) {
  std::vector<CallElement> elements;
  if (end - begin == 1 && text[begin] == 'v') return elements;
  RETURN_IF_ERROR(Reserve(elements, end - begin, kWhat));
  constexpr size_t kNone = absl::string_view::npos;
  size_t open = kNone;  // start of the open span
  for (size_t i = begin; i < end; ++i) {
    char c = text[i];
    if (std::optional<ValueType> type = ValueTypeOf(c)) {
      if (open == kNone) elements.emplace_back();
      if (elements.back().types.size() == kMaxSpan) {
        return BadLetter(text, i, "is one type too many for a span");
      }
      elements.back().types.push_back(*type);
    } else if (c == 'C') {
      if (!spans_allowed) return BadLetter(text, i, "opens a span of results");
      if (open != kNone) {
        return BadLetter(text, i, "opens a span within a span");
      }
      open = i;
      elements.emplace_back();
      elements.back().variadic = true;
    } else if (c == 'D') {
      if (open == kNone)
        return BadLetter(text, i, "closes a span that is not open");
      if (elements.back().types.empty()) {
        return BadLetter(text, i, "closes an empty span");
      }
      open = kNone;
    } else if (c == 'v') {
      return BadLetter(text, i, "(nothing) must be alone");
    } else {
      return BadLetter(text, i, "is not a type");
    }
  }
  if (open != kNone) {
    return BadLetter(text, open, "opens a span that does not end");
  }
  return elements;
}

void PrintSide(const std::vector<CallElement>& elements, std::string& text) {
  if (elements.empty()) text += 'v';
  for (const CallElement& element : elements) {
    if (element.variadic) text += 'C';
    for (ValueType type : element.types) text += LetterOf(type);
    if (element.variadic) text += 'D';
  }
}

}  // namespace

uint32_t RegisterCounts::Add(ValueType type, ArgumentLayout layout) {
  switch (type) {
    case ValueType::kI32:
    case ValueType::kF32:
      if (layout == ArgumentLayout::kFillsGaps && gap != 0) {
        return std::exchange(gap, 0);
      }
      return i32++;
    case ValueType::kI64:
    case ValueType::kF64: {
      uint32_t index = (i32 + 1) & ~1u;
      // There is at most one gap, which the next narrow value fills.
      if (index != i32) gap = i32;
      i32 = index + 2;
      return index;
    }
    case ValueType::kRef:
      return ref++;
  }
  return 0;
}

absl::StatusOr<CallingConvention> CallingConvention::Parse(
    absl::string_view text) {
  CallingConvention parsed;
  if (text.empty()) return parsed;
  if (text[0] != '0') {
    return absl::UnimplementedError(
        absl::StrCat("The calling convention \"", text, "\" has version '",
                     text.substr(0, 1), "'; known is '0'."));
  }
  size_t split = text.find('_');
  size_t arguments_end = split == absl::string_view::npos ? text.size() : split;
  size_t results_begin =
      split == absl::string_view::npos ? text.size() : split + 1;
  auto arguments = ParseSide(text, 1, arguments_end, /*spans_allowed=*/true);
  if (!arguments.ok()) return arguments.status();
  auto results =
      ParseSide(text, results_begin, text.size(), /*spans_allowed=*/false);
  if (!results.ok()) return results.status();
  parsed.arguments_ = *std::move(arguments);
  parsed.results_ = *std::move(results);

  for (const CallElement& element : parsed.arguments_) {
    parsed.variadic_ |= element.variadic;
  }
  if (!parsed.variadic_) {
    RETURN_IF_ERROR(
        Reserve(parsed.argument_types_, parsed.arguments_.size(), kWhat));
    for (const CallElement& element : parsed.arguments_) {
      parsed.argument_types_.push_back(element.type());
      const RegisterCounts before = parsed.argument_registers_;
      parsed.argument_registers_.Add(element.type());
      // The value would have fitted into a gap.
      parsed.leaves_gaps_ |=
          before.gap != 0 && parsed.argument_registers_.i32 == before.i32 + 1;
    }
  }
  RETURN_IF_ERROR(Reserve(parsed.result_types_, parsed.results_.size(), kWhat));
  for (const CallElement& element : parsed.results_) {
    parsed.result_types_.push_back(element.type());
  }
  return parsed;
}

std::string CallingConvention::ToString() const {
  std::string text = "0";
  PrintSide(arguments_, text);
  text += '_';
  PrintSide(results_, text);
  return text;
}

}  // namespace eyrie::vm
