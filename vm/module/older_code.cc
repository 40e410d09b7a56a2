// Copies each function's instructions, and changes those that differ.
#include "vm/module/older_code.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/status_macros.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/isa/release.h"
#include "vm/isa/version.h"

namespace eyrie::vm {
namespace {

using OffsetPair = std::pair<uint32_t, uint32_t>;  // in the file, rewritten

constexpr char kMemory[] = "the rewritten functions of a module";
constexpr uint32_t kFunctionAlignment = 8;  // also pads functions in the file

// Returns the binary logarithm of the size of the elements that an instruction
// fills; 0 for any other instruction.
uint32_t FillShift(Op op) {
  switch (op) {
    case Op::kBufferFillI16:
      return 1;
    case Op::kBufferFillI32:
    case Op::kBufferFillF32:
      return 2;
    case Op::kBufferFillI64:
    case Op::kBufferFillF64:
      return 3;
    default:
      return 0;
  }
}

bool LacksAlignment(Op op) {
  return op == Op::kBufferAlloc || op == Op::kBufferClone;
}

// A function's registers in a call or a return, as letters of a convention. The
// widths are not known: the runtimes of bytecode 13 pass 32 bits for each.
std::string Letters(std::span<const uint8_t> list) {
  std::string letters;
  for (size_t i = 2; i < list.size(); i += 2) {
    const auto reg = LoadLittleEndian<uint16_t>(list.data() + i);
    letters += IsRefRegister(reg) ? 'r' : 'i';
  }
  return letters.empty() ? "v" : letters;
}

class Rewriter {
 public:
  Rewriter(std::span<const OlderFunction> functions, OlderCode& to)
      : functions_(functions), to_(to) {}

  absl::Status RewriteAll();

 private:
  absl::Status RewriteFunction();
  absl::Status RewriteBody();
  absl::Status RewriteInstruction();
  absl::Status ReadOp();
  absl::Status CopyOperand(OperandKind kind, bool written);
  absl::Status WriteFill();
  absl::Status FixTargets();
  void NoteSignatures();
  void SetConventions();
  // Reports whether only the padding of the function is left.
  bool AtPadding() const;

  absl::StatusOr<std::span<const uint8_t>> Take(uint64_t size) {
    if (size > code_.size() - pc_) {
      return absl::OutOfRangeError(
          absl::StrCat("An instruction runs past the end of the function (",
                       code_.size(), " bytes)."));
    }
    pc_ += static_cast<uint32_t>(size);
    return code_.subspan(pc_ - size, size);
  }
  template <typename T>
  absl::StatusOr<T> TakeValue() {
    ASSIGN_OR_RETURN(const auto bytes, Take(sizeof(T)));
    return LoadLittleEndian<T>(bytes.data());
  }

  absl::Status Put(std::span<const uint8_t> bytes) {
    RETURN_IF_ERROR(ReserveMore(to_.bytecode, bytes.size(), kMemory));
    to_.bytecode.insert(to_.bytecode.end(), bytes.begin(), bytes.end());
    return absl::OkStatus();
  }
  template <typename T>
  absl::Status PutValue(T value) {
    uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    return Put(bytes);
  }
  absl::Status PutOp(const OpInfo& op) {
    if (op.set != OpSet::kCore) {
      RETURN_IF_ERROR(
          PutValue(op.set == OpSet::kF32 ? kPrefixF32 : kPrefixF64));
    }
    return PutValue(op.code);
  }
  absl::Status PutConst(uint32_t value, uint16_t reg) {
    RETURN_IF_ERROR(PutOp(InfoOf(Op::kConstI32)));
    RETURN_IF_ERROR(PutValue(value));
    return PutValue(reg);
  }
  absl::Status PutZeros(size_t count) {
    constexpr uint8_t kZeros[kFunctionAlignment] = {};
    return Put(std::span(kZeros).first(count));
  }
  uint32_t written() const {
    return static_cast<uint32_t>(to_.bytecode.size() - start_);
  }
  // Returns a register after those that the function may use, which are as many
  // as it declares, rounded up to a power of two. Up to kMostScratch follow;
  // the first is even.
  uint16_t Scratch() {
    scratch_ = true;
    const uint32_t used =
        std::min(std::bit_ceil(uint32_t{functions_[ordinal_].i32_registers}),
                 uint32_t{kMaxI32Registers});
    return static_cast<uint16_t>((used + 1) & ~1u);
  }
  static constexpr uint16_t kMostScratch = 6;

  struct Signature {
    std::string arguments;
    std::string results;
  };

  const std::span<const OlderFunction> functions_;
  OlderCode& to_;
  std::vector<Signature> called_;      // by function; empty if it is not called
  std::vector<std::string> returned_;  // by function

