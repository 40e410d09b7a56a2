// Finds features by the rows of instruction_features.def. Instructions have two
// or four bytes, and the lowest two bits tell which.
#include "hal/cpu/riscv64/instruction.h"

#include <optional>

#include "base/byte_reader.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint8_t kLong = 4;  // the size of an instruction, in bytes
constexpr uint8_t kShort = 2;
constexpr uint32_t kReturn = 1;     // ra, the register of return addresses
constexpr uint32_t kAlternate = 5;  // t0, the other one

struct RiscvRow {
  uint32_t mask;
  uint32_t value;
  Feature feature;
};

constexpr RiscvRow kRiscvRows[] = {
#define ROW(mask, value, feature) {mask, value, Feature::k##feature},
#include "hal/cpu/riscv64/instruction_features.def"
#undef ROW
};

// The lowest seven bits name the group of an instruction. Bit N of the words is
// set if a row covers instructions of group N.
struct RiscvGroups {
  uint64_t words[2] = {};
};

constexpr RiscvGroups FindGroups() {
  RiscvGroups groups;
  for (const RiscvRow& row : kRiscvRows) {
    for (uint32_t group = 0; group < 128; ++group) {
      if (((row.value ^ group) & row.mask & 127) != 0) continue;
      groups.words[group / 64] |= uint64_t{1} << group % 64;
    }
  }
  return groups;
}

constexpr RiscvGroups kGroupsWithRows = FindGroups();

FeatureSet RiscvFeaturesOf(uint32_t word) {
  const uint32_t group = word & 127;
  if ((kGroupsWithRows.words[group / 64] >> group % 64 & 1) == 0) return {};
  FeatureSet features;
  for (const RiscvRow& row : kRiscvRows) {
    if ((word & row.mask) == row.value) features = {row.feature};
  }
  return features;
}

// Returns `count` bits of a word from bit `from`, shifted to bit `to`.
constexpr uint32_t Bits(uint32_t word, int from, int count, int to) {
  return (word >> from & ((1u << count) - 1)) << to;
}

