#include "tests/oracle/instruction.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace eyrie::tests {
namespace {

using vm::OperandKind;

// Reads the bytes of verified code one value after another.
class Reader {
 public:
  Reader(std::span<const uint8_t> code, uint32_t at) : code_(code), at_(at) {}

  uint32_t at() const { return at_; }

  uint64_t Number(uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i) {
      value |= uint64_t{code_[at_++]} << (8 * i);
    }
    return value;
  }
  std::vector<uint16_t> List(uint32_t words_per_item) {
    at_ += at_ % 2;
    std::vector<uint16_t> words(Number(2) * words_per_item);
    for (uint16_t& word : words) word = static_cast<uint16_t>(Number(2));
    return words;
  }
  absl::string_view Text() {
    const uint64_t size = Number(2);
    const absl::string_view text(
        reinterpret_cast<const char*>(code_.data()) + at_, size);
    at_ += static_cast<uint32_t>(size);
    return text;
  }

  Operand Read(OperandKind kind) {
    Operand operand;
    operand.kind = kind;
    if (kind == OperandKind::kRemap) {
      operand.list = List(2);
    } else if (vm::IsAlignedList(kind)) {
      operand.list = List(1);
    } else if (kind == OperandKind::kString) {
      operand.text = Text();
    } else if (kind == OperandKind::kCases) {
      operand.cases.resize(Number(2));
      for (Target& target : operand.cases) {
        target.block = static_cast<uint32_t>(Number(4));
        target.moves = List(2);
      }
    } else {
      operand.bits = Number(vm::FixedSize(kind));
    }
    return operand;
  }

 private:
  std::span<const uint8_t> code_;
  uint32_t at_;
};

class Writer {
 public:
  std::vector<uint8_t> Write(const Blocks& blocks) {
    std::vector<uint32_t> starts;
    for (const auto& block : blocks) {
      starts.push_back(static_cast<uint32_t>(bytes_.size()));
      bytes_.push_back(vm::InfoOf(vm::Op::kBlock).code);
      for (const Instruction& instruction : block) One(instruction);
    }
    for (const auto& [at, block] : uses_) {
      std::memcpy(&bytes_[at], &starts[block], sizeof(uint32_t));
    }
    return std::move(bytes_);
  }

 private:
  void Number(uint64_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i) {
      bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
  }
  void Block(uint32_t block) {
    uses_.emplace_back(bytes_.size(), block);
    Number(0, 4);
  }
  void List(const std::vector<uint16_t>& words, size_t words_per_item) {
    if (bytes_.size() % 2 != 0) bytes_.push_back(0);
    Number(words.size() / words_per_item, 2);
    for (uint16_t word : words) Number(word, 2);
  }
  void One(const Instruction& instruction) {
    const vm::OpInfo& info = *instruction.info;
    if (info.set == vm::OpSet::kF32) bytes_.push_back(vm::kPrefixF32);
    if (info.set == vm::OpSet::kF64) bytes_.push_back(vm::kPrefixF64);
    bytes_.push_back(info.code);
    for (const Operand& operand : instruction.operands) Put(operand);
  }
  void Put(const Operand& operand) {
    if (operand.kind == OperandKind::kRemap) {
      List(operand.list, 2);
    } else if (vm::IsAlignedList(operand.kind)) {
      List(operand.list, 1);
    } else if (operand.kind == OperandKind::kString) {
      Number(operand.text.size(), 2);
      bytes_.insert(bytes_.end(), operand.text.begin(), operand.text.end());
    } else if (operand.kind == OperandKind::kBlock) {
      Block(operand.place());
    } else if (operand.kind == OperandKind::kCases) {
      Number(operand.cases.size(), 2);
      for (const Target& target : operand.cases) {
        Block(target.block);
        List(target.moves, 2);
      }
    } else {
      Number(operand.bits, vm::FixedSize(operand.kind));
    }
  }

  std::vector<uint8_t> bytes_;
  std::vector<std::pair<size_t, uint32_t>> uses_;
};

std::string RegisterText(uint16_t reg) {
  if (!vm::IsRefRegister(reg)) return absl::StrCat("i", reg);
  return absl::StrCat("r", vm::RefIndex(reg), vm::IsMove(reg) ? "!" : "");
}

std::string ListText(const std::vector<uint16_t>& words, OperandKind kind) {
  std::string text = "[";
  for (size_t i = 0; i < words.size(); ++i) {
    const bool target = kind == OperandKind::kRemap && i % 2 == 1;
    absl::StrAppend(&text,
                    i == 0   ? ""
                    : target ? ">"
                             : " ",
                    kind == OperandKind::kSegments ? absl::StrCat(words[i])
                                                   : RegisterText(words[i]));
  }
  return text + "]";
}

std::string OperandText(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kString:
      return absl::StrCat("\"", operand.text, "\"");
    case OperandKind::kBlock:
      return absl::StrCat("^b", operand.bits);
    case OperandKind::kImmI64:
    case OperandKind::kImmF64:
      return absl::StrFormat("0x%016x", operand.bits);
    case OperandKind::kImmI32:
    case OperandKind::kImmF32:
      return absl::StrFormat("0x%08x", operand.bits);
    case OperandKind::kFunc:
    case OperandKind::kImport:
      if ((operand.bits & vm::kImportBit) == 0) break;
      return absl::StrCat("#", operand.place() & ~vm::kImportBit);
    case OperandKind::kCases: {
      std::string text = "{";
      for (const Target& target : operand.cases) {
        absl::StrAppend(&text, " ^b", target.block, " ",
                        ListText(target.moves, OperandKind::kRemap));
      }
      return text + " }";
    }
    default:
      if (vm::IsRegister(operand.kind)) return RegisterText(operand.reg());
      if (vm::IsAlignedList(operand.kind)) {
        return ListText(operand.list, operand.kind);
      }
  }
  return absl::StrCat(operand.bits);
}

}  // namespace

Instruction Decode(std::span<const uint8_t> code, uint32_t offset) {
  Reader reader(code, offset);
  vm::OpSet set = vm::OpSet::kCore;
  auto byte = static_cast<uint8_t>(reader.Number(1));
  if (byte == vm::kPrefixF32 || byte == vm::kPrefixF64) {
    set = byte == vm::kPrefixF32 ? vm::OpSet::kF32 : vm::OpSet::kF64;
    byte = static_cast<uint8_t>(reader.Number(1));
  }
  Instruction instruction;
  instruction.info = vm::FindOp(set, byte);
  for (OperandKind kind : instruction.info->reads) {
    instruction.operands.push_back(reader.Read(kind));
  }
  for (OperandKind kind : instruction.info->writes) {
    instruction.operands.push_back(reader.Read(kind));
  }
  instruction.offset = offset;
  instruction.end = reader.at();
  return instruction;
}

std::vector<uint8_t> Encode(const Blocks& blocks) {
  return Writer().Write(blocks);
}

std::string ToText(const Instruction& instruction) {
  std::string text = instruction.info->text;
  for (const Operand& operand : instruction.operands) {
    absl::StrAppend(&text, " ", OperandText(operand));
  }
  return text;
}

std::string ToText(const Blocks& blocks) {
  const std::vector<uint8_t> code = Encode(blocks);
  std::string text;
  uint32_t offset = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    absl::StrAppend(&text, "b", i, ":\n");
    offset = Decode(code, offset).end;
    for (const Instruction& instruction : blocks[i]) {
      absl::StrAppendFormat(&text, "  %04x  %s\n", offset, ToText(instruction));
      offset = Decode(code, offset).end;
    }
  }
  return text;
}

}  // namespace eyrie::tests
