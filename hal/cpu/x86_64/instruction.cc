// Finds the lengths of x86-64 instructions, from one letter per opcode, and
// their features, from the rows of instruction_features.def.
#include "hal/cpu/x86_64/instruction.h"

#include <algorithm>
#include <array>

#include "base/byte_reader.h"

namespace eyrie::hal::cpu {
namespace {

// The bytes after an opcode, as a letter:
//   .  nothing         m  ModRM             p  a prefix or an escape
//   b  imm8            M  ModRM, imm8       -  not an instruction
//   z  imm16 or imm32  Z  ModRM, imm16/32   w  imm16    e  imm16, imm8
//   v  imm16/32/64     o  an address        r  rel8     R  rel32
//   g  ModRM, imm8 if it is TEST            G  ModRM, imm16/32 if it is TEST
constexpr char kOneByteMap[] =
    "mmmmbz--mmmmbz-p"   // 00
    "mmmmbz--mmmmbz--"   // 10
    "mmmmbzp-mmmmbzp-"   // 20
    "mmmmbzp-mmmmbzp-"   // 30
    "pppppppppppppppp"   // 40
    "................"   // 50
    "--pmppppzZbM...."   // 60
    "rrrrrrrrrrrrrrrr"   // 70
    "MZ-Mmmmmmmmmmmmm"   // 80
    "..........-....."   // 90
    "oooo....bz......"   // A0
    "bbbbbbbbvvvvvvvv"   // B0
    "MMw.ppMZe.w..b-."   // C0
    "mmmm-p-.mmmmmmmm"   // D0
    "rrrrbbbbRR-r...."   // E0
    "p.pp..gG......mm";  // F0
constexpr char kTwoByteMap[] =
    "mmmm-.....-.-m.M"   // 0F 00
    "mmmmmmmmmmmmmmmm"   // 10
    "mmmm----mmmmmmmm"   // 20
    "......-.p-p-----"   // 30
    "mmmmmmmmmmmmmmmm"   // 40
    "mmmmmmmmmmmmmmmm"   // 50
    "mmmmmmmmmmmmmmmm"   // 60
    "MMMMmmm.mm--mmmm"   // 70
    "RRRRRRRRRRRRRRRR"   // 80
    "mmmmmmmmmmmmmmmm"   // 90
    "...mMm--...mMmmm"   // A0
    "mmmmmmmmmmMmmmmm"   // B0
    "mmMmMMMm........"   // C0
    "mmmmmmmmmmmmmmmm"   // D0
    "mmmmmmmmmmmmmmmm"   // E0
    "mmmmmmmmmmmmmmmm";  // F0
static_assert(sizeof(kOneByteMap) == 257 && sizeof(kTwoByteMap) == 257);

enum Encoding : uint8_t { kLegacy, kVex, kEvex };

// Sets of mandatory prefixes, values of W, and vector lengths, for the rows.
enum : uint8_t { PN = 1, P66 = 2, PF3 = 4, PF2 = 8, PAny = 15 };
enum : uint8_t { W0 = 1, W1 = 2, WAny = 3 };
enum : uint8_t { L1 = 2, LAny = 3 };

// The rows of instruction_features.def, expanded for look-up.
struct FeatureTable {
  // An index of `sets`. Indexed by encoding, map - 1, opcode, prefix, W,
  // length.
  uint8_t feature[3][3][256][4][2][2] = {};
  // None, then each feature alone.
  std::array<FeatureSet, kFeatureCount + 1> sets = {};
  // The prefixes with which an EVEX instruction is scalar. Indexed by map and
  // opcode.
  uint8_t scalar[7][256] = {};

