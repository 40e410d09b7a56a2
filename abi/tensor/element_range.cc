#include "abi/tensor/element_range.h"

#include <algorithm>
#include <cstring>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
namespace kind = hal::numerical_kind;

constexpr size_t kBlock = 4096;  // bytes; a multiple of each element's size
constexpr uint32_t kWordBits = 64;

bool HasSign(ElementType type) {
  return hal::IsIntegerKind(type) &&
         hal::NumericalKind(type) != kind::kSignless;
}

// Returns the bits of a 64-bit word that must be 0 in every element.
uint64_t ForbiddenBits(ElementType to) {
  const uint32_t bits = hal::BitCount(to);
  uint64_t element = uint64_t{1} << (bits - 1);  // the sign, or the top value
  if (hal::NumericalKind(to) == kind::kBoolean) element = (1u << bits) - 2;
  uint64_t word = 0;
  for (uint32_t at = 0; at < kWordBits; at += bits) word |= element << at;
  return word;
}

bool HasAny(std::span<const uint8_t> bytes, uint64_t forbidden) {
  uint64_t seen = 0;
  size_t at = 0;
  for (; at + sizeof(seen) <= bytes.size(); at += sizeof(seen)) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    seen |= word;
  }
  uint64_t rest = 0;
  if (at < bytes.size()) {
    std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  }
  return ((seen | rest) & forbidden) != 0;
}

int64_t CountOf(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (const int64_t dimension : shape) count *= dimension;
  return count;
}

// Returns the first element of a block that has a forbidden bit.
std::optional<int64_t> FirstIn(std::span<const uint8_t> block, uint32_t bits,
                               uint64_t forbidden, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bit = static_cast<uint64_t>(i) * bits;
    uint64_t element = 0;
    std::memcpy(&element, block.data() + bit / 8, (bits + 7) / 8);
    const uint64_t mask =
        bits < 8 ? ((uint64_t{1} << bits) - 1) << bit % 8 : ~uint64_t{0};
    if ((element & mask & forbidden) != 0) return i;
  }
  return std::nullopt;
}

}  // namespace

bool MayChangeValue(ElementType from, ElementType to) {
  const uint32_t bits = hal::BitCount(to);
  if (bits != hal::BitCount(from) || bits < 2 || kWordBits % bits != 0) {
    return false;
  }
  if (hal::NumericalKind(to) == kind::kBoolean) return hal::IsIntegerKind(from);
  return HasSign(from) && HasSign(to) &&
         hal::NumericalKind(from) != hal::NumericalKind(to);
}

std::string Misfit::Place() const {
  std::string text;
  for (const int64_t at : index) absl::StrAppend(&text, "[", at, "]");
  return text;
}

std::optional<Misfit> FindMisfit(std::span<const uint8_t> bytes,
                                 ElementType from, ElementType to,
                                 std::span<const int64_t> shape) {
  if (!MayChangeValue(from, to)) return std::nullopt;
  const uint32_t bits = hal::BitCount(to);
  const uint64_t forbidden = ForbiddenBits(to);
  const int64_t count = CountOf(shape);
  for (size_t at = 0; at < bytes.size(); at += kBlock) {
    const auto block = bytes.subspan(at, std::min(kBlock, bytes.size() - at));
    if (!HasAny(block, forbidden)) continue;
    const auto before = static_cast<int64_t>(uint64_t{at} * 8 / bits);
    const int64_t held =
        std::min<int64_t>(block.size() * 8 / bits, count - before);
    const std::optional<int64_t> found = FirstIn(block, bits, forbidden, held);
    if (!found) continue;  // in the padding after the last element
    Misfit misfit;
    misfit.element = before + *found;
    AppendElement(bytes, static_cast<uint64_t>(misfit.element) * bits, from,
                  FloatCase::kLower, misfit.number);
    misfit.index.resize(shape.size());
    int64_t rest = misfit.element;
    for (size_t i = shape.size(); i-- > 0; rest /= shape[i]) {
      misfit.index[i] = rest % shape[i];
    }
    return misfit;
  }
  return std::nullopt;
}

std::string ElementPlace(std::span<const int64_t> shape, int64_t element) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0; element /= shape[i]) {
    text.insert(0, absl::StrCat("[", element % shape[i], "]"));
  }
  return text;
}

std::string RangeText(ElementType type) {
  const uint32_t bits = hal::BitCount(type);
  if (hal::NumericalKind(type) == kind::kBoolean) return " (0 to 1)";
  if (!hal::IsIntegerKind(type) || bits == 0 || bits > kWordBits) return "";
  const uint64_t all = ~uint64_t{0} >> (kWordBits - bits);
  const auto least = static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  switch (hal::NumericalKind(type)) {
    case kind::kUnsigned:
      return absl::StrCat(" (0 to ", all, ")");
    case kind::kSigned:
      return absl::StrCat(" (", least, " to ", all >> 1, ")");
    default:
      return absl::StrCat(" (", least, " to ", all, ")");
  }
}

}  // namespace eyrie::abi
