// Fills in the pattern of each instruction.
#include "vm/asm/code_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/plain_text.h"
#include "vm/asm/cursor.h"
#include "vm/asm/module_plan.h"
#include "vm/asm/syntax.h"

namespace eyrie::vm {
namespace {

constexpr size_t kMaxPlace = 80;  // bytes of a location in a comment

// Prints a register of a list or a remap, where only the bank is known.
void PrintRegister(uint16_t reg, std::string& to) {
  if (IsRefRegister(reg)) {
    absl::StrAppend(&to, IsMove(reg) ? "%R" : "%r", RefIndex(reg));
  } else {
    absl::StrAppend(&to, "%i", reg);
  }
}

void PrintList(const std::vector<uint16_t>& list, std::string& to) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) to += ", ";
    PrintRegister(list[i], to);
  }
}

void PrintSegments(const std::vector<uint16_t>& list, std::string& to) {
  for (size_t i = 0; i < list.size(); ++i) {
    absl::StrAppend(&to, i != 0 ? ", " : "", list[i]);
  }
}

}  // namespace

void CodePrinter::NumberBlocks() {
  blocks_.clear();
  for (uint32_t pc = 0; pc < code_.size();) {
    const uint32_t start = pc;
    if (Decode(code_, pc).op->op == Op::kBlock) blocks_.push_back(start);
  }
}

void CodePrinter::Print(uint32_t function, const LocationList& locations,
                        bool offsets, TextStream& to) {
  code_ = def_.functions[function].bytecode;
  NumberBlocks();
  auto location = locations.begin();
  std::string line;
  for (uint32_t pc = 0; pc < code_.size() && to.ok();) {
    const uint32_t start = pc;
    const Instruction instruction = Decode(code_, pc);
    line.clear();
    if (offsets) absl::StrAppendFormat(&line, "[%08X]", start);
    if (instruction.op->op == Op::kBlock) {
      PrintBlock(start, line);
      line += ':';
    } else {
      line += "  ";
      PrintInstruction(instruction, line);
    }
    if (location != locations.end() && location->first == start) {
      PrintLocation(location->second, line);
      ++location;
    } else {
      PrintComment(instruction, line);
    }
    to.Add(line, "\n");
  }
}

void CodePrinter::PrintInstruction(const Instruction& instruction,
                                   std::string& to) const {
  const OpInfo& op = *instruction.op;
  const std::string& pattern = PatternsOf(op)[0];
  if (op.writes.count != 0 && !PlacesResults(pattern)) {
    const size_t before = to.size();
    PrintOperand(op.writes[0], instruction.writes[0], to);
    if (to.size() != before) to += " = ";
  }
  absl::StrAppend(&to, "vm.", op.text);
  if (!pattern.empty()) to += ' ';
  PrintPattern(instruction, pattern, to);
  while (to.back() == ' ') to.pop_back();
}

void CodePrinter::PrintPattern(const Instruction& instruction,
                               absl::string_view pattern,
                               std::string& to) const {
  const OpInfo& op = *instruction.op;
  while (!pattern.empty()) {
    if (pattern[0] == '{' && pattern.size() > 1 && pattern[1] != ' ') {
      // The list that decides is the last operand of the optional part.
      const size_t end = pattern.find('}');
      const int index = pattern[end - 1] - '0';
      if (!instruction.reads[index].list.empty()) {
        PrintPattern(instruction, pattern.substr(1, end - 1), to);
      }
      pattern.remove_prefix(end + 1);
    } else if (pattern[0] == '$' && pattern[1] == '$') {
      PrintOperand(op.writes[0], instruction.writes[0], to);
      pattern.remove_prefix(2);
    } else if (pattern[0] == '$') {
      const int index = pattern[1] - '0';
      PrintOperand(op.reads[index], instruction.reads[index], to);
      pattern.remove_prefix(2);
    } else {
      to += pattern[0];
      pattern.remove_prefix(1);
    }
  }
}

