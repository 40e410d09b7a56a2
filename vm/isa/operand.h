// The kinds of operand an instruction can have, and how each is encoded.
//
// opcodes.def spells them as words ("i r.move regs"); ParseOperands reads such
// a list at compile time. Everything is little-endian. A counted list (of
// registers, segments or remaps) begins at the next multiple of 2 counted from
// the start of the function, with a u16 count. Nothing else is aligned.
// Tested by opcode_test.cc.
#ifndef EYRIE_VM_ISA_OPERAND_H_
#define EYRIE_VM_ISA_OPERAND_H_

#include <cstdint>

namespace eyrie::vm {

enum class OperandKind : uint8_t {
  kInvalid,
  // One register: u16.
  kI32,
  kI64,  // an even register; the value fills it and the next
  kF32,
  kF64,  // as kI64
  kRef,
  // A ref whose register may give its reference away. As a result: the move
  // bit takes the reference out of the list or global it is read from.
  kRefMove,
  // Registers: u16 count, then u16 each.
  kI32List,
  kI64List,
  kF32List,
  kF64List,
  kRefList,  // each may be moved from
  kRegList,  // of any bank; each ref may be moved from
  // Constants.
  kImmI32,
  kImmI64,
  kImmF32,
  kImmF64,
  kString,  // u16 length, then the bytes; not terminated
  // u32 places in the module.
  kGlobalI32,  // byte offset, of any alignment, of a global of 4 bytes
  kGlobalI64,  // of 8 bytes
  kGlobalF32,
  kGlobalF64,
  kGlobalRef,  // ordinal of a global ref
  kRodata,
  kType,
  kFunc,      // of a function, or with kImportBit of an import
  kImport,    // of an import; kImportBit is set
  kSegments,  // u16 count, then u16 per argument of the callee; see below
  // Control flow.
  kBlock,  // u32: byte offset from the start of the function
  kRemap,  // u16 count, then pairs of u16: from register, to register
  kCases,  // u16 count, then pairs of kBlock and kRemap
};
// kSegments: for an argument that is a variadic span, how many tuples are
// passed; for any other argument the number is not used.
inline constexpr int kOperandKindCount =
    static_cast<int>(OperandKind::kCases) + 1;

// A register as encoded: the bank in the top bit, for refs then the move bit.
// An i64 or f64 is named by its even first register. In lists of a call or a
// return it takes one entry; in a remap its halves are two separate moves.
inline constexpr uint16_t kRefBit = 0x8000;
inline constexpr uint16_t kMoveBit = 0x4000;
inline constexpr uint16_t kRefMask = 0x3FFF;
inline constexpr uint32_t kMaxI32Registers = 0x7FFF;
inline constexpr uint32_t kMaxRefRegisters = 0x3FFF;
inline constexpr uint32_t kImportBit = 0x80000000u;

constexpr bool IsRefRegister(uint16_t reg) { return (reg & kRefBit) != 0; }
constexpr bool IsMove(uint16_t reg) { return (reg & kMoveBit) != 0; }
constexpr uint16_t RefIndex(uint16_t reg) { return reg & kRefMask; }

// The word for a kind, as opcodes.def has it; nullptr for kInvalid.
constexpr const char* OperandToken(OperandKind kind) {
  constexpr const char* kTokens[kOperandKindCount] = {
      nullptr,      "i",          "I",          "f",          "F",
      "r",          "r.move",     "i*",         "I*",         "f*",
      "F*",         "r*",         "regs",       "imm.i32",    "imm.i64",
      "imm.f32",    "imm.f64",    "string",     "global.i32", "global.i64",
      "global.f32", "global.f64", "global.ref", "rodata",     "type",
      "func",       "import",     "segments",   "block",      "remap",
      "cases"};
  return kTokens[static_cast<int>(kind)];
}

// Bytes the operand takes wherever it stands; 0 if that varies.
constexpr uint32_t FixedSize(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI32:
    case OperandKind::kI64:
    case OperandKind::kF32:
    case OperandKind::kF64:
    case OperandKind::kRef:
    case OperandKind::kRefMove:
      return 2;
    case OperandKind::kImmI32:
    case OperandKind::kImmF32:
    case OperandKind::kGlobalI32:
    case OperandKind::kGlobalI64:
    case OperandKind::kGlobalF32:
    case OperandKind::kGlobalF64:
    case OperandKind::kGlobalRef:
    case OperandKind::kRodata:
    case OperandKind::kType:
    case OperandKind::kFunc:
    case OperandKind::kImport:
    case OperandKind::kBlock:
      return 4;
    case OperandKind::kImmI64:
    case OperandKind::kImmF64:
      return 8;
    default:
      return 0;
  }
}

constexpr bool IsRegister(OperandKind kind) {
  return kind >= OperandKind::kI32 && kind <= OperandKind::kRefMove;
}
constexpr bool IsRegisterList(OperandKind kind) {
  return kind >= OperandKind::kI32List && kind <= OperandKind::kRegList;
}
// Lists that begin at an even offset, with their count.
constexpr bool IsAlignedList(OperandKind kind) {
  return IsRegisterList(kind) || kind == OperandKind::kSegments ||
         kind == OperandKind::kRemap;
}

// Of a register or a list of them: true if each is an even pair.
constexpr bool IsWide(OperandKind kind) {
  return kind == OperandKind::kI64 || kind == OperandKind::kF64 ||
         kind == OperandKind::kI64List || kind == OperandKind::kF64List;
}

// Where an aligned list begins, for an offset within the function.
constexpr uint32_t AlignToList(uint32_t offset) { return (offset + 1) & ~1u; }

// The kinds of an instruction's operands or results, in encoding order.
struct OperandList {
  static constexpr int kMax = 6;
  uint8_t count = 0;
  OperandKind kinds[kMax] = {};

  constexpr const OperandKind* begin() const { return kinds; }
  constexpr const OperandKind* end() const { return kinds + count; }
  constexpr OperandKind operator[](int i) const { return kinds[i]; }
};

// The kind of the word that begins at `text` and ends at a blank or the end;
// kInvalid for an unknown one.
constexpr OperandKind ParseOperand(const char* text) {
  for (int i = 1; i < kOperandKindCount; ++i) {
    const char* token = OperandToken(static_cast<OperandKind>(i));
    const char* c = text;
    while (*token != 0 && *c == *token) ++c, ++token;
    if (*token == 0 && (*c == 0 || *c == ' ')) {
      return static_cast<OperandKind>(i);
    }
  }
  return OperandKind::kInvalid;
}

// Parses words separated by single blanks. An unknown word is kInvalid; more
// words than kMax give a count of kMax + 1 (opcode.h asserts neither happens).
constexpr OperandList ParseOperands(const char* text) {
  OperandList list;
  while (*text != 0) {
    if (list.count == OperandList::kMax) {
      ++list.count;
      return list;
    }
    list.kinds[list.count++] = ParseOperand(text);
    while (*text != 0 && *text != ' ') ++text;
    if (*text == ' ') ++text;
  }
  return list;
}

constexpr bool IsKnown(const OperandList& list) {
  if (list.count > OperandList::kMax) return false;
  for (OperandKind kind : list) {
    if (kind == OperandKind::kInvalid) return false;
  }
  return true;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_OPERAND_H_
