// Walks every function by the operand kinds of opcodes.def.
#include "vm/module/function_verifier.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/isa/value.h"
#include "vm/isa/version.h"
#include "vm/module/argument_watch.h"
#include "vm/module/verifier_flow.h"

namespace eyrie::vm {
namespace {

ValueType TypeOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI64:
    case OperandKind::kI64List:
      return ValueType::kI64;
    case OperandKind::kF32:
    case OperandKind::kF32List:
      return ValueType::kF32;
    case OperandKind::kF64:
    case OperandKind::kF64List:
      return ValueType::kF64;
    case OperandKind::kRef:
    case OperandKind::kRefMove:
    case OperandKind::kRefList:
      return ValueType::kRef;
    default:
      return ValueType::kI32;
  }
}

}  // namespace

absl::Status FunctionVerifier::PastEnd() const {
  return absl::OutOfRangeError(absl::StrCat(
      op_ != nullptr ? op_->text : "An instruction",
      " runs past the end of the function (", code_.size(), " bytes)."));
}

absl::StatusOr<ArgumentLayout> FunctionVerifier::Verify(
    uint32_t ordinal, const RegisterLimits& limits) {
  function_ = &def_.functions[ordinal];
  signature_ = &signatures_[ordinal];
  limits_ = limits;
  watch_.Reset(*signature_, limits_.i32,
               def_.bytecode_version->arguments_may_fill_gaps);
  code_ = function_->bytecode;
  pc_ = start_ = 0;
  op_ = nullptr;
  in_block_ = false;
  RETURN_IF_ERROR(blocks_.Reset(code_.size()));
  absl::Status status = CheckFrame();
  if (status.ok()) status = CheckBody();
  if (status.ok()) return watch_.layout();
  return Annotate(status, absl::StrCat("(at ", PlainName(def_.name), ".",
                                       PlainName(def_.FunctionName(ordinal)),
                                       "+0x", absl::Hex(start_), ")"));
}

absl::Status FunctionVerifier::CheckFrame() {
  if (signature_->is_variadic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The function takes a variadic span, ",
                     signature_->ToString(), "; only imports may."));
  }
  RegisterCounts needed = signature_->argument_registers();
  if (watch_.active()) needed = watch_.needed();
  if (needed.i32 > limits_.i32 || needed.ref > limits_.ref) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The arguments ", signature_->ToString(), " need ", needed.i32,
        " i32 and ", needed.ref, " ref registers; the function has ",
        limits_.i32, " and ", limits_.ref, "."));
  }
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckBody() {
  while (pc_ < code_.size()) {
    start_ = pc_;
    RETURN_IF_ERROR(CheckInstruction());
  }
  if (in_block_) {
    return absl::InvalidArgumentError(
        absl::StrCat("The function's last block ends with ", op_->text,
                     ", which cannot end a block."));
  }
  // The file stores only the low 16 bits of the count.
  if ((blocks_.block_count() & 0xFFFF) != function_->block_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("The function has ", blocks_.block_count(),
                     " blocks and declares ", function_->block_count, "."));
  }
  return blocks_.CheckTargets(start_);
}

