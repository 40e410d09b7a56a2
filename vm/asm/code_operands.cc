// The operands of instructions, by their kinds.
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/asm/code_parser.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {
namespace {

constexpr size_t kMaxEntries = 0xFFFF;

absl::Status TooLong(const TextCursor& in) {
  return in.Error(
      absl::StrCat("The list has more than ", kMaxEntries, " entries."));
}

uint32_t GlobalSize(OperandKind kind) {
  if (kind == OperandKind::kGlobalRef) return 0;
  const bool wide =
      kind == OperandKind::kGlobalI64 || kind == OperandKind::kGlobalF64;
  return wide ? 8 : 4;
}

}  // namespace

absl::Status CodeParser::ParseOperand(TextCursor& in, OperandKind kind,
                                      OperandValue& value) {
  if (IsRegister(kind)) {
    ASSIGN_OR_RETURN(value.number, TakeRegister(in, kind));
    return absl::OkStatus();
  }
  if (IsRegisterList(kind)) return TakeRegisters(in, kind, value.list);
  switch (kind) {
    case OperandKind::kImmI32:
    case OperandKind::kImmI64: {
      ASSIGN_OR_RETURN(value.number,
                       in.TakeInteger(kind == OperandKind::kImmI32 ? 32 : 64));
      return absl::OkStatus();
    }
    case OperandKind::kImmF32:
    case OperandKind::kImmF64: {
      ASSIGN_OR_RETURN(value.number,
                       in.TakeFloat(kind == OperandKind::kImmF32 ? 32 : 64));
      return absl::OkStatus();
    }
    case OperandKind::kString: {
      ASSIGN_OR_RETURN(value.text, in.TakeQuoted());
      return value.text.size() > kMaxEntries
                 ? in.Error(absl::StrCat("The text has ", value.text.size(),
                                         " bytes; the limit is ", kMaxEntries,
                                         "."))
                 : absl::OkStatus();
    }
    case OperandKind::kRodata: {
      ASSIGN_OR_RETURN(value.number, in.TakeU32("a constant's number"));
      return absl::OkStatus();
    }
    case OperandKind::kType: {
      ASSIGN_OR_RETURN(value.text, in.TakeType());
      return absl::OkStatus();
    }
    case OperandKind::kFunc:
    case OperandKind::kImport:
      return TakeFunc(in, kind, value);
    case OperandKind::kSegments:
      return TakeSegments(in, value.list);
    case OperandKind::kBlock: {
      ASSIGN_OR_RETURN(value.number, TakeBlock(in));
      return absl::OkStatus();
    }
    case OperandKind::kRemap:
      return TakeRemap(in, value.list);
    case OperandKind::kCases:
      return TakeCases(in, value.cases);
    default: {
      ASSIGN_OR_RETURN(value.number, TakeGlobal(in, kind));
      return absl::OkStatus();
    }
  }
}

absl::StatusOr<uint16_t> CodeParser::TakeAnyRegister(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  absl::string_view name;
  if (in.Accept("%")) name = in.TakeName();
  const char bank = name.empty() ? '\0' : name[0];
  const absl::string_view digits = name.substr(name.empty() ? 0 : 1);
  const bool octal = digits.size() > 1 && digits[0] == '0';  // as C reads it
  if (octal || (bank != 'i' && bank != 'r' && bank != 'R') || digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit)) {
    in.set_position(at);
    return in.Error("Expected a register, as in %i0 or %r0.");
  }
  const uint32_t count = bank == 'i' ? kMaxI32Registers : kMaxRefRegisters;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number >= count) {
    return in.ErrorAt(
        at, absl::StrCat("Register ", name, " does not exist; the last is ",
                         count - 1, "."));
  }
  uint16_t reg = static_cast<uint16_t>(number);
  if (bank != 'i') reg |= kRefBit;
  if (bank == 'R') reg |= kMoveBit;
  // An i64 or f64 is written with both of its registers.
  if (bank == 'i' && in.AcceptHere(":")) {
    ASSIGN_OR_RETURN(const uint32_t high, in.TakeU32("a register's number"));
    if (high != number + 1) {
      return in.ErrorAt(
          at, absl::StrCat("The registers of a pair must be adjacent: %i",
                           number, ":", number + 1, "."));
    }
  }
  return reg;
}

