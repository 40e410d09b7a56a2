// Encodes and decodes every row of opcodes.def.
#include "vm/asm/instruction.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "vm/isa/opcode.h"

namespace eyrie::vm {
namespace {

// Returns a value that fits the kind. Different seeds give different values.
OperandValue Create(OperandKind kind, uint32_t seed) {
  OperandValue value;
  if (kind == OperandKind::kString) {
    value.text = std::string(seed % 5, 'x');
  } else if (kind == OperandKind::kCases) {
    for (uint32_t i = 0; i < seed % 3; ++i) {
      value.cases.push_back({seed + i, {1, 2}});
    }
  } else if (FixedSize(kind) != 0) {
    const uint64_t bits = 0x0123456789ABCDEF + seed;
    const uint32_t size = FixedSize(kind);
    value.number = size == 8 ? bits : bits & ((uint64_t{1} << 8 * size) - 1);
  } else {
    const uint32_t width = kind == OperandKind::kRemap ? 2 : 1;
    for (uint32_t i = 0; i < width * (seed % 4); ++i) {
      value.list.push_back(static_cast<uint16_t>(seed + i));
    }
  }
  return value;
}

bool Same(const OperandValue& a, const OperandValue& b) {
  if (a.cases.size() != b.cases.size()) return false;
  for (size_t i = 0; i < a.cases.size(); ++i) {
    if (a.cases[i].target != b.cases[i].target ||
        a.cases[i].remap != b.cases[i].remap) {
      return false;
    }
  }
  return a.number == b.number && a.list == b.list && a.text == b.text;
}

TEST(Instruction, DecodesWhatIsEncoded) {
  for (const OpInfo& op : kOps) {
    for (uint32_t seed = 0; seed < 12; ++seed) {
      Instruction made = Instruction::Create(op);
      for (int i = 0; i < op.reads.count; ++i) {
        made.reads[i] = Create(op.reads[i], seed + i);
      }
      for (int i = 0; i < op.writes.count; ++i) {
        made.writes[i] = Create(op.writes[i], seed + i + 1);
      }
      // Lists are aligned relative to the start of the function: tests even and
      // odd offsets.
      std::vector<uint8_t> code(seed % 2, 0);
      std::vector<uint32_t> blocks;
      Encode(made, code, &blocks);
      uint32_t pc = seed % 2;
      const Instruction read = Decode(code, pc);
      EXPECT_EQ(pc, code.size()) << op.text;
      ASSERT_EQ(read.op, &op) << op.text;
      for (int i = 0; i < op.reads.count; ++i) {
        EXPECT_TRUE(Same(made.reads[i], read.reads[i])) << op.text << i;
      }
      for (int i = 0; i < op.writes.count; ++i) {
        EXPECT_TRUE(Same(made.writes[i], read.writes[i])) << op.text << i;
      }
      for (uint32_t field : blocks) EXPECT_LE(field + 4, code.size());
    }
  }
}

}  // namespace
}  // namespace eyrie::vm
