// Tests of the instruction table and of operand lists.
#include "vm/isa/opcode.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/isa/operand.h"
#include "vm/isa/version.h"

namespace eyrie::vm {
namespace {

// Returns the kinds as tokens, joined; "?" for an unknown one.
std::string Show(const OperandList& list) {
  if (list.count > OperandList::kMax) return "too many";
  std::string text;
  for (OperandKind kind : list) {
    const char* token = OperandToken(kind);
    absl::StrAppend(&text, text.empty() ? "" : " ", token ? token : "?");
  }
  return text;
}

TEST(Operand, Parses) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case kCases[] = {
      {"", ""},
      {"i", "i"},
      {"i I f F r r.move", "i I f F r r.move"},
      {"i* I* f* F* r* regs", "i* I* f* F* r* regs"},
      {"imm.i32 imm.i64 imm.f32 imm.f64 string",
       "imm.i32 imm.i64 imm.f32 imm.f64 string"},
      {"global.i32 global.i64 global.f32 global.f64 global.ref",
       "global.i32 global.i64 global.f32 global.f64 global.ref"},
      {"rodata type func import segments", "rodata type func import segments"},
      {"block remap cases", "block remap cases"},
      {"j", "?"},
      {"i ii", "i ?"},
      {"reg", "?"},
      {"i  i", "i ? i"},
      {"i i i i i i", "i i i i i i"},
      {"i i i i i i i", "too many"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Show(ParseOperands(c.text)), c.want) << c.text;
  }
}

TEST(Operand, Sizes) {
  EXPECT_EQ(FixedSize(OperandKind::kF64), 2u);
  EXPECT_EQ(FixedSize(OperandKind::kImmF64), 8u);
  EXPECT_EQ(FixedSize(OperandKind::kBlock), 4u);
  EXPECT_EQ(FixedSize(OperandKind::kRemap), 0u);
  EXPECT_EQ(AlignToList(6), 6u);
  EXPECT_EQ(AlignToList(7), 8u);
  EXPECT_TRUE(IsAlignedList(OperandKind::kSegments));
  EXPECT_FALSE(IsAlignedList(OperandKind::kCases));
  EXPECT_TRUE(IsRefRegister(0xC003));
  EXPECT_TRUE(IsMove(0xC003));
  EXPECT_EQ(RefIndex(0xC003), 3);
}

TEST(Opcode, FindsByCodeAndText) {
  const OpInfo* add = FindOp(OpSet::kCore, 0x22);
  ASSERT_NE(add, nullptr);
  EXPECT_STREQ(add->text, "add.i32");
  EXPECT_EQ(add->op, Op::kAddI32);
  EXPECT_EQ(Show(add->reads), "i i");
  EXPECT_EQ(Show(add->writes), "i");
  EXPECT_EQ(&InfoOf(Op::kAddI32), add);
  EXPECT_STREQ(FindOp(OpSet::kF32, 0x0F)->text, "fma.f32");
  EXPECT_STREQ(FindOp(OpSet::kF64, 0x3F)->text, "round.f64.even");
  EXPECT_EQ(FindOp(OpSet::kCore, 0x89), nullptr);
  EXPECT_EQ(FindOp(OpSet::kCore, kPrefixF32), nullptr);
  EXPECT_EQ(FindOp(OpSet::kF64, 0x40), nullptr);
  EXPECT_EQ(FindOp("no.such"), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
  EXPECT_STREQ(OpSetName(OpSet::kF32), "f32");
}

// The operands and results of each row of opcodes.def.
constexpr const char* kOperandTexts[][2] = {
#define OP(set, code, name, text, operands, results, ...) {operands, results},
#include "vm/isa/opcodes.def"
#undef OP
};

TEST(Opcode, EveryRowIsFoundByItsText) {
  std::set<std::string> texts;
  for (const OpInfo& info : kOps) {
    EXPECT_TRUE(texts.insert(info.text).second) << info.text;
    EXPECT_EQ(FindOp(absl::string_view(info.text)), &info) << info.text;
    EXPECT_EQ(FindOp(info.set, info.code), &info) << info.text;
    EXPECT_EQ(Show(info.reads), kOperandTexts[RowOf(info)][0]) << info.text;
    EXPECT_EQ(Show(info.writes), kOperandTexts[RowOf(info)][1]) << info.text;
  }
  EXPECT_EQ(kOpCount, 137u + 62u + 64u);
}

TEST(Opcode, Terminators) {
  std::string found;
  for (const OpInfo& info : kOps) {
    if (IsTerminator(info.op)) absl::StrAppend(&found, info.text, " ");
  }
  EXPECT_EQ(found,
            "br cond_br return fail yield cond_break break br_table "
            "call.yieldable call.variadic.yieldable ");
}

TEST(Version, Finds) {
  struct Case {
    uint32_t packed;
    const char* want;
  };
  const Case kCases[] = {
      {13u << 16, "20230209 to 20230228"},
      {15u << 16, "20230404 to 3.9"},
      {16u << 16, "3.10"},
      {17u << 16, "3.11 to 3.13"},
      {14u << 16,
       "UNIMPLEMENTED: The module's bytecode version is 14.0; known are 13.0 "
       "(20230209 to 20230228), 15.0 (20230404 to 3.9), 16.0 (3.10), 17.0 "
       "(3.11 to 3.13)."},
      {(17u << 16) + 1,
       "UNIMPLEMENTED: The module's bytecode version is 17.1; known are 13.0 "
       "(20230209 to 20230228), 15.0 (20230404 to 3.9), 16.0 (3.10), 17.0 "
       "(3.11 to 3.13)."},
      {0xFFFFFFFF,
       "UNIMPLEMENTED: The module's bytecode version is 65535.65535; known "
       "are 13.0 (20230209 to 20230228), 15.0 (20230404 to 3.9), 16.0 (3.10), "
       "17.0 (3.11 to 3.13)."},
  };
  for (const Case& c : kCases) {
    auto found = FindBytecodeVersion(c.packed);
    EXPECT_EQ(
        found.ok() ? (*found)->releases.ToString() : found.status().ToString(),
        c.want);
  }
  EXPECT_EQ(FindWritableVersion(13u << 16).status().ToString(),
            "UNIMPLEMENTED: Modules with bytecode 13 can be read but not "
            "written; write 15 or later.");
  EXPECT_TRUE(FindWritableVersion(15u << 16).ok());
  EXPECT_EQ(WritableReleases().ToString(), "20230404 to 3.13");
  EXPECT_EQ(MajorOfRelease(ReleaseOf("20230228")), 13);
  EXPECT_EQ(MajorOfRelease(ReleaseOf("3.1")), 15);
  EXPECT_EQ(MajorOfRelease(ReleaseOf("3.9")), 15);
  EXPECT_EQ(MajorOfRelease(ReleaseOf("3.10")), 16);
  EXPECT_EQ(MajorOfRelease(ReleaseOf("3.11")), 17);
  EXPECT_EQ(FeaturesToString(0), "none");
  EXPECT_EQ(FeaturesToString(0xF), "EXT_F32 | EXT_F64 | YIELD | UNWIND");
  EXPECT_EQ(FeaturesToString(0x12), "EXT_F64 | 0x10");
}

}  // namespace
}  // namespace eyrie::vm
