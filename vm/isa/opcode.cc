// Lookup of instructions by their assembly text.
#include "vm/isa/opcode.h"

#include <algorithm>

namespace eyrie::vm {
namespace {

// Sorts row numbers by their texts.
constexpr auto SortedByText() {
  std::array<uint16_t, kOpCount> rows = {};
  for (size_t i = 0; i < kOpCount; ++i) rows[i] = static_cast<uint16_t>(i);
  std::sort(rows.begin(), rows.end(), [](uint16_t a, uint16_t b) {
    return absl::string_view(kOps[a].text) < absl::string_view(kOps[b].text);
  });
  return rows;
}
constexpr auto kByText = SortedByText();

}  // namespace

const OpInfo* FindOp(absl::string_view text) {
  auto it = std::lower_bound(kByText.begin(), kByText.end(), text,
                             [](uint16_t row, absl::string_view text) {
                               return kOps[row].text < text;
                             });
  if (it == kByText.end() || kOps[*it].text != text) return nullptr;
  return &kOps[*it];
}

const char* OpSetName(OpSet set) {
  switch (set) {
    case OpSet::kCore:
      return "core";
    case OpSet::kF32:
      return "f32";
    case OpSet::kF64:
      return "f64";
  }
  return "";
}

}  // namespace eyrie::vm