  constexpr void Set(Encoding encoding, int map, int first, int last,
                     uint8_t prefixes, uint8_t w_set, uint8_t length_set,
                     Feature need) {
    for (int opcode = first; opcode <= last; ++opcode) {
      for (int i = 0; i < 16; ++i) {
        const int prefix = i >> 2, w = i >> 1 & 1, length = i & 1;
        if ((prefixes >> prefix & w_set >> w & length_set >> length & 1) == 0) {
          continue;
        }
        feature[encoding][map - 1][opcode][prefix][w][length] =
            static_cast<uint8_t>(need) + 1;
      }
    }
  }
  constexpr FeatureSet Of(Encoding encoding, int map, uint8_t opcode,
                          uint8_t prefix, bool w, int length) const {
    return sets[feature[encoding][map - 1][opcode][prefix][w][length]];
  }
  constexpr void SetScalar(int map, int first, int last, int step,
                           uint8_t prefixes) {
    for (int opcode = first; opcode <= last; opcode += step) {
      scalar[map][opcode] |= prefixes;
    }
  }
};

constexpr FeatureTable CreateFeatureTable() {
  FeatureTable table;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    table.sets[i + 1].Add(static_cast<Feature>(i));
  }
  for (int map = 1; map <= 3; ++map) {  // unless a row says more
    table.Set(kVex, map, 0, 255, PAny, WAny, LAny, Feature::kAvx);
  }
#define ROW(encoding, map, first, last, p, w, length, feature) \
  table.Set(k##encoding, map, first, last, p, w, length, Feature::k##feature);
#define SCALAR(map, first, last, step, p) \
  table.SetScalar(map, first, last, step, p);
#include "hal/cpu/x86_64/instruction_features.def"
#undef ROW
#undef SCALAR
  return table;
}

constexpr FeatureTable kFeatures = CreateFeatureTable();

// The decoder reads no further: 14 prefixes, then at most 12 bytes.
constexpr size_t kReadAhead = 32;
constexpr size_t kMaxLength = 15;

// The bytes after a ModRM byte: SIB and displacement, by the ModRM byte.
struct ModRmTails {
  uint8_t bytes[256] = {};
};

constexpr ModRmTails CreateModRmTails() {
  ModRmTails tails;
  for (int modrm = 0; modrm < 256; ++modrm) {
    const int mod = modrm >> 6;
    const int rm = modrm & 7;
    const int displacement = mod == 1                            ? 1
                             : mod == 2 || (mod == 0 && rm == 5) ? 4
                                                                 : 0;
    const int sib = mod != 3 && rm == 4 ? 1 : 0;
    tails.bytes[modrm] = static_cast<uint8_t>(sib + displacement);
  }
  return tails;
}

constexpr ModRmTails kModRmTails = CreateModRmTails();

// Returns the bytes of SIB and displacement. Without branches, most of which
// would be guessed wrong.
inline uint8_t BytesAfter(uint8_t modrm, uint8_t next) {
  const bool has_no_base = (modrm & 0xC7) == 4 && (next & 7) == 5;
  return static_cast<uint8_t>(kModRmTails.bytes[modrm] + (has_no_base ? 4 : 0));
}

bool IsVector(uint8_t opcode) {
  return opcode == 0x62 || opcode == 0xC4 || opcode == 0xC5;
}

// An instruction with a VEX or EVEX prefix, most of a kernel's. Such a prefix
// has the bits of the same fields in other places.
struct VectorInstruction {
  Encoding encoding;
  uint8_t map;  // as in Decoder
  uint8_t prefix;
  bool w;
  uint8_t width;           // 0: 128, 1: 256, 2: 512 bits
  bool broadcast = false;  // EVEX.b
  uint8_t opcode = 0;
  uint8_t modrm = 0;
  uint8_t length = 0;  // after the byte C4, C5 or 62

  bool is_known() const {
    return map >= 1 && map <= (encoding == kVex ? 3 : 6);
  }
  // Reads the instruction from its opcode, after `before` bytes.
  void Read(const uint8_t* at, uint8_t before) {
    opcode = at[0];
    modrm = at[1];
    length = static_cast<uint8_t>(before + 1);
    if (encoding == kVex && map == 1 && opcode == 0x77) return;  // VZEROALL
    length += 1 + BytesAfter(modrm, at[2]) + (HasImmediate() ? 1 : 0);
  }
  FeatureSet Needs() const;

