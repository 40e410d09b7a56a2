// Encodes and decodes an instruction of every row. The result must be equal,
// and must agree with the assembler that tests use.
#include "tests/oracle/instruction.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/oracle/program.h"
#include "tests/support/module_builder.h"

namespace eyrie::tests {
namespace {

TEST(Instruction, DecodesWhatItEncodes) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Program program = CreateProgram(seed);
    for (const RandomFunction& function : program.functions) {
      const std::vector<uint8_t> code = Encode(function.blocks);
      uint32_t offset = 0;
      for (const auto& block : function.blocks) {
        const Instruction mark = Decode(code, offset);
        ASSERT_EQ(mark.info->op, vm::Op::kBlock);
        offset = mark.end;
        for (const Instruction& want : block) {
          const Instruction got = Decode(code, offset);
          ASSERT_EQ(got.info, want.info);
          ASSERT_EQ(got.operands.size(), want.operands.size());
          for (size_t i = 0; i < want.operands.size(); ++i) {
            const Operand& a = want.operands[i];
            const Operand& b = got.operands[i];
            EXPECT_EQ(a.list, b.list);
            EXPECT_EQ(a.text, b.text);
            EXPECT_EQ(a.cases.size(), b.cases.size());
            // A block number has become an offset.
            if (a.kind != vm::OperandKind::kBlock) {
              EXPECT_EQ(a.bits, b.bits);
            }
          }
          offset = got.end;
        }
      }
      EXPECT_EQ(offset, code.size());
    }
  }
}

TEST(Instruction, PrintsWhatTheAssemblerReads) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Program program = CreateProgram(seed);
    for (const RandomFunction& function : program.functions) {
      std::string text;
      for (size_t i = 0; i < function.blocks.size(); ++i) {
        absl::StrAppend(&text, "b", i, ": ");
        for (const Instruction& instruction : function.blocks[i]) {
          // The assembler writes floats as numbers; ToText writes their bits.
          if (ToText(instruction).find("const.f") == 0) continue;
          absl::StrAppend(&text, ToText(instruction), " ");
        }
      }
      Blocks blocks = function.blocks;
      for (auto& block : blocks) {
        std::erase_if(block, [](const Instruction& instruction) {
          return ToText(instruction).find("const.f") == 0;
        });
      }
      const auto assembled = AssembleCode(text);
      ASSERT_TRUE(assembled.ok()) << assembled.status() << "\n" << text;
      EXPECT_EQ(*assembled, Encode(blocks)) << text;
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
