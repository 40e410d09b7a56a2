// Encodes and decodes instructions by the operand kinds of their rows.
#include "vm/asm/instruction.h"

namespace eyrie::vm {
namespace {

class Encoder {
 public:
  Encoder(std::vector<uint8_t>& code, std::vector<uint32_t>* blocks)
      : code_(code), blocks_(blocks) {}

  void Write(OperandKind kind, const OperandValue& value) {
    if (kind == OperandKind::kBlock) {
      WriteBlock(static_cast<uint32_t>(value.number));
    } else if (uint32_t size = FixedSize(kind); size != 0) {
      WriteNumber(value.number, size);
    } else if (kind == OperandKind::kString) {
      WriteNumber(value.text.size(), sizeof(uint16_t));
      code_.insert(code_.end(), value.text.begin(), value.text.end());
    } else if (kind == OperandKind::kCases) {
      WriteNumber(value.cases.size(), sizeof(uint16_t));
      for (const BranchCase& c : value.cases) {
        WriteBlock(c.target);
        WriteList(c.remap, 2);
      }
    } else {
      WriteList(value.list, kind == OperandKind::kRemap ? 2 : 1);
    }
  }

 private:
  void WriteNumber(uint64_t value, uint32_t size) {
    for (uint32_t i = 0; i < size; ++i) {
      code_.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
  }

  void WriteBlock(uint32_t offset) {
    if (blocks_ != nullptr) {
      blocks_->push_back(static_cast<uint32_t>(code_.size()));
    }
    WriteNumber(offset, sizeof(uint32_t));
  }

  void WriteList(const std::vector<uint16_t>& list, size_t width) {
    code_.resize(AlignToList(static_cast<uint32_t>(code_.size())));
    WriteNumber(list.size() / width, sizeof(uint16_t));
    for (uint16_t value : list) WriteNumber(value, sizeof(uint16_t));
  }

  std::vector<uint8_t>& code_;
  std::vector<uint32_t>* const blocks_;
};

class Decoder {
 public:
  Decoder(std::span<const uint8_t> code, uint32_t& pc) : code_(code), pc_(pc) {}

  const OpInfo* ReadOp() {
    uint8_t code = static_cast<uint8_t>(ReadNumber(1));
    if (code == kPrefixF32 || code == kPrefixF64) {
      OpSet set = code == kPrefixF32 ? OpSet::kF32 : OpSet::kF64;
      return FindOp(set, static_cast<uint8_t>(ReadNumber(1)));
    }
    return FindOp(OpSet::kCore, code);
  }

  void Read(OperandKind kind, OperandValue& value) {
    if (uint32_t size = FixedSize(kind); size != 0) {
      value.number = ReadNumber(size);
    } else if (kind == OperandKind::kString) {
      size_t length = ReadNumber(sizeof(uint16_t));
      value.text.assign(reinterpret_cast<const char*>(code_.data()) + pc_,
                        length);
      pc_ += static_cast<uint32_t>(length);
    } else if (kind == OperandKind::kCases) {
      value.cases.resize(ReadNumber(sizeof(uint16_t)));
      for (BranchCase& c : value.cases) {
        c.target = static_cast<uint32_t>(ReadNumber(sizeof(uint32_t)));
        c.remap = ReadList(2);
      }
    } else {
      value.list = ReadList(kind == OperandKind::kRemap ? 2 : 1);
    }
  }

 private:
  uint64_t ReadNumber(uint32_t size) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; ++i) {
      value |= uint64_t{code_[pc_ + i]} << (8 * i);
    }
    pc_ += size;
    return value;
  }

  std::vector<uint16_t> ReadList(size_t width) {
    pc_ = AlignToList(pc_);
    std::vector<uint16_t> list(ReadNumber(sizeof(uint16_t)) * width);
    for (uint16_t& value : list) {
      value = static_cast<uint16_t>(ReadNumber(sizeof(uint16_t)));
    }
    return list;
  }

  const std::span<const uint8_t> code_;
  uint32_t& pc_;
};

}  // namespace

void Encode(const Instruction& instruction, std::vector<uint8_t>& code,
            std::vector<uint32_t>* blocks) {
  const OpInfo& op = *instruction.op;
  if (op.set == OpSet::kF32) code.push_back(kPrefixF32);
  if (op.set == OpSet::kF64) code.push_back(kPrefixF64);
  code.push_back(op.code);
  Encoder out(code, blocks);
  for (int i = 0; i < op.reads.count; ++i) {
    out.Write(op.reads[i], instruction.reads[i]);
  }
  for (int i = 0; i < op.writes.count; ++i) {
    out.Write(op.writes[i], instruction.writes[i]);
  }
}

Instruction Decode(std::span<const uint8_t> code, uint32_t& pc) {
  Decoder in(code, pc);
  Instruction instruction = Instruction::Create(*in.ReadOp());
  const OpInfo& op = *instruction.op;
  for (int i = 0; i < op.reads.count; ++i) {
    in.Read(op.reads[i], instruction.reads[i]);
  }
  for (int i = 0; i < op.writes.count; ++i) {
    in.Read(op.writes[i], instruction.writes[i]);
  }
  return instruction;
}

}  // namespace eyrie::vm