// Returns the number whose highest bit is bit `bits` - 1.
constexpr int32_t Extend(uint32_t value, int bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

uint32_t Rd(uint32_t word) { return Bits(word, 7, 5, 0); }
uint32_t Rs1(uint32_t word) { return Bits(word, 15, 5, 0); }
int32_t ImmediateI(uint32_t word) { return Extend(word >> 20, 12); }
int32_t ImmediateJ(uint32_t word) {
  return Extend(Bits(word, 31, 1, 20) | Bits(word, 12, 8, 12) |
                    Bits(word, 20, 1, 11) | Bits(word, 21, 10, 1),
                21);
}
int32_t ImmediateB(uint32_t word) {
  return Extend(Bits(word, 31, 1, 12) | Bits(word, 7, 1, 11) |
                    Bits(word, 25, 6, 5) | Bits(word, 8, 4, 1),
                13);
}
int32_t ImmediateCj(uint32_t word) {
  return Extend(Bits(word, 12, 1, 11) | Bits(word, 11, 1, 4) |
                    Bits(word, 9, 2, 8) | Bits(word, 8, 1, 10) |
                    Bits(word, 7, 1, 6) | Bits(word, 6, 1, 7) |
                    Bits(word, 3, 3, 1) | Bits(word, 2, 1, 5),
                12);
}
int32_t ImmediateCb(uint32_t word) {
  return Extend(Bits(word, 12, 1, 8) | Bits(word, 10, 2, 3) |
                    Bits(word, 5, 2, 6) | Bits(word, 3, 2, 1) |
                    Bits(word, 2, 1, 5),
                9);
}

bool IsLink(uint32_t reg) { return reg == kReturn || reg == kAlternate; }
bool IsJalr(uint32_t word) { return (word & 0x707F) == 0x67; }

struct RiscvFlow {
  Flow flow = Flow::kNext;
  std::optional<int64_t> target = {};  // relative to the instruction
  uint8_t length = kLong;
};

// A jump through a register. A return uses the register of return addresses.
Flow FlowThrough(uint32_t link, uint32_t target) {
  if (link != 0) return Flow::kCall;
  return IsLink(target) ? Flow::kStop : Flow::kSwitch;
}

RiscvFlow FindShortFlow(uint32_t word) {
  if (word == 0) return {Flow::kTrap, {}, kShort};       // C.UNIMP
  if (word == 1) return {Flow::kPadding, {}, kShort};    // C.NOP
  if (word == 0x9002) return {Flow::kStop, {}, kShort};  // C.EBREAK
  switch (word & 0xE003) {
    case 0xA001:  // C.J
      return {Flow::kJump, ImmediateCj(word), kShort};
    case 0xC001:  // C.BEQZ, C.BNEZ
    case 0xE001:
      return {Flow::kBranch, ImmediateCb(word), kShort};
    default:
      break;
  }
  if ((word & 0xE07F) == 0x8002 && Rd(word) != 0) {  // C.JR, C.JALR
    return {FlowThrough(Bits(word, 12, 1, 0), Rd(word)), {}, kShort};
  }
  return {Flow::kNext, {}, kShort};
}

// AUIPC, whose immediate an instruction after it completes. With JALR right
// after it, both are one call or jump.
RiscvFlow FindAuipcFlow(uint32_t word, std::span<const uint8_t> code) {
  constexpr size_t kLook = 8;  // instructions
  const auto high = static_cast<int32_t>(word & 0xFFFFF000);
  const uint32_t base = Rd(word);
  size_t at = kLong;
  for (size_t i = 0; i < kLook && at + kLong <= code.size(); ++i) {
    const auto next = LoadLittleEndian<uint32_t>(code.data() + at);
    if ((next & 3) != 3) {
      at += kShort;
      continue;
    }
    const int64_t target = int64_t{high} + ImmediateI(next);
    if (i == 0 && IsJalr(next) && Rs1(next) == base) {
      return {Rd(next) == 0 ? Flow::kJump : Flow::kCall, target, 2 * kLong};
    }
    if ((next & 0x707F) == 0x13 && Rs1(next) == base) {  // ADDI
      return {Flow::kNext, target};
    }
    at += kLong;
  }
  return {};
}

RiscvFlow FindLongFlow(uint32_t word, std::span<const uint8_t> code) {
  if (word == 0x00000013) return {Flow::kPadding};  // NOP
  if (word == 0x00100073) return {Flow::kStop};     // EBREAK
  if (word == 0xC0001073) return {Flow::kTrap};     // UNIMP
  switch (word & 0x7F) {
    case 0x17:
      return FindAuipcFlow(word, code);
    case 0x63:  // BEQ to BGEU
      return {Flow::kBranch, ImmediateB(word)};
    case 0x6F:  // JAL
      return {Rd(word) == 0 ? Flow::kJump : Flow::kCall, ImmediateJ(word)};
    default:
      break;
  }
  if (IsJalr(word)) return {FlowThrough(Rd(word), Rs1(word))};
  return {};
}

}  // namespace

Instruction DecodeRiscv(std::span<const uint8_t> code, uint64_t address) {
  if (code.size() < kShort || address % kShort != 0) return Instruction();
  uint32_t word = LoadLittleEndian<uint16_t>(code.data());
  const bool is_long = (word & 3) == 3;
  if (is_long) {
    // Longer instructions than these do not exist yet.
    if (code.size() < kLong || (word & 0x1F) == 0x1F) return Instruction();
    word = LoadLittleEndian<uint32_t>(code.data());
  }
  const RiscvFlow found =
      is_long ? FindLongFlow(word, code) : FindShortFlow(word);
  Instruction instruction;
  instruction.length = found.length;
  instruction.flow = found.flow;
  instruction.needs = RiscvFeaturesOf(word);
  if (found.target.has_value()) instruction.SetTarget(*found.target);
  return instruction;
}

}  // namespace eyrie::hal::cpu