 private:
  bool HasImmediate() const {
    // In map 1, the same opcodes have an immediate as in the legacy encoding,
    // except these.
    return map == 3 ||
           (map == 1 && kTwoByteMap[opcode] == 'M' && opcode != 0x0F &&
            opcode != 0xA4 && opcode != 0xAC && opcode != 0xBA);
  }
};

// These read the bytes after the first one.
VectorInstruction ReadVex(const uint8_t* code, uint8_t first) {
  const bool three = first == 0xC4;
  const uint8_t last = code[three ? 1 : 0];
  VectorInstruction vector = {
      .encoding = kVex,
      .map = static_cast<uint8_t>(three ? code[0] & 31 : 1),
      .prefix = static_cast<uint8_t>(last & 3),
      .w = three && (last & 0x80) != 0,
      .width = static_cast<uint8_t>(last >> 2 & 1)};
  const uint8_t before = three ? 2 : 1;
  vector.Read(code + before, before);
  return vector;
}

VectorInstruction ReadEvex(const uint8_t* code) {
  constexpr uint8_t kPrefix = 3;
  VectorInstruction vector = {.encoding = kEvex,
                              .map = static_cast<uint8_t>(code[0] & 7),
                              .prefix = static_cast<uint8_t>(code[1] & 3),
                              .w = (code[1] & 0x80) != 0,
                              .width = static_cast<uint8_t>(code[2] >> 5 & 3),
                              .broadcast = (code[2] & 0x10) != 0};
  vector.Read(code + kPrefix, kPrefix);
  return vector;
}

VectorInstruction ReadVector(const uint8_t* code, uint8_t first) {
  return first == 0x62 ? ReadEvex(code) : ReadVex(code, first);
}

inline FeatureSet VectorInstruction::Needs() const {
  FeatureSet needs =
      map > 3 ? FeatureSet()
              : kFeatures.Of(encoding, map, opcode, prefix, w, width & 1);
  if (encoding == kVex) {
    // VBROADCASTSS and VBROADCASTSD from a register need AVX2, from memory AVX.
    const bool from_register =
        map == 2 && (opcode & 0xFE) == 0x18 && modrm >> 6 == 3;
    return from_register ? FeatureSet{Feature::kAvx2} : needs;
  }
  needs = needs | FeatureSet{Feature::kAvx512F};
  if (map >= 5) needs = needs | FeatureSet{Feature::kAvx512Fp16};
  // If all operands are registers, the broadcast bit selects rounding control,
  // and the length field is the rounding mode.
  const bool is_full = width >= 2 || (broadcast && modrm >> 6 == 3);
  const bool is_scalar = (kFeatures.scalar[map][opcode] >> prefix & 1) != 0;
  if (!is_full && !is_scalar) needs = needs | FeatureSet{Feature::kAvx512Vl};
  // Shifts by bytes share this opcode with shifts by bits, but need AVX-512 BW.
  if (opcode == 0x73 && map == 1 && prefix == 1 && (modrm & 8) != 0) {
    needs = needs | FeatureSet{Feature::kAvx512Bw};
  }
  return needs;
}

// Decodes one instruction. kReadAhead bytes must be readable.
class Decoder {
 public:
  explicit Decoder(const uint8_t* code) : code_(code) {}

  Instruction Decode();

 private:
  uint8_t Peek() const { return code_[at_]; }
  uint8_t Next() { return code_[at_++]; }
  bool SkipPrefixes();  // to the opcode
  bool DecodeLegacy(uint8_t opcode);
  bool DecodeVector(uint8_t opcode);  // VEX or EVEX
  bool DecodeXop();
  void SkipModRm();
  bool SkipOperands(char letter);
  void FindFlow(uint8_t opcode);