absl::StatusOr<uint16_t> CodeParser::TakeRegister(TextCursor& in,
                                                  OperandKind kind) {
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint16_t reg, TakeAnyRegister(in));
  const bool pair = line_.text.substr(at, in.position() - at).find(':') !=
                    absl::string_view::npos;
  if (kind == OperandKind::kRef || kind == OperandKind::kRefMove) {
    if (!IsRefRegister(reg)) {
      return in.ErrorAt(at, "Expected a ref, as in %r0.");
    }
    if (IsMove(reg) && kind == OperandKind::kRef &&
        scope_.version->operand_moves) {
      return in.ErrorAt(at, absl::StrCat("This operand does not move its "
                                         "reference; write %r",
                                         RefIndex(reg), "."));
    }
    return reg;
  }
  if (IsRefRegister(reg)) {
    return in.ErrorAt(at, "Expected a number, as in %i0.");
  }
  if (IsWide(kind) != pair) {
    return in.ErrorAt(
        at, pair ? absl::StrCat("Expected one register: %i", reg, ".")
                 : absl::StrCat("Expected a pair of registers: %i", reg, ":",
                                reg + 1, "."));
  }
  if (pair && reg % 2 != 0) {
    return in.ErrorAt(at, "A pair must begin with an even register.");
  }
  return reg;
}

absl::Status CodeParser::TakeRegisters(TextCursor& in, OperandKind kind,
                                       std::vector<uint16_t>& list) {
  if (in.Peek() != '%') return absl::OkStatus();
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    ASSIGN_OR_RETURN(const uint16_t reg, TakeAnyRegister(in));
    if (kind != OperandKind::kRegList &&
        IsRefRegister(reg) != (kind == OperandKind::kRefList)) {
      return in.ErrorAt(at, IsRefRegister(reg) ? "Expected a number, as in %i0."
                                               : "Expected a ref, as in %r0.");
    }
    if (list.size() == kMaxEntries) return TooLong(in);
    list.push_back(reg);
  } while (in.AcceptNext());
  return absl::OkStatus();
}

absl::Status CodeParser::TakeSegments(TextCursor& in,
                                      std::vector<uint16_t>& list) {
  if (in.Peek() == ']') return absl::OkStatus();
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    ASSIGN_OR_RETURN(const uint32_t count, in.TakeU32("a count of values"));
    if (count > 0xFFFF) return in.ErrorAt(at, "The count exceeds 65535.");
    if (list.size() == kMaxEntries) return TooLong(in);
    list.push_back(static_cast<uint16_t>(count));
  } while (in.AcceptNext());
  return absl::OkStatus();
}

absl::Status CodeParser::TakeRemap(TextCursor& in,
                                   std::vector<uint16_t>& list) {
  if (!in.Accept("(") || in.Accept(")")) return absl::OkStatus();
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    ASSIGN_OR_RETURN(const uint16_t from, TakeAnyRegister(in));
    RETURN_IF_ERROR(in.Expect("->"));
    ASSIGN_OR_RETURN(const uint16_t to, TakeAnyRegister(in));
    if (IsRefRegister(from) != IsRefRegister(to)) {
      return in.ErrorAt(at,
                        "Values move only within their bank: %i to %i, %r "
                        "to %r.");
    }
    if (IsRefRegister(to) && IsMove(to)) {
      return in.ErrorAt(at, "The target of a move cannot be moved; write %r.");
    }
    if (list.size() == 2 * kMaxEntries) return TooLong(in);
    list.push_back(from);
    list.push_back(to);
  } while (in.AcceptNext());
  return in.Expect(")");
}

