// The instructions of opcodes.def as an enum and a table, with lookup by code
// and by text.
//
// A core instruction begins with its code, one byte. An instruction of the f32
// or f64 set begins with the set's prefix byte, then its code. Its operands
// follow, then its results (operand.h).
// Tested by opcode_test.cc.
#ifndef EYRIE_VM_ISA_OPCODE_H_
#define EYRIE_VM_ISA_OPCODE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/string_view.h"
#include "vm/isa/operand.h"
#include "vm/isa/version.h"

namespace eyrie::vm {

enum class OpSet : uint8_t { kCore, kF32, kF64 };

// Prefix bytes of the other sets; never used as codes of core instructions.
inline constexpr uint8_t kPrefixF32 = 0xE0;
inline constexpr uint8_t kPrefixF64 = 0xE1;

constexpr uint16_t OpKey(OpSet set, uint8_t code) {
  return static_cast<uint16_t>(static_cast<uint16_t>(set) << 8 | code);
}

// Identifies an instruction by its OpKey.
enum class Op : uint16_t {
#define OP(set, code, name, ...) k##name = OpKey(OpSet::k##set, code),
#include "vm/isa/opcodes.def"
#undef OP
};

// The words of the column of traits, as bits.
enum OpTraits : uint8_t {
  kCompares = 1,
  kDivides = 2,
  kEnds = 4,
  kHasMachineCode = 8,
  kUnknownTrait = 128,
};

// Parses a column of traits, which are separated by spaces.
constexpr uint8_t ParseTraits(std::string_view text) {
  uint8_t traits = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    traits |= word == "compares"   ? kCompares
              : word == "divides"  ? kDivides
              : word == "ends"     ? kEnds
              : word == "compiled" ? kHasMachineCode
                                   : kUnknownTrait;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return traits;
}

// Contains no pointers, which would need relocation at every start.
struct OpInfo {
  Op op;
  OpSet set;
  uint8_t code;
  char text[28];
  OperandList reads;
  OperandList writes;
  int16_t since;   // first release that has it
  uint16_t major;  // first bytecode version that may use it
  uint8_t traits;  // bits of OpTraits

  constexpr bool has(OpTraits trait) const { return (traits & trait) != 0; }
};

inline constexpr OpInfo kOps[] = {
#define OP(set, code, name, text, operands, results, since, traits, ...) \
  {Op::k##name,                                                          \
   OpSet::k##set,                                                        \
   code,                                                                 \
   text,                                                                 \
   ParseOperands(operands),                                              \
   ParseOperands(results),                                               \
   static_cast<int16_t>(ReleaseOf(since)),                               \
   MajorOfRelease(ReleaseOf(since)),                                     \
   ParseTraits(traits)},
#include "vm/isa/opcodes.def"
#undef OP
};
inline constexpr size_t kOpCount = std::size(kOps);

namespace opcode_internal {

constexpr bool RowsAscend() {
  for (size_t i = 1; i < kOpCount; ++i) {
    if (kOps[i - 1].op >= kOps[i].op) return false;
  }
  return true;
}
constexpr bool TokensKnown() {
  for (const OpInfo& info : kOps) {
    if (!IsKnown(info.reads) || !IsKnown(info.writes)) return false;
    if (info.has(kUnknownTrait)) return false;
  }
  return true;
}
constexpr bool PrefixesFree() {
  for (const OpInfo& info : kOps) {
    if (info.set == OpSet::kCore &&
        (info.code == kPrefixF32 || info.code == kPrefixF64)) {
      return false;
    }
  }
  return true;
}
static_assert(RowsAscend(), "opcodes.def: rows must ascend by (set, code)");
static_assert(TokensKnown(), "opcodes.def: unknown operand or trait");
static_assert(PrefixesFree(), "opcodes.def: a core code is a prefix byte");

// Maps keys to row numbers + 1; 0 if no instruction has the key.
constexpr auto CreateIndex() {
  std::array<uint16_t, size_t{3} * 256> index = {};
  for (size_t i = 0; i < kOpCount; ++i) {
    index[static_cast<uint16_t>(kOps[i].op)] = static_cast<uint16_t>(i + 1);
  }
  return index;
}
inline constexpr auto kIndex = CreateIndex();

}  // namespace opcode_internal

// Returns the row, or null if no instruction has the code.
constexpr const OpInfo* FindOp(OpSet set, uint8_t code) {
  uint16_t row = opcode_internal::kIndex[OpKey(set, code)];
  return row == 0 ? nullptr : &kOps[row - 1];
}
constexpr const OpInfo& InfoOf(Op op) {
  return kOps[opcode_internal::kIndex[static_cast<uint16_t>(op)] - 1];
}

// Returns the index of the row in kOps.
constexpr size_t RowOf(const OpInfo& op) {
  return static_cast<size_t>(&op - kOps);
}

// Returns the row with this assembly text, such as "add.i32", or null.
const OpInfo* FindOp(absl::string_view text);

// Reports whether control never reaches the next instruction. Every block ends
// with exactly one instruction of this kind.
constexpr bool IsTerminator(Op op) { return InfoOf(op).has(kEnds); }

// Returns "core", "f32" or "f64".
const char* OpSetName(OpSet set);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_OPCODE_H_