  const uint8_t* code_;
  size_t at_ = 0;
  uint8_t map_ = 0;  // as in VEX; 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
  uint8_t opcode_ = 0;
  uint8_t prefix_ = 0;         // as in VEX; 0: none, 1: 66, 2: F3, 3: F2
  bool operand_size_ = false;  // has prefix 66
  bool address_size_ = false;  // has prefix 67
  bool w_ = false;
  uint8_t modrm_ = 0;
  size_t displacement_at_ = 0;  // of a RIP-relative operand; 0: none
  Instruction result_;
};

bool Decoder::SkipPrefixes() {
  for (; at_ < kMaxLength - 1; ++at_) {
    switch (Peek()) {
      case 0x66:
        operand_size_ = true;
        if (prefix_ == 0) prefix_ = 1;
        break;
      case 0xF3:
        prefix_ = 2;
        break;
      case 0xF2:
        prefix_ = 3;
        break;
      case 0x67:
        address_size_ = true;
        break;
      case 0x26:
      case 0x2E:
      case 0x36:
      case 0x3E:  // segments
      case 0x64:
      case 0x65:
      case 0xF0:  // and LOCK
        break;
      default:
        return true;
    }
  }
  return false;
}

void Decoder::SkipModRm() {
  modrm_ = Next();
  displacement_at_ = (modrm_ & 0xC7) == 5 ? at_ : 0;
  at_ += BytesAfter(modrm_, Peek());
}

bool Decoder::SkipOperands(char letter) {
  const size_t full = operand_size_ && !w_ ? 2 : 4;
  switch (letter) {
    case '.':
      return true;
    case 'm':
    case 'M':
    case 'Z':
    case 'g':
    case 'G':
      SkipModRm();
      if (letter == 'M') at_ += 1;
      if (letter == 'Z') at_ += full;
      if ((modrm_ >> 3 & 7) < 2) {
        if (letter == 'g') at_ += 1;
        if (letter == 'G') at_ += full;
      }
      return true;
    case 'b':
    case 'r':
      at_ += 1;
      return true;
    case 'w':
      at_ += 2;
      return true;
    case 'e':
      at_ += 3;
      return true;
    case 'z':
      at_ += full;
      return true;
    case 'v':
      at_ += w_ ? 8 : full;
      return true;
    case 'o':
      at_ += address_size_ ? 4 : 8;
      return true;
    case 'R':
      at_ += 4;
      return true;
    default:
      return false;
  }
}

bool Decoder::DecodeLegacy(uint8_t opcode) {
  if (opcode >= 0x40 && opcode < 0x50) {  // REX
    w_ = (opcode & 8) != 0;
    opcode = Next();
    // REX must be the last prefix, and VEX and EVEX do not allow it.
    if (opcode != 0x0F && kOneByteMap[opcode] == 'p') return false;
  } else if (opcode == 0xD5) {  // REX2
    const uint8_t payload = Next();
    w_ = (payload & 8) != 0;
    map_ = payload >> 7;
    opcode = Next();
    result_.needs.Add(Feature::kEgpr);
  }
  char letter;
  if (map_ == 0 && opcode == 0x0F) {
    map_ = 1;
    opcode = Next();
    if (opcode == 0x38 || opcode == 0x3A) {
      map_ = opcode == 0x38 ? 2 : 3;
      opcode = Next();
    }
  }
  letter = map_ == 0   ? kOneByteMap[opcode]
           : map_ == 1 ? kTwoByteMap[opcode]
           : map_ == 2 ? 'm'
                       : 'M';
  opcode_ = opcode;
  if (!SkipOperands(letter)) return false;
  // EXTRQ and INSERTQ have two immediate bytes.
  if (map_ == 1 && opcode == 0x78 && prefix_ != 0) at_ += 2;
  FindFlow(opcode);
  return true;
}

bool Decoder::DecodeVector(uint8_t opcode) {
  if (opcode == 0x62 && (Peek() & 7) == 4) {  // the APX forms of map 0
    map_ = 4;
    at_ += 1;
    w_ = (Peek() & 0x80) != 0;
    operand_size_ = (Peek() & 3) == 1;
    at_ += 2;
    result_.needs.Add(Feature::kEgpr);
    return SkipOperands(kOneByteMap[Next()]);
  }
  const VectorInstruction vector = ReadVector(code_ + at_, opcode);
  if (!vector.is_known()) return false;
  result_.needs = vector.Needs();
  at_ += vector.length;
  return true;
}

bool Decoder::DecodeXop() {
  const uint8_t map = Next() & 31;
  if (map > 10) return false;
  Next();
  opcode_ = Next();
  SkipModRm();
  if (map == 8) at_ += 1;
  if (map == 10) at_ += 4;
  const bool trailing_bit = map == 10 || (map == 9 && opcode_ <= 2);
  result_.needs.Add(trailing_bit ? Feature::kTbm : Feature::kXop);
  return true;
}

void Decoder::FindFlow(uint8_t opcode) {
  size_t target_size = 0;
  if (map_ == 0) {
    if ((opcode & 0xF0) == 0x70 || (opcode >= 0xE0 && opcode <= 0xE3)) {
      result_.flow = Flow::kBranch;
      target_size = 1;
    } else if (opcode == 0xE8 || opcode == 0xE9) {
      result_.flow = opcode == 0xE8 ? Flow::kCall : Flow::kJump;
      target_size = 4;
    } else if (opcode == 0xEB) {
      result_.flow = Flow::kJump;
      target_size = 1;
    } else if (opcode == 0xC2 || opcode == 0xC3 || opcode == 0xF4) {
      result_.flow = Flow::kStop;
    } else if (opcode == 0xFF && (modrm_ >> 3 & 6) == 2) {
      result_.flow = Flow::kCall;  // through a register or memory
    } else if (opcode == 0xFF && (modrm_ >> 3 & 6) == 4) {
      result_.flow = Flow::kSwitch;  // through a register or memory
    } else if (opcode == 0xCC || opcode == 0x90) {
      result_.flow = opcode == 0xCC ? Flow::kTrap : Flow::kPadding;
    } else if (opcode == 0x8D && displacement_at_ != 0) {
      result_.has_target = true;
      result_.target = LoadLittleEndian<int32_t>(code_ + displacement_at_);
    }
  } else if (map_ == 1) {
    if ((opcode & 0xF0) == 0x80) {
      result_.flow = Flow::kBranch;
      target_size = 4;
    } else if (opcode == 0x0B) {
      result_.flow = Flow::kStop;
    } else if (opcode == 0x1F) {
      result_.flow = Flow::kPadding;
    }
  }
  if (target_size == 0) return;
  const uint8_t* target = code_ + at_ - target_size;
  result_.has_target = true;
  result_.target = target_size == 1 ? LoadLittleEndian<int8_t>(target)
                                    : LoadLittleEndian<int32_t>(target);
}

Instruction Decoder::Decode() {
  if (!SkipPrefixes()) return Instruction();
  const uint8_t opcode = Next();
  bool known;
  if (IsVector(opcode)) {
    known = DecodeVector(opcode);
  } else if (opcode == 0x8F && (Peek() & 31) >= 8) {
    known = DecodeXop();
  } else {
    known = DecodeLegacy(opcode);
    if (map_ >= 1 && map_ <= 3) {
      result_.needs =
          result_.needs | kFeatures.Of(kLegacy, map_, opcode_, prefix_, w_, 0);
    }
  }
  if (!known || at_ > kMaxLength) return Instruction();
  result_.length = static_cast<uint8_t>(at_);
  return result_;
}

// Apart from DecodeX86, whose frame stays small.
[[gnu::flatten, gnu::noinline]] Instruction DecodeOther(const uint8_t* code) {
  return Decoder(code).Decode();
}

[[gnu::noinline]] Instruction DecodeLast(std::span<const uint8_t> code,
                                         uint64_t address) {
  uint8_t padded[kReadAhead] = {};
  std::copy(code.begin(), code.end(), padded);
  const Instruction instruction = DecodeX86(padded, address);
  return instruction.length <= code.size() ? instruction : Instruction();
}

}  // namespace

[[gnu::flatten]] Instruction DecodeX86(std::span<const uint8_t> code,
                                       uint64_t address) {
  if (code.size() < kReadAhead) return DecodeLast(code, address);
  const uint8_t first = code[0];
  if (!IsVector(first)) return DecodeOther(code.data());
  const VectorInstruction vector = ReadVector(code.data() + 1, first);
  if (!vector.is_known() || vector.map == 4) return DecodeOther(code.data());
  Instruction instruction;
  instruction.needs = vector.Needs();
  instruction.length = static_cast<uint8_t>(vector.length + 1);
  return instruction;
}

}  // namespace eyrie::hal::cpu