absl::Status CodeParser::TakeCases(TextCursor& in,
                                   std::vector<BranchCase>& cases) {
  // A ',' after a target is optional.
  while (in.AcceptNext() || absl::ascii_isdigit(in.Peek())) {
    in.SkipBlanks();
    const size_t at = in.position();
    ASSIGN_OR_RETURN(const uint32_t number, in.TakeU32("a case's number"));
    if (number != cases.size()) {
      return in.ErrorAt(
          at, absl::StrCat("Cases are numbered from 0; expected case ",
                           cases.size(), "."));
    }
    if (cases.size() == kMaxEntries) return TooLong(in);
    RETURN_IF_ERROR(in.Expect(":"));
    BranchCase next;
    ASSIGN_OR_RETURN(next.target, TakeBlock(in));
    RETURN_IF_ERROR(TakeRemap(in, next.remap));
    cases.push_back(std::move(next));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> CodeParser::TakeBlock(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  absl::string_view name;
  if (in.Accept("^")) name = in.TakeName();
  if (name.empty()) {
    in.set_position(at);
    return in.Error("Expected a block, as in ^bb0.");
  }
  return LabelId(name, {line_, at});
}

absl::StatusOr<uint64_t> CodeParser::TakeGlobal(TextCursor& in,
                                                OperandKind kind) {
  const uint32_t size = GlobalSize(kind);
  const absl::string_view storage = size == 0 ? ".refs[" : ".rwdata[";
  if (in.Peek() != '@') {
    RETURN_IF_ERROR(in.Expect(storage));
    ASSIGN_OR_RETURN(const uint32_t place, in.TakeU32("a global's place"));
    RETURN_IF_ERROR(in.Expect("]"));
    if (place > kMaxGlobalBytes) {
      return in.Error(absl::StrCat("The place exceeds ", kMaxGlobalBytes,
                                   ", the most that a module may have."));
    }
    return place;
  }
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const std::string name, in.TakeSymbol());
  const auto it = scope_.globals.find(name);
  if (it == scope_.globals.end()) {
    return in.ErrorAt(at, absl::StrCat("Global @", name, " does not exist."));
  }
  if (it->second.size != size) {
    return in.ErrorAt(at, absl::StrCat("Global @", name, " has another size."));
  }
  return it->second.place;
}

absl::Status CodeParser::TakeFunc(TextCursor& in, OperandKind kind,
                                  OperandValue& value) {
  in.SkipBlanks();
  const size_t at = callee_at_ = in.position();
  ASSIGN_OR_RETURN(std::string name, in.TakeSymbol());
  if (name == "import" && in.Accept("[")) {
    ASSIGN_OR_RETURN(const uint32_t import, in.TakeU32("an import's number"));
    RETURN_IF_ERROR(in.Expect("]"));
    value.number = import | kImportBit;
    return import < scope_.plan.imports.size()
               ? absl::OkStatus()
               : in.ErrorAt(
                     at, absl::StrCat("Import ", import, " does not exist."));
  }
  if (const auto it = scope_.imports.find(name); it != scope_.imports.end()) {
    value.number = it->second | kImportBit;
    return absl::OkStatus();
  }
  if (kind == OperandKind::kImport) {
    return in.ErrorAt(at, absl::StrCat("Import @", name, " does not exist."));
  }
  if (in.Accept(":")) {
    if (name != scope_.plan.name) {
      return in.ErrorAt(at, absl::StrCat("The module is @", scope_.plan.name,
                                         ", not @", name, "."));
    }
    ASSIGN_OR_RETURN(value.number, in.TakeU32("a function's number"));
    return (value.number & kImportBit) == 0
               ? absl::OkStatus()
               : in.ErrorAt(at, "The number exceeds 31 bits.");
  }
  if (absl::StartsWith(name, absl::StrCat(scope_.plan.name, "."))) {
    name.erase(0, scope_.plan.name.size() + 1);
  }
  callee_name_ = std::move(name);
  return absl::OkStatus();
}

}  // namespace eyrie::vm
