// Finds features by the rows of instruction_features.def. They are sorted by
// bits 25 to 28, which name the group of an instruction.
#include "hal/cpu/aarch64/instruction.h"

#include <array>
#include <iterator>
#include <optional>

#include "base/byte_reader.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint8_t kSize = 4;  // of an instruction, in bytes

// The feature + 1, or 0 for the base.
enum : uint8_t {
  kNone = 0,
#define FEATURE(feature, ...) \
  k##feature = static_cast<uint8_t>(Feature::k##feature) + 1,
#include "hal/cpu/machine/aarch64_features.def"
#undef FEATURE
};

struct ArmRow {
  uint32_t mask;
  uint32_t value;
  uint8_t feature;
};

constexpr ArmRow kArmRows[] = {
#define ROW(mask, value, feature) {mask, value, k##feature},
#include "hal/cpu/aarch64/instruction_features.def"
#undef ROW
};

constexpr int kGroups = 16;
constexpr uint32_t GroupOf(uint32_t word) { return word >> 25 & (kGroups - 1); }

// The rows that an instruction of a group may match, last ones first.
struct ArmGroup {
  std::array<uint8_t, std::size(kArmRows)> rows = {};
  size_t count = 0;
};

constexpr std::array<ArmGroup, kGroups> SortRows() {
  static_assert(std::size(kArmRows) <= 256);
  std::array<ArmGroup, kGroups> groups;
  for (size_t i = std::size(kArmRows); i-- > 0;) {
    for (uint32_t group = 0; group < kGroups; ++group) {
      if (((GroupOf(kArmRows[i].value) ^ group) & GroupOf(kArmRows[i].mask)) !=
          0) {
        continue;
      }
      groups[group].rows[groups[group].count++] = static_cast<uint8_t>(i);
    }
  }
  return groups;
}

constexpr std::array<ArmGroup, kGroups> kRowsOfGroup = SortRows();

FeatureSet FeaturesOf(uint32_t word) {
  const ArmGroup& group = kRowsOfGroup[GroupOf(word)];
  for (size_t i = 0; i < group.count; ++i) {
    const ArmRow& row = kArmRows[group.rows[i]];
    if ((word & row.mask) != row.value) continue;
    if (row.feature == kNone) break;
    return {static_cast<Feature>(row.feature - 1)};
  }
  return {};
}

// Returns the signed number in `bits` bits from `first`.
int64_t Signed(uint32_t word, int first, int bits) {
  return static_cast<int64_t>(uint64_t{word} << (64 - first - bits)) >>
         (64 - bits);
}

// Returns the 21 bits of ADR and ADRP.
int64_t AdrImmediate(uint32_t word) {
  return Signed(word, 5, 19) * 4 + (word >> 29 & 3);
}

bool IsAdrp(uint32_t word) { return (word & 0x9F000000) == 0x90000000; }

// Returns the address that an ADRP and an ADD after it form, relative to the
// ADRP, or nullopt if there is no such ADD within a few instructions.
std::optional<int64_t> AdrpTarget(uint32_t word, std::span<const uint8_t> code,
                                  uint64_t address) {
  constexpr size_t kLook = 8;  // instructions
  const uint32_t page_register = word & 31;
  for (size_t at = kSize; at <= kLook * kSize && at + kSize <= code.size();
       at += kSize) {
    const auto next = LoadLittleEndian<uint32_t>(code.data() + at);
    // ADD of 64 bits with an immediate that is not shifted.
    if ((next & 0xFFC00000) != 0x91000000) continue;
    if ((next >> 5 & 31) != page_register) continue;
    return AdrImmediate(word) * 4096 - static_cast<int64_t>(address & 4095) +
           (next >> 10 & 4095);
  }
  return std::nullopt;
}

struct FlowTarget {
  Flow flow = Flow::kNext;
  std::optional<int64_t> target;  // relative to the instruction
};

FlowTarget FindFlow(uint32_t word, std::span<const uint8_t> code,
                    uint64_t address) {
  if (word == 0xD503201F) return {Flow::kPadding, {}};     // NOP
  if ((word & 0xFFFF0000) == 0) return {Flow::kTrap, {}};  // UDF
  if ((word & 0x7C000000) == 0x14000000) {                 // B, BL
    return {word >> 31 != 0 ? Flow::kCall : Flow::kJump,
            Signed(word, 0, 26) * kSize};
  }
  if ((word & 0xFF000000) == 0x54000000 ||  // B.cond
      (word & 0x7E000000) == 0x34000000) {  // CBZ, CBNZ
    return {Flow::kBranch, Signed(word, 5, 19) * kSize};
  }
  if ((word & 0x7E000000) == 0x36000000) {  // TBZ, TBNZ
    return {Flow::kBranch, Signed(word, 5, 14) * kSize};
  }
  if ((word & 0xFE000000) == 0xD6000000) {  // BR, BLR, RET
    constexpr Flow kFlows[] = {Flow::kSwitch, Flow::kCall};
    const uint32_t kind = word >> 21 & 7;
    return {kind < std::size(kFlows) ? kFlows[kind] : Flow::kStop, {}};
  }
  if ((word & 0xFFA0001F) == 0xD4200000) return {Flow::kStop, {}};  // BRK
  if ((word & 0xFFE0001F) == 0xD4400000) return {Flow::kStop, {}};  // HLT
  if ((word & 0x9F000000) == 0x10000000) {                          // ADR
    return {Flow::kNext, AdrImmediate(word)};
  }
  if (IsAdrp(word)) return {Flow::kNext, AdrpTarget(word, code, address)};
  return {};
}

}  // namespace

Instruction DecodeArm(std::span<const uint8_t> code, uint64_t address) {
  if (code.size() < kSize || address % kSize != 0) return Instruction();
  const auto word = LoadLittleEndian<uint32_t>(code.data());
  const FlowTarget found = FindFlow(word, code, address);
  Instruction instruction;
  instruction.length = kSize;
  instruction.flow = found.flow;
  instruction.needs = FeaturesOf(word);
  if (found.target.has_value()) instruction.SetTarget(*found.target);
  return instruction;
}

}  // namespace eyrie::hal::cpu
