// The kinds of operands, and how each is encoded.
//
// opcodes.def writes them as words ("i r.move regs"), which ParseOperands reads
// at compile time. All numbers are little-endian. A counted list (of registers,
// segments or remaps) begins with a u16 count at an even offset from the start
// of the function. Nothing else is aligned.
// Tested by opcode_test.cc.
#ifndef EYRIE_VM_ISA_OPERAND_H_
#define EYRIE_VM_ISA_OPERAND_H_

#include <cstdint>

namespace eyrie::vm {

enum class OperandKind : uint8_t {
  kInvalid,
  // One register: u16.
  kI32,
  kI64,  // an even register; the value uses it and the next
  kF32,
  kF64,  // like kI64
  kRef,
  // A ref that is taken from its register if the register has the move bit. As
  // a result: the bit removes the ref from the list or global that it is read
  // from.
  kRefMove,
  // Registers: u16 count, then u16 each.
  kI32List,
  kI64List,
  kF32List,
  kF64List,
  kRefList,  // each may have the move bit
  kRegList,  // of any bank; refs may have the move bit
  // Constants.
  kImmI32,
  kImmI64,
  kImmF32,
  kImmF64,
  kString,  // u16 length, then the bytes; not terminated
  // Indices into the module's tables, as u32.
  kGlobalI32,  // byte offset, not aligned, of a global of 4 bytes
  kGlobalI64,  // of 8 bytes
  kGlobalF32,
  kGlobalF64,
  kGlobalRef,  // ordinal of a global ref
  kRodata,
  kType,
  kFunc,      // a function, or an import if kImportBit is set
  kImport,    // an import; kImportBit must be set
  kSegments,  // u16 count, then u16 per argument of the callee; see below
  // Control flow.
  kBlock,  // u32: byte offset from the start of the function
  kRemap,  // u16 count, then pairs of u16: from register, to register
  kCases,  // u16 count, then pairs of kBlock and kRemap
};
// kSegments: the number of tuples for an argument that is a variadic span;
// ignored for any other argument.
inline constexpr int kOperandKindCount =
    static_cast<int>(OperandKind::kCases) + 1;

// An encoded register: the top bit tells its bank; for refs, the next bit tells
// whether to move it. An i64 or f64 is named by the first register of its pair.
// It is one entry in lists of a call or return, but two moves in a remap.
inline constexpr uint16_t kRefBit = 0x8000;
inline constexpr uint16_t kMoveBit = 0x4000;
inline constexpr uint16_t kRefMask = 0x3FFF;
inline constexpr uint32_t kMaxI32Registers = 0x7FFF;
inline constexpr uint32_t kMaxRefRegisters = 0x3FFF;
inline constexpr uint32_t kImportBit = 0x80000000u;

constexpr bool IsRefRegister(uint16_t reg) { return (reg & kRefBit) != 0; }
constexpr bool IsMove(uint16_t reg) { return (reg & kMoveBit) != 0; }
constexpr uint16_t RefIndex(uint16_t reg) { return reg & kRefMask; }

// Returns the word for a kind, as used in opcodes.def; null for kInvalid.
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

// Returns the operand's size in bytes, or 0 if it varies.
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
// Reports whether the operand is a counted list at an even offset.
constexpr bool IsAlignedList(OperandKind kind) {
  return IsRegisterList(kind) || kind == OperandKind::kSegments ||
         kind == OperandKind::kRemap;
}

// Reports whether a register, or each one of a list, is an even pair.
constexpr bool IsWide(OperandKind kind) {
  return kind == OperandKind::kI64 || kind == OperandKind::kF64 ||
         kind == OperandKind::kI64List || kind == OperandKind::kF64List;
}

// Returns where an aligned list begins, given an offset in the function.
constexpr uint32_t AlignToList(uint32_t offset) { return (offset + 1) & ~1u; }

// The kinds of an instruction's operands or results, in the order of encoding.
struct OperandList {
  static constexpr int kMax = 6;
  uint8_t count = 0;
  OperandKind kinds[kMax] = {};

  constexpr const OperandKind* begin() const { return kinds; }
  constexpr const OperandKind* end() const { return kinds + count; }
  constexpr OperandKind operator[](int i) const { return kinds[i]; }
};

// Returns the kind of the word that begins at `text` and ends at a blank or
// NUL; kInvalid if the word is unknown.
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

// Parses words separated by single blanks. Unknown words become kInvalid. If
// there are more than kMax words, count is kMax + 1. opcode.h asserts that
// neither occurs.
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
