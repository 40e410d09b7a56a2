// Tests of parsing and printing calling conventions.
#include "vm/isa/callconv.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

// Returns the canonical text and the argument registers, or the error.
std::string Parse(absl::string_view text) {
  auto parsed = CallingConvention::Parse(text);
  if (!parsed.ok()) return parsed.status().ToString();
  RegisterCounts registers = parsed->argument_registers();
  return absl::StrCat(parsed->ToString(), " ", registers.i32, "/",
                      registers.ref, parsed->is_variadic() ? " variadic" : "");
}

TEST(CallingConvention, Parses) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case kCases[] = {
      {"", "0v_v 0/0"},
      {"0", "0v_v 0/0"},
      {"0v", "0v_v 0/0"},
      {"0_", "0v_v 0/0"},
      {"0v_v", "0v_v 0/0"},
      {"0ri", "0ri_v 1/1"},
      {"0_ir", "0v_ir 0/0"},
      {"0rIi_r", "0rIi_r 3/1"},
      {"0iIfFr_iIfFr", "0iIfFr_iIfFr 8/1"},  // i _ II f _ FF
      {"0iI_v", "0iI_v 4/0"},  // the pair must start at an even register
      {"0iCiD_rr", "0iCiD_rr 0/0 variadic"},
      {"0rIrrrICrIID_v", "0rIrrrICrIID_v 0/0 variadic"},
      {"0CrDCiD", "0CrDCiD_v 0/0 variadic"},
      {"1v_v",
       "UNIMPLEMENTED: The calling convention \"1v_v\" has version '1'; known "
       "is '0'."},
      {"0x",
       "INVALID_ARGUMENT: 'x' at 1 of the calling convention \"0x\" is not a "
       "type."},
      {"0iv",
       "INVALID_ARGUMENT: 'v' at 2 of the calling convention \"0iv\" (nothing) "
       "must be alone."},
      {"0_CiD",
       "INVALID_ARGUMENT: 'C' at 2 of the calling convention \"0_CiD\" opens a "
       "span of results."},
      {"0CCiDD",
       "INVALID_ARGUMENT: 'C' at 2 of the calling convention \"0CCiDD\" opens "
       "a span within a span."},
      {"0Ci",
       "INVALID_ARGUMENT: 'C' at 1 of the calling convention \"0Ci\" opens a "
       "span that does not end."},
      {"0iD",
       "INVALID_ARGUMENT: 'D' at 2 of the calling convention \"0iD\" closes a "
       "span that is not open."},
      {"0CD",
       "INVALID_ARGUMENT: 'D' at 2 of the calling convention \"0CD\" closes an "
       "empty span."},
      {"0CvD",
       "INVALID_ARGUMENT: 'v' at 2 of the calling convention \"0CvD\" "
       "(nothing) must be alone."},
      {"0i_i_i",
       "INVALID_ARGUMENT: '_' at 4 of the calling convention \"0i_i_i\" is not "
       "a type."},
  };
  for (const Case& c : kCases) EXPECT_EQ(Parse(c.text), c.want) << c.text;
}

TEST(CallingConvention, Compares) {
  auto parse = [](const char* text) { return *CallingConvention::Parse(text); };
  EXPECT_EQ(parse("0v_v"), parse(""));
  EXPECT_EQ(parse("0i"), parse("0i_v"));
  EXPECT_FALSE(parse("0ii_v") == parse("0CiiD_v"));
  EXPECT_FALSE(parse("0CiDCiD_v") == parse("0CiiD_v"));
  EXPECT_FALSE(parse("0i_v") == parse("0_i"));
}

TEST(CallingConvention, GivesTypes) {
  CallingConvention parsed = *CallingConvention::Parse("0rCiID_rF");
  ASSERT_EQ(parsed.arguments().size(), 2u);
  EXPECT_FALSE(parsed.arguments()[0].variadic);
  EXPECT_EQ(parsed.arguments()[0].type(), ValueType::kRef);
  EXPECT_TRUE(parsed.arguments()[1].variadic);
  EXPECT_EQ(parsed.arguments()[1].types.size(), 2u);
  EXPECT_TRUE(parsed.argument_types().empty());
  ASSERT_EQ(parsed.result_types().size(), 2u);
  EXPECT_EQ(parsed.result_types()[1], ValueType::kF64);
}

TEST(RegisterCounts, FillsBanksInOrder) {
  RegisterCounts counts;
  EXPECT_EQ(counts.Add(ValueType::kI32), 0u);
  EXPECT_EQ(counts.Add(ValueType::kI64), 2u);
  EXPECT_EQ(counts.Add(ValueType::kRef), 0u);
  EXPECT_EQ(counts.Add(ValueType::kF32), 4u);
  EXPECT_EQ(counts.Add(ValueType::kF64), 6u);
  EXPECT_EQ(counts.Add(ValueType::kRef), 1u);
  EXPECT_EQ(counts.i32, 8u);
  EXPECT_EQ(counts.ref, 2u);
}

TEST(RegisterCounts, MayFillTheGapBelowAPair) {
  RegisterCounts counts;
  const auto add = [&](ValueType type) {
    return counts.Add(type, ArgumentLayout::kFillsGaps);
  };
  EXPECT_EQ(add(ValueType::kI32), 0u);
  EXPECT_EQ(add(ValueType::kI64), 2u);
  EXPECT_EQ(add(ValueType::kF64), 4u);
  EXPECT_EQ(add(ValueType::kF32), 1u);
  EXPECT_EQ(add(ValueType::kI32), 6u);
  EXPECT_EQ(counts.i32, 7u);
}

TEST(CallingConvention, KnowsWhetherTheLayoutsDiffer) {
  const struct {
    const char* text;
    bool differs;
  } kRows[] = {
      {"0v_v", false},     {"0iI_v", false},   {"0iIi_v", true},
      {"0iiIi_v", false},  {"0rIri_v", false}, {"0fFrFf_v", true},
      {"0iCIiD_v", false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(CallingConvention::Parse(row.text)->leaves_gaps(), row.differs)
        << row.text;
  }
}

}  // namespace
}  // namespace eyrie::vm