void CodePrinter::PrintOperand(OperandKind kind, const OperandValue& value,
                               std::string& to) const {
  const uint64_t number = value.number;
  switch (kind) {
    case OperandKind::kI64:
    case OperandKind::kF64:
      return absl::StrAppend(&to, "%i", number, ":", number + 1);
    case OperandKind::kI32:
    case OperandKind::kF32:
    case OperandKind::kRef:
    case OperandKind::kRefMove:
      return PrintRegister(static_cast<uint16_t>(number), to);
    case OperandKind::kImmI32:
      return absl::StrAppend(&to, static_cast<int32_t>(number));
    case OperandKind::kImmI64:
      return absl::StrAppend(&to, static_cast<int64_t>(number));
    case OperandKind::kImmF32:
      return absl::StrAppend(&to, FloatText(number, 32));
    case OperandKind::kImmF64:
      return absl::StrAppend(&to, FloatText(number, 64));
    case OperandKind::kString:
      return absl::StrAppend(
          &to, escapes_
                   ? QuoteText(value.text)
                   : absl::StrCat(
                         "\"", PlainText(value.text, value.text.size()), "\""));
    case OperandKind::kGlobalRef:
      return absl::StrAppend(&to, ".refs[", number, "]");
    case OperandKind::kRodata:
      if (constants_.empty()) return absl::StrAppend(&to, number);
      return absl::StrAppend(&to, constants_[number]);
    case OperandKind::kType:
      return absl::StrAppend(&to, TypeText(def_.types[number]));
    case OperandKind::kFunc:
    case OperandKind::kImport:
      return PrintCallee(number, to);
    case OperandKind::kSegments:
      return PrintSegments(value.list, to);
    case OperandKind::kBlock:
      return PrintBlock(static_cast<uint32_t>(number), to);
    case OperandKind::kRemap:
      return PrintRemap(value.list, to);
    case OperandKind::kCases:
      for (size_t i = 0; i < value.cases.size(); ++i) {
        absl::StrAppend(&to, ", ", i, ": ");
        PrintBlock(value.cases[i].target, to);
        PrintRemap(value.cases[i].remap, to);
      }
      return;
    default:
      if (IsRegisterList(kind)) return PrintList(value.list, to);
      return absl::StrAppend(&to, ".rwdata[", number, "]");
  }
}

void CodePrinter::PrintCallee(uint64_t callee, std::string& to) const {
  const bool imported = (callee & kImportBit) != 0;
  const uint64_t ordinal = imported ? callee ^ kImportBit : callee;
  const auto& names = imported ? callees_.imports : callees_.functions;
  const auto symbol = callees_.stored_names ? &PublicSymbolText : &SymbolText;
  if (names[ordinal].has_value() && !imported && callees_.stored_names) {
    absl::StrAppend(&to, callees_.module, ".",
                    symbol(*names[ordinal]).substr(1));
  } else if (names[ordinal].has_value()) {
    absl::StrAppend(&to, symbol(*names[ordinal]));
  } else if (imported) {
    absl::StrAppend(&to, "@import[", ordinal, "]");
  } else {
    absl::StrAppend(&to, callees_.module, ":", ordinal);
  }
}

void CodePrinter::PrintBlock(uint32_t offset, std::string& to) const {
  const auto block = std::lower_bound(blocks_.begin(), blocks_.end(), offset);
  absl::StrAppend(&to, "^bb", block - blocks_.begin());
}

void CodePrinter::PrintRemap(const std::vector<uint16_t>& pairs,
                             std::string& to) const {
  to += '(';
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (i != 0) to += ", ";
    PrintRegister(pairs[i], to);
    to += "->";
    PrintRegister(pairs[i + 1], to);
  }
  to += ')';
}

void CodePrinter::PrintComment(const Instruction& instruction,
                               std::string& to) const {
  const OpInfo& op = *instruction.op;
  if (op.reads.count != 1) return;
  const uint64_t number = instruction.reads[0].number;
  if (op.reads[0] == OperandKind::kImmI32) {
    absl::StrAppendFormat(&to, "  // 0x%08X", number);
  } else if (op.reads[0] == OperandKind::kImmI64) {
    absl::StrAppendFormat(&to, "  // 0x%016X", number);
  } else if (op.reads[0] == OperandKind::kRodata && constants_.empty()) {
    absl::StrAppend(&to, "  // ", def_.rodata[number].bytes.size(), "b");
  }
}

void CodePrinter::PrintLocation(int32_t location, std::string& to) const {
  const bool known =
      location >= 0 && static_cast<uint32_t>(location) < def_.location_count();
  absl::StrAppend(&to, "  //! loc[", known ? location : kNoPlace, "]");
  const std::vector<SourceLocation> places = def_.ReadLocation(location);
  if (places.empty()) return;
  absl::StrAppend(&to, "  // ",
                  PlainText(places[0].ToString(kMaxPlace), kMaxPlace));
}

}  // namespace eyrie::vm