absl::Status FunctionVerifier::ReadOp() {
  op_ = nullptr;
  uint8_t code = code_[pc_++];
  OpSet set = OpSet::kCore;
  uint32_t feature = 0;
  if (code == kPrefixF32 || code == kPrefixF64) {
    set = code == kPrefixF32 ? OpSet::kF32 : OpSet::kF64;
    feature = code == kPrefixF32 ? kFeatureF32 : kFeatureF64;
    RETURN_IF_ERROR(Read(code));
  }
  const OpInfo* op = FindOp(set, code);
  if (op == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("Code 0x", absl::Hex(code), " of the ", OpSetName(set),
                     " set is not a known instruction."));
  }
  if ((function_->requirements & feature) != feature) {
    return absl::InvalidArgumentError(
        absl::StrCat(op->text, " needs ", FeaturesToString(feature),
                     "; the function declares ",
                     FeaturesToString(function_->requirements), "."));
  }
  if (op->major > def_.bytecode_version->decoded_major) {
    return absl::InvalidArgumentError(
        absl::StrCat(op->text, " requires bytecode ", op->major,
                     "; the module has ", def_.bytecode_major, "."));
  }
  op_ = op;
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckInstruction() {
  RETURN_IF_ERROR(ReadOp());
  if (op_->op == Op::kBlock) {
    if (in_block_) {
      return absl::InvalidArgumentError(
          "A block begins before the one above it has ended.");
    }
    in_block_ = true;
    blocks_.AddBlock(start_);
    return absl::OkStatus();
  }
  if (!in_block_) {
    return absl::InvalidArgumentError(
        absl::StrCat(op_->text, " is outside of a block."));
  }
  call_ = {};
  next_list_ = &call_.arguments;
  for (OperandKind kind : op_->reads) RETURN_IF_ERROR(CheckOperand(kind));
  next_list_ = &call_.results;
  for (OperandKind kind : op_->writes) RETURN_IF_ERROR(CheckOperand(kind));
  switch (op_->op) {
    case Op::kCall:
    case Op::kCallVariadic:
    case Op::kCallYieldable:
    case Op::kCallVariadicYieldable:
      RETURN_IF_ERROR(CheckCallee());
      break;
    case Op::kReturn:
      RETURN_IF_ERROR(CheckReturn(*signature_, call_.arguments, limits_));
      break;
    default:
      break;
  }
  if (IsTerminator(op_->op)) in_block_ = false;
  return absl::OkStatus();
}

