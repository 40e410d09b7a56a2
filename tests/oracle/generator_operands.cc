// Random instructions that compute, and their operands.
// Tested by random_programs_test.cc.
#include <bit>
#include <utility>

#include "absl/strings/match.h"
#include "tests/oracle/generator.h"
#include "tests/oracle/test_module.h"

namespace eyrie::tests {

using vm::Op;
using vm::OperandKind;
using vm::ValueType;

namespace {

constexpr uint64_t kIntegers[] = {
    0,          1,          2,          3,          7,          31,
    32,         33,         63,         64,         0x7F,       0x80,
    0xFF,       0x7FFF,     0x8000,     0xFFFF,     1u << 24,   0x7FFFFFFF,
    0x80000000, 0xFFFFFFFF, 0x80000001, 0xFFFFFFFE, 1u << 30,   0x100000000,
    ~0ull,      ~1ull,      1ull << 53, 1ull << 62, 1ull << 63, ~0ull >> 1};
constexpr double kFloats[] = {
    0.0,    -0.0,   0.5,     -0.5,   1.0,    -1.0,   1.5,
    2.5,    -2.5,   3.25,    10.0,   1e-3,   0.1,    -7.75,
    255.5,  65536,  1e9,     -1e9,   1e-40,  1e30,   1e300,
    1e-300, 0x1p31, -0x1p31, 0x1p32, 0x1p63, 0x1p64, 4503599627370497.5};
// Infinities, quiet and signalling NaNs with payloads, and subnormals.
constexpr uint64_t kOddF32[] = {0x7F800000, 0xFF800000, 0x7FC00000,
                                0xFFC00000, 0x7FC12345, 0x7F812345,
                                0xFFBFFFFF, 0x00000001, 0x807FFFFF};
constexpr uint64_t kOddF64[] = {
    0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
    0xFFF8000000000000, 0x7FF8123456789ABC, 0x7FF0123456789ABC,
    0xFFF7FFFFFFFFFFFF, 0x0000000000000001, 0x800FFFFFFFFFFFFF};
// Values that fit in an integer, with fractions to round.
constexpr double kModest[] = {0,     0.25, 0.5, 1.5, 2.5,
                              -0.25, 3.75, 100, 1e4, 16777215.5};
constexpr const char* kTexts[] = {"", "a", "text", "assert"};

uint64_t BitsF32(double value) {
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

// Reports whether the result's bits do not depend on the processor, even if it
// is a NaN.
bool KeepsNans(const vm::OpInfo& info) {
  for (const char* prefix :
       {"abs.", "neg.", "min.", "max.", "select.", "switch."}) {
    if (absl::StartsWith(info.text, prefix)) return true;
  }
  return false;
}

bool IsFloat(OperandKind kind) {
  return kind == OperandKind::kF32 || kind == OperandKind::kF64;
}

}  // namespace

bool FunctionGenerator::StartsWith(const vm::OpInfo& info,
                                   const char* prefix) const {
  return absl::StartsWith(info.text, prefix);
}

uint16_t FunctionGenerator::General(OperandKind kind) {
  const bool wide = vm::IsWide(kind);
  return static_cast<uint16_t>(wide ? 2 * random_.Below(kGeneral / 2)
                                    : random_.Below(kGeneral));
}
uint16_t FunctionGenerator::General(ValueType type) {
  return General(vm::IsWide(type) ? OperandKind::kI64 : OperandKind::kI32);
}

uint16_t FunctionGenerator::Role(RefRole role) {
  const uint32_t count = role == kLists ? 3 : role > kLists ? 1 : 4;
  return static_cast<uint16_t>((role + random_.Below(count)) | vm::kRefBit);
}
uint16_t FunctionGenerator::AnyRef() {
  return static_cast<uint16_t>(random_.Below(kRefCount) | vm::kRefBit);
}
// Sets the move bit on some refs, also where it has no effect.
uint16_t FunctionGenerator::MaybeMove(uint16_t reg) {
  const bool move = random_.OneIn(vm::RefIndex(reg) < kBuffers ? 4 : 12);
  return static_cast<uint16_t>(reg | (move ? vm::kMoveBit : 0));
}

uint64_t FunctionGenerator::Interesting(OperandKind kind) {
  const bool wide =
      kind == OperandKind::kImmI64 || kind == OperandKind::kImmF64;
  const uint64_t mask = wide ? ~uint64_t{0} : 0xFFFFFFFF;
  switch (random_.Below(8)) {
    case 0:
      return random_.Bits() & mask;
    case 1:
      return random_.Below(16);
    case 2:
      return wide ? random_.Of(kOddF64) : random_.Of(kOddF32);
    case 3:
    case 4: {
      const double value = random_.Of(kFloats);
      return wide ? std::bit_cast<uint64_t>(value) : BitsF32(value);
    }
    default:
      return random_.Of(kIntegers) & mask;
  }
}

// Creates an object for the register's role.
void FunctionGenerator::Refill(uint16_t reg) {
  const uint16_t index = vm::RefIndex(reg);
  const uint16_t to = index | vm::kRefBit;
  if (index < kBuffers) return;
  if (index < kLists) return Emit(Op::kBufferAlloc, {kLength, kAlignment, to});
  static constexpr uint32_t kListTypes[] = {kTypeVariant, kTypeBuffer,
                                            kTypeList};
  const uint32_t type = index == kNumberList ? random_.Below(kTypeVariant)
                                             : kListTypes[index - kVariantList];
  Emit(Op::kListAlloc, {type, kSmall, to});
  Emit(Op::kListResize, {to, kSize});
}

void FunctionGenerator::RefillMoved(const Instruction& in) {
  auto refill = [&](uint16_t reg) {
    if (vm::IsRefRegister(reg) && vm::IsMove(reg) && !random_.OneIn(16)) {
      Refill(reg);
    }
  };
  for (const Operand& operand : in.operands) {
    if (operand.kind == OperandKind::kRefMove) refill(operand.reg());
    if (operand.kind == OperandKind::kRegList ||
        operand.kind == OperandKind::kRefList) {
      for (uint16_t reg : operand.list) refill(reg);
    }
  }
}

// Returns an operand: a small number for an index or size, else any value.
Operand FunctionGenerator::NumberOperand(const vm::OpInfo& info, uint32_t index,
                                         OperandKind kind) {
  Operand operand = {kind, General(kind), {}, {}, {}};
  const bool last = index + 1 == info.reads.count;
  const bool value = last && (absl::StrContains(info.text, ".store") ||
                              absl::StrContains(info.text, ".fill") ||
                              absl::StrContains(info.text, ".set."));
  const bool places =
      StartsWith(info, "list.") || StartsWith(info, "buffer.") ||
      StartsWith(info, "global.") ||
      (index == 0 &&
       (StartsWith(info, "switch.") || StartsWith(info, "br_table")));
  if (!places || value || IsFloat(kind)) return operand;
  if (info.op == Op::kBufferAlloc) {
    operand.bits = kind == OperandKind::kI64 ? kLength : kAlignment;
  } else if (kind == OperandKind::kI64) {
    if (!random_.OneIn(48)) operand.bits = kSmallWide + 2 * random_.Below(4);
  } else if (!random_.OneIn(48) || info.op == Op::kListAlloc ||
             info.op == Op::kListReserve || info.op == Op::kListResize ||
             info.op == Op::kBufferClone) {
    operand.bits = kSmall + random_.Below(4);
  }
  return operand;
}

// Returns registers for a list. Each ref may be moved.
FunctionGenerator::Regs FunctionGenerator::RandomList(OperandKind kind) {
  Regs list;
  const bool refs =
      kind == OperandKind::kRefList || kind == OperandKind::kRegList;
  for (uint32_t i = random_.Below(refs ? 4 : 5); i > 0; --i) {
    if (refs) {
      list.push_back(MaybeMove(random_.OneIn(4) ? AnyRef() : Role(kAny)));
    }
    if (kind != OperandKind::kRefList) list.push_back(General(kind));
  }
  return list;
}

uint64_t FunctionGenerator::RandomPlace(OperandKind kind) {
  switch (kind) {
    case OperandKind::kGlobalI32:
    case OperandKind::kGlobalF32:
      return random_.Below(kGlobalBytes - 3);
    case OperandKind::kGlobalI64:
    case OperandKind::kGlobalF64:
      return random_.Below(kGlobalBytes - 7);
    case OperandKind::kGlobalRef:
      return random_.Below(kGlobalRefs);
    case OperandKind::kRodata:
      return random_.Below(kRodataCount);
    case OperandKind::kType:
      return random_.Below(kTypeCount);
    case OperandKind::kImport: {
      const auto count = static_cast<uint32_t>(ImportedFunctions().size());
      return random_.Below(count + 1) | vm::kImportBit;
    }
    default:
      return Interesting(kind);
  }
}

Operand FunctionGenerator::RandomOperand(const vm::OpInfo& info, uint32_t index,
                                         OperandKind kind) {
  Operand operand = {kind, 0, {}, {}, {}};
  if (kind == OperandKind::kRef || kind == OperandKind::kRefMove) {
    operand.bits = AnyRef();
  } else if (vm::IsRegister(kind)) {
    return NumberOperand(info, index, kind);
  } else if (vm::IsRegisterList(kind)) {
    operand.list = RandomList(kind);
  } else if (kind == OperandKind::kString) {
    operand.text = random_.Of(kTexts);
  } else {
    operand.bits = RandomPlace(kind);
  }
  return operand;
}

void FunctionGenerator::EmitRandom(const vm::OpInfo& info) {
  if (absl::StrContains(info.text, "call")) {
    return EmitCall(/*yieldable=*/false, current_);
  }
  Instruction in;
  in.info = &info;
  for (OperandKind kind : info.reads) {
    in.operands.push_back(
        RandomOperand(info, static_cast<uint32_t>(in.operands.size()), kind));
  }
  for (OperandKind kind : info.writes) {
    Operand& result = in.operands.emplace_back();
    result.kind = kind;
    const bool ref = kind == OperandKind::kRef || kind == OperandKind::kRefMove;
    result.bits = ref ? Role(kAny) : General(kind);
  }
  PrepareOperands(in);
  ChooseRefs(in);
  const Instruction copy = in;
  Put(std::move(in));
  RefillMoved(copy);
  Canonicalize(copy);
}

// Sets registers so that the instruction usually succeeds.
void FunctionGenerator::PrepareOperands(Instruction& in) {
  const vm::OpInfo& info = *in.info;
  auto set = [&](const Operand& operand, uint64_t bits) {
    const bool wide = operand.wide();
    Emit(wide ? Op::kConstI64 : Op::kConstI32, {bits, operand.bits});
  };
  const bool divides = info.has(vm::kDivides);
  if (divides && !random_.OneIn(24)) {
    const bool wide = in.operands[1].wide();
    const uint64_t divisor =
        Interesting(wide ? OperandKind::kImmI64 : OperandKind::kImmI32);
    // Not 0, and rarely -1.
    set(in.operands[1], divisor | (random_.OneIn(2) ? 1 : 4));
  }
  const bool casts = StartsWith(info, "cast.f") && info.writes.count == 1;
  if (casts && !random_.OneIn(24)) {
    const double value = random_.Of(kModest);
    set(in.operands[0], in.operands[0].wide() ? std::bit_cast<uint64_t>(value)
                                              : BitsF32(value));
  }
  if (info.op == Op::kBufferAlloc) {
    static constexpr uint64_t kLengths[] = {0, 1, 7, 8, 32, 33, 64, 100};
    static constexpr uint64_t kAlignments[] = {0, 1, 2, 16, 64, 4096};
    in.operands[0].bits = General(OperandKind::kI64);
    set(in.operands[0],
        random_.OneIn(24) ? ~uint64_t{0} : random_.Of(kLengths));
    in.operands[1].bits = kScratch;
    set(in.operands[1], random_.OneIn(24) ? 24 : random_.Of(kAlignments));
  }
  if (info.op == Op::kBufferClone && !random_.OneIn(12)) {
    in.operands[3].bits = kAlignment;
  }
  if (info.op == Op::kListResize && !random_.OneIn(4)) {
    in.operands[1].bits = kSize;
  }
  const bool sized = info.op == Op::kListAlloc || info.op == Op::kListReserve ||
                     info.op == Op::kListResize;
  if (sized && random_.OneIn(24)) {
    in.operands[1].bits = kScratch;
    set(in.operands[1], random_.OneIn(2) ? 0x10000001 : 0xFFFFFFFF);
  }
}

bool FunctionGenerator::MakesNans(const vm::OpInfo& info) const {
  if (info.writes.count != 1 || !IsFloat(info.writes[0])) return false;
  bool computed = false;
  for (OperandKind kind : info.reads) computed |= IsFloat(kind);
  return computed && !KeepsNans(info);
}

// Replaces a computed NaN, because its bits depend on the processor.
void FunctionGenerator::Canonicalize(const Instruction& in) {
  if (!MakesNans(*in.info)) return;
  const uint64_t reg = in.result().bits;
  if (in.result().kind == OperandKind::kF32) {
    Emit(Op::kCmpNanF32, {reg, kScratch});
    Emit(Op::kSelectF32, {kScratch, kNan32, reg, reg});
  } else {
    Emit(Op::kCmpNanF64, {reg, kScratch});
    Emit(Op::kSelectF64, {kScratch, kNan64, reg, reg});
  }
}

}  // namespace eyrie::tests