  // The current function.
  uint32_t ordinal_ = 0;
  OlderCode::Function* function_ = nullptr;
  std::span<const uint8_t> code_;
  uint32_t pc_ = 0;
  size_t start_ = 0;  // in to_.bytecode
  bool scratch_ = false;
  std::vector<OffsetPair> blocks_;   // ascending
  std::vector<OffsetPair> targets_;  // target in the file, place to write

  // The current instruction.
  uint32_t at_ = 0;
  const OpInfo* op_ = nullptr;
  uint32_t callee_ = 0;
  std::span<const uint8_t> lists_[2];  // registers that it reads, writes
};

bool Rewriter::AtPadding() const {
  const auto rest = code_.subspan(pc_);
  return pc_ != 0 && rest.size() < kFunctionAlignment &&
         std::ranges::all_of(rest, [](uint8_t byte) { return byte == 0; });
}

absl::Status Rewriter::ReadOp() {
  ASSIGN_OR_RETURN(uint8_t code, TakeValue<uint8_t>());
  OpSet set = OpSet::kCore;
  if (code == kPrefixF32 || code == kPrefixF64) {
    set = code == kPrefixF32 ? OpSet::kF32 : OpSet::kF64;
    function_->requirements |= code == kPrefixF32 ? kFeatureF32 : kFeatureF64;
    ASSIGN_OR_RETURN(code, TakeValue<uint8_t>());
  }
  op_ = FindOp(set, code);
  if (op_ != nullptr && op_->since <= k20230228) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("Code 0x", absl::Hex(code), " of the ", OpSetName(set),
                   " set is not an instruction of bytecode 13."));
}

absl::Status Rewriter::CopyOperand(OperandKind kind, bool is_written) {
  if (IsAlignedList(kind)) {
    RETURN_IF_ERROR(Take(AlignToList(pc_) - pc_).status());
    RETURN_IF_ERROR(PutZeros(AlignToList(written()) - written()));
    const uint32_t begin = pc_;
    ASSIGN_OR_RETURN(const auto count, TakeValue<uint16_t>());
    const uint32_t width = kind == OperandKind::kRemap ? 2 : 1;
    RETURN_IF_ERROR(Take(uint64_t{count} * width * 2).status());
    const auto list = code_.subspan(begin, pc_ - begin);
    if (IsRegisterList(kind)) lists_[is_written] = list;
    return Put(list);
  }
  if (kind == OperandKind::kString) {
    ASSIGN_OR_RETURN(const auto size, TakeValue<uint16_t>());
    RETURN_IF_ERROR(PutValue(size));
    ASSIGN_OR_RETURN(const auto bytes, Take(size));
    return Put(bytes);
  }
  if (FixedSize(kind) == 0) {
    return absl::InternalError(absl::StrCat(
        op_->text, " has an operand that bytecode 13 does not have."));
  }
  ASSIGN_OR_RETURN(const auto bytes, Take(FixedSize(kind)));
  if (kind == OperandKind::kFunc) {
    callee_ = LoadLittleEndian<uint32_t>(bytes.data());
  } else if (kind == OperandKind::kBlock) {
    RETURN_IF_ERROR(PushBack(
        targets_,
        OffsetPair(LoadLittleEndian<uint32_t>(bytes.data()), written()),
        kMemory));
  }
  return Put(bytes);
}

// The offset and the length are divided by the size of an element, as the
// runtimes of bytecode 13 do.
absl::Status Rewriter::WriteFill() {
  const uint16_t scratch = Scratch();
  ASSIGN_OR_RETURN(const auto buffer, TakeValue<uint16_t>());
  const uint16_t shift = scratch + 4;
  RETURN_IF_ERROR(PutConst(FillShift(op_->op), shift));
  for (const uint16_t to : {scratch, static_cast<uint16_t>(scratch + 2)}) {
    ASSIGN_OR_RETURN(const auto bytes, TakeValue<uint16_t>());
    RETURN_IF_ERROR(PutOp(InfoOf(Op::kShrI64U)));
    for (const uint16_t reg : {bytes, shift, to}) {
      RETURN_IF_ERROR(PutValue(reg));
    }
  }
  ASSIGN_OR_RETURN(const auto value, TakeValue<uint16_t>());
  RETURN_IF_ERROR(PutOp(*op_));
  for (const uint16_t reg :
       {buffer, scratch, static_cast<uint16_t>(scratch + 2), value}) {
    RETURN_IF_ERROR(PutValue(reg));
  }
  return absl::OkStatus();
}

void Rewriter::NoteSignatures() {
  if (op_->op == Op::kReturn && returned_[ordinal_].empty()) {
    returned_[ordinal_] = Letters(lists_[0]);
  }
  if (op_->op != Op::kCall || callee_ >= called_.size()) return;
  Signature& signature = called_[callee_];
  if (signature.arguments.empty()) {
    signature = {Letters(lists_[0]), Letters(lists_[1])};
  }
}

absl::Status Rewriter::RewriteInstruction() {
  RETURN_IF_ERROR(ReadOp());
  if (FillShift(op_->op) != 0) return WriteFill();
  const bool aligns = LacksAlignment(op_->op);
  if (aligns) RETURN_IF_ERROR(PutConst(0, Scratch()));
  RETURN_IF_ERROR(PutOp(*op_));
  for (int i = 0; i < op_->reads.count - aligns; ++i) {
    RETURN_IF_ERROR(CopyOperand(op_->reads[i], false));
  }
  if (aligns) RETURN_IF_ERROR(PutValue(Scratch()));
  for (const OperandKind kind : op_->writes) {
    RETURN_IF_ERROR(CopyOperand(kind, true));
  }
  NoteSignatures();
  return absl::OkStatus();
}

absl::Status Rewriter::RewriteBody() {
  auto& offsets = function_->offsets;
  bool ended = true;
  while (pc_ < code_.size() && !(ended && AtPadding())) {
    at_ = pc_;
    if (ended) {
      RETURN_IF_ERROR(PushBack(blocks_, OffsetPair(at_, written()), kMemory));
      RETURN_IF_ERROR(PutOp(InfoOf(Op::kBlock)));
    }
    RETURN_IF_ERROR(PushBack(offsets, OffsetPair(at_, written()), kMemory));
    RETURN_IF_ERROR(RewriteInstruction());
    ended = op_->has(kEnds);
  }
  return FixTargets();
}

absl::Status Rewriter::FixTargets() {
  for (const auto& [target, place] : targets_) {
    const auto block = std::ranges::lower_bound(blocks_, OffsetPair(target, 0));
    if (block == blocks_.end() || block->first != target) {
      return absl::InvalidArgumentError(
          absl::StrCat("A branch leads to 0x", absl::Hex(target),
                       ", where no block begins."));
    }
    std::memcpy(to_.bytecode.data() + start_ + place, &block->second,
                sizeof(uint32_t));
  }
  return absl::OkStatus();
}

absl::Status Rewriter::RewriteFunction() {
  function_ = &to_.functions[ordinal_];
  code_ = functions_[ordinal_].code;
  pc_ = at_ = 0;
  scratch_ = false;
  blocks_.clear();
  targets_.clear();
  RETURN_IF_ERROR(PutZeros(-to_.bytecode.size() & (kFunctionAlignment - 1)));
  start_ = to_.bytecode.size();
  if (absl::Status status = RewriteBody(); !status.ok()) {
    return Annotate(
        status, absl::StrCat("(at @", ordinal_, "+0x", absl::Hex(at_), ")"));
  }
  const uint32_t registers = scratch_ ? uint32_t{Scratch()} + kMostScratch
                                      : functions_[ordinal_].i32_registers;
  if (registers > kMaxI32Registers) {
    return absl::OutOfRangeError(
        absl::StrCat("Function ", ordinal_, " needs ", registers,
                     " i32 registers once it is rewritten; the limit is ",
                     kMaxI32Registers, "."));
  }
  if (to_.bytecode.size() > INT32_MAX) {
    return absl::ResourceExhaustedError(
        "The functions take more than 2 GiB once they are rewritten.");
  }
  function_->offset = static_cast<uint32_t>(start_);
  function_->size = written();
  function_->block_count = static_cast<uint16_t>(blocks_.size());
  function_->i32_registers = static_cast<uint16_t>(registers);
  return absl::OkStatus();
}

void Rewriter::SetConventions() {
  for (size_t i = 0; i < functions_.size(); ++i) {
    const auto& [arguments, results] = called_[i];
    to_.functions[i].convention =
        arguments.empty()
            ? absl::StrCat("0v_", returned_[i].empty() ? "v" : returned_[i])
            : absl::StrCat("0", arguments, "_", results);
  }
}

absl::Status Rewriter::RewriteAll() {
  const size_t count = functions_.size();
  RETURN_IF_ERROR(Resize(called_, count, kMemory));
  RETURN_IF_ERROR(Resize(returned_, count, kMemory));
  RETURN_IF_ERROR(Resize(to_.functions, count, kMemory));
  for (ordinal_ = 0; ordinal_ < count; ++ordinal_) {
    RETURN_IF_ERROR(RewriteFunction());
  }
  SetConventions();
  return absl::OkStatus();
}

}  // namespace

uint32_t OlderCode::OffsetOf(uint32_t function, uint32_t offset) const {
  const auto& pairs = functions[function].offsets;
  const auto found = std::ranges::lower_bound(pairs, OffsetPair(offset, 0));
  return found == pairs.end() ? UINT32_MAX : found->second;
}

absl::StatusOr<std::shared_ptr<const OlderCode>> RewriteOlderCode(
    std::span<const OlderFunction> functions) {
  auto code = std::make_shared<OlderCode>();
  RETURN_IF_ERROR(Rewriter(functions, *code).RewriteAll());
  return code;
}

}  // namespace eyrie::vm