absl::Status FunctionVerifier::ReadList(uint32_t width,
                                        std::span<const uint16_t>& list) {
  pc_ = AlignToList(pc_);
  if (pc_ > code_.size()) return PastEnd();
  uint16_t count = 0;
  RETURN_IF_ERROR(Read(count));
  size_t size = size_t{count} * width;
  if (size * sizeof(uint16_t) > code_.size() - pc_) return PastEnd();
  // The function begins at an even address, so the list is aligned.
  list = {reinterpret_cast<const uint16_t*>(code_.data() + pc_), size};
  pc_ += static_cast<uint32_t>(size * sizeof(uint16_t));
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckRegisterOperand(OperandKind kind) {
  uint16_t reg = 0;
  RETURN_IF_ERROR(Read(reg));
  if (!FitsRegister(reg, TypeOf(kind), limits_)) {
    return CheckRegister(reg, TypeOf(kind), limits_);
  }
  if (watch_.active()) [[unlikely]] {
    if (next_list_ == &call_.arguments) {
      watch_.Read(reg, TypeOf(kind));
    } else {
      watch_.Write(reg, TypeOf(kind));
    }
  }
  if (kind == OperandKind::kRef && IsMove(reg) &&
      def_.bytecode_version->operand_moves) {
    return absl::InvalidArgumentError(
        absl::StrCat(op_->text, " does not move r", RefIndex(reg),
                     ", but its move bit is set."));
  }
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckRegisterList(OperandKind kind) {
  RETURN_IF_ERROR(ReadList(1, *next_list_));
  ValueType type = TypeOf(kind);
  for (uint16_t reg : *next_list_) {
    if (kind == OperandKind::kRegList) {
      type = IsRefRegister(reg) ? ValueType::kRef : ValueType::kI32;
    }
    if (!FitsRegister(reg, type, limits_)) {
      return CheckRegister(reg, type, limits_);
    }
    // The widths of a call's results are those of its callee, so they are not
    // reported here.
    if (watch_.active() && next_list_ == &call_.arguments) [[unlikely]] {
      watch_.Read(reg, type);
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckOperand(OperandKind kind) {
  if (IsRegister(kind)) return CheckRegisterOperand(kind);
  if (IsRegisterList(kind)) return CheckRegisterList(kind);
  switch (kind) {
    case OperandKind::kImmI32:
    case OperandKind::kImmI64:
    case OperandKind::kImmF32:
    case OperandKind::kImmF64: {
      if (FixedSize(kind) > code_.size() - pc_) return PastEnd();
      pc_ += FixedSize(kind);
      return absl::OkStatus();
    }
    case OperandKind::kString: {
      uint16_t size = 0;
      RETURN_IF_ERROR(Read(size));
      if (size > code_.size() - pc_) return PastEnd();
      pc_ += size;
      return absl::OkStatus();
    }
    case OperandKind::kSegments:
      call_.has_segments = true;
      return ReadList(1, call_.segments);
    case OperandKind::kRemap: {
      std::span<const uint16_t> pairs;
      RETURN_IF_ERROR(ReadList(2, pairs));
      RETURN_IF_ERROR(CheckRemap(pairs, limits_));
      if (watch_.active()) [[unlikely]]
        watch_.Move(pairs);
      return absl::OkStatus();
    }
    case OperandKind::kCases:
      return CheckCases();
    default: {
      uint32_t value = 0;
      RETURN_IF_ERROR(Read(value));
      return CheckPlace(kind, value);
    }
  }
}

absl::Status FunctionVerifier::CheckPlace(OperandKind kind, uint32_t value) {
  auto ordinal = [&](absl::string_view what, size_t count) {
    if (value < count) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(op_->text, " names ", what, " ",
                                              value, "; the module has ", count,
                                              "."));
  };
  switch (kind) {
    case OperandKind::kGlobalI32:
    case OperandKind::kGlobalF32:
    case OperandKind::kGlobalI64:
    case OperandKind::kGlobalF64: {
      bool wide =
          kind == OperandKind::kGlobalI64 || kind == OperandKind::kGlobalF64;
      uint32_t size = wide ? 8 : 4;
      if (RangeFits(value, size, def_.global_bytes)) return absl::OkStatus();
      return absl::OutOfRangeError(
          absl::StrCat(op_->text, " accesses ", size, " bytes of globals at ",
                       value, "; the module has ", def_.global_bytes, "."));
    }
    case OperandKind::kGlobalRef:
      return ordinal("global ref", def_.global_refs);
    case OperandKind::kRodata:
      return ordinal("constant", def_.rodata.size());
    case OperandKind::kType:
      return ordinal("type", def_.types.size());
    case OperandKind::kFunc:
      callee_ = value;
      return absl::OkStatus();  // checked by CheckCallee
    case OperandKind::kImport:
      if ((value & kImportBit) == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat(op_->text, " asks about function ", value,
                         ", which is not an import."));
      }
      value &= ~kImportBit;
      return ordinal("import", def_.imports.size());
    case OperandKind::kBlock:
      return blocks_.AddTarget(start_, value);
    default:
      return absl::InternalError(absl::StrCat(
          op_->text, " has an operand that the verifier does not know."));
  }
}

absl::Status FunctionVerifier::CheckCases() {
  uint16_t count = 0;
  RETURN_IF_ERROR(Read(count));
  for (uint32_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(CheckOperand(OperandKind::kBlock));
    RETURN_IF_ERROR(CheckOperand(OperandKind::kRemap));
  }
  return absl::OkStatus();
}

absl::Status FunctionVerifier::CheckCallee() {
  if ((callee_ & kImportBit) == 0) {
    if (callee_ >= def_.functions.size()) {
      return absl::OutOfRangeError(absl::StrCat(op_->text, " calls function ",
                                                callee_, "; the module has ",
                                                def_.functions.size(), "."));
    }
    if (call_.has_segments) {
      return absl::InvalidArgumentError(absl::StrCat(
          op_->text, " calls function ", callee_, "; it may call imports."));
    }
    absl::Status status = CheckCall(signatures_[callee_], call_, limits_);
    if (status.ok()) {
      WatchResults(signatures_[callee_]);
      return status;
    }
    return Annotate(status,
                    absl::StrCat("(calling ", def_.FunctionName(callee_), ")"));
  }
  uint32_t import = callee_ & ~kImportBit;
  if (import >= def_.imports.size()) {
    return absl::OutOfRangeError(absl::StrCat(op_->text, " calls import ",
                                              import, "; the module has ",
                                              def_.imports.size(), "."));
  }
  absl::Status status = CheckCall(import_signatures_[import], call_, limits_);
  if (status.ok()) {
    WatchResults(import_signatures_[import]);
    return status;
  }
  return Annotate(status,
                  absl::StrCat("(calling ",
                               PlainName(def_.imports[import].full_name), ")"));
}

}  // namespace eyrie::vm
