#include "hal/element_type.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"

namespace eyrie::hal {
namespace {

constexpr ElementTypeInfo kElementTypes[] = {
#define ELEMENT_TYPE(id, name, kind, bits, numpy, mlir, dlpack) \
  {ElementType::k##id, name, kind, bits, numpy, mlir, dlpack},
#include "hal/element_types.def"
};

// Aliases that ParseElementType accepts.
struct Alias {
  absl::string_view name;
  ElementType type;
};
constexpr Alias kAliases[] = {
    {"bool", ElementType::kBool8},
    {"bool8", ElementType::kBool8},
    {"x8", ElementType::kOpaque8},
    {"x16", ElementType::kOpaque16},
    {"x32", ElementType::kOpaque32},
    {"x64", ElementType::kOpaque64},
    {"complex<f32>", ElementType::kComplex64},
    {"complex<f64>", ElementType::kComplex128},
};

// Names of other libraries and languages; not accepted, but mapped to
// suggestions.
struct ForeignName {
  absl::string_view name;  // in lower case
  absl::string_view ours;
};
constexpr ForeignName kForeignNames[] = {
    {"bfloat16", "bf16"},    {"boolean", "i1"},     {"byte", "i8"},
    {"complex128", "cf128"}, {"complex64", "cf64"}, {"double", "f64"},
    {"float", "f32"},        {"float16", "f16"},    {"float32", "f32"},
    {"float64", "f64"},      {"half", "f16"},       {"index", "i64"},
    {"int", "i32"},          {"int16", "i16"},      {"int32", "i32"},
    {"int64", "i64"},        {"int8", "i8"},        {"long", "i64"},
    {"s16", "si16"},         {"s32", "si32"},       {"s64", "si64"},
    {"s8", "si8"},           {"u16", "ui16"},       {"u32", "ui32"},
    {"u64", "ui64"},         {"u8", "ui8"},         {"uint16", "ui16"},
    {"uint32", "ui32"},      {"uint64", "ui64"},    {"uint8", "ui8"},
};

// Returns our name if `name` can only mean one type, else an empty string.
absl::string_view SureSuggestion(absl::string_view name) {
  for (const ElementTypeInfo& row : kElementTypes) {
    if (absl::EqualsIgnoreCase(name, row.name)) return row.name;
  }
  for (const ForeignName& foreign : kForeignNames) {
    if (absl::EqualsIgnoreCase(name, foreign.name)) return foreign.ours;
  }
  return "";
}

// Returns "; did you mean f16, f32 or f64?", or "." if no name is similar.
std::string Suggestion(absl::string_view name) {
  if (const auto sure = SureSuggestion(name); !sure.empty()) {
    return absl::StrCat("; did you mean ", sure, "?");
  }
  std::vector<std::pair<size_t, absl::string_view>> near;
  for (const ElementTypeInfo& row : kElementTypes) {
    if (row.type == ElementType::kInt1) continue;  // same name as kBool8
    if (row.name[0] == '*') continue;              // opaque: not suggested
    const size_t distance = EditDistance(name, row.name);
    // A candidate must have something in common with `name`.
    if (distance <= 2 && distance < name.size()) {
      near.emplace_back(distance, row.name);
    }
  }
  // If distances are equal, longer common prefixes come first.
  const auto prefix = [name](absl::string_view candidate) {
    size_t same = 0;
    while (same < std::min(name.size(), candidate.size()) &&
           absl::ascii_tolower(name[same]) ==
               absl::ascii_tolower(candidate[same])) {
      ++same;
    }
    return same;
  };
  std::stable_sort(near.begin(), near.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return prefix(a.second) > prefix(b.second);
  });
  if (near.empty()) return ".";
  const size_t count = std::min<size_t>(near.size(), 3);
  std::string text = "; did you mean ";
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text,
                    i == 0           ? ""
                    : i + 1 == count ? " or "
                                     : ", ",
                    near[i].second);
  }
  return text + "?";
}

// Returns the prefix of a kind's names, or "*" if it is unknown or has several.
absl::string_view KindPrefix(ElementType type) {
  switch (NumericalKind(type)) {
    case 0x10:
      return "i";
    case 0x11:
      return "si";
    case 0x12:
      return "ui";
    case 0x21:
      return "f";
    case 0x22:
      return "bf";
    case 0x23:
      return "cf";
    default:
      return "*";
  }
}

}  // namespace

std::span<const ElementTypeInfo> ElementTypes() { return kElementTypes; }

bool GetDenseByteLength(ElementType type, int64_t count, uint64_t& length) {
  if (count < 0) return false;
  // Eight elements take `bits` bytes.
  const uint64_t bits = StrideBits(type);
  const auto elements = static_cast<uint64_t>(count);
  uint64_t bytes;
  if (__builtin_mul_overflow(elements / 8, bits, &bytes)) return false;
  const uint64_t rest_bits = elements % 8 * bits;
  return !__builtin_add_overflow(bytes, (rest_bits + 7) / 8, &length);
}

std::optional<uint64_t> DenseByteLength(ElementType type, int64_t count) {
  uint64_t length;
  if (!GetDenseByteLength(type, count, length)) return std::nullopt;
  return length;
}

const ElementTypeInfo* FindElementType(ElementType type) {
  for (const ElementTypeInfo& row : kElementTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

bool IsTakenAs(ElementType given, ElementType want) {
  if (want == ElementType::kNone) return true;
  return NumericalKind(given) == 0 ? StrideBits(given) == StrideBits(want)
                                   : EqualUpToSign(want, given);
}

std::string ElementTypeName(ElementType type) {
  if (const ElementTypeInfo* row = FindElementType(type)) return row->name;
  return absl::StrCat(KindPrefix(type), BitCount(type));
}

absl::StatusOr<ElementType> ParseElementType(absl::string_view name) {
  for (const ElementTypeInfo& row : kElementTypes) {
    if (name == row.name) return row.type;
  }
  for (const Alias& alias : kAliases) {
    if (name == alias.name) return alias.type;
  }
  return absl::NotFoundError(
      absl::StrCat("Unknown element type '", name, "'", Suggestion(name)));
}

}  // namespace eyrie::hal
