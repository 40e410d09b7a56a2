// Reads and writes the parts of a line of assembly.
#include "vm/asm/cursor.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

// Returns the result of a read as text, or its error message.
template <typename T>
std::string Text(const absl::StatusOr<T>& got) {
  if (got.ok()) return absl::StrCat(*got);
  const std::string message(got.status().message());
  const size_t begin = message.find(": ") + 2;
  return message.substr(begin, message.find('\n') - begin);
}

TextCursor Over(const SourceLine& line) {
  return TextCursor(line, 0, line.text.size());
}

struct NumberRow {
  const char* text;
  int bits;
  const char* want;
};

constexpr NumberRow kIntegers[] = {
    {"0", 32, "0"},
    {" 12,", 32, "12"},
    {"-1", 32, "4294967295"},
    {"-2147483648", 32, "2147483648"},
    {"4294967295", 32, "4294967295"},
    {"0xFf", 32, "255"},
    {"-0x80", 8, "128"},
    {"255", 8, "255"},
    {"-9223372036854775808", 64, "9223372036854775808"},
    {"18446744073709551615", 64, "18446744073709551615"},
    {"4294967296", 32, "The number 4294967296 exceeds 32 bits."},
    {"-2147483649", 32, "The number -2147483649 exceeds 32 bits."},
    {"256", 8, "The number 256 exceeds 8 bits."},
    {"18446744073709551616", 64,
     "The number 18446744073709551616 exceeds 64 bits."},
    {"0x", 32, "Expected an integer of 32 bits."},
    {"", 32, "Expected an integer of 32 bits."},
    {"12x", 32, "Expected an integer of 32 bits."},
    // As C reads numbers, and so upstream.
    {"+5", 32, "5"},
    {"010", 32, "8"},
    {"-0017", 32, "4294967281"},
    {"08", 32, "Expected an integer of 32 bits."},
    {"07777777777777777777777", 64,
     "The number 07777777777777777777777 exceeds 64 bits."},
    {"+-1", 32, "Expected an integer of 32 bits."},
    {"--1", 32, "Expected an integer of 32 bits."},
};

TEST(TextCursor, ReadsIntegers) {
  for (const NumberRow& row : kIntegers) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(Text(in.TakeInteger(row.bits)), row.want) << row.text;
  }
}

TEST(TextCursor, ReadsCounts) {
  constexpr NumberRow kRows[] = {
      {"7]", 32, "7"},
      {"0x1F,", 32, "31"},
      {"15.0", 32, "15"},
      {"010", 32, "8"},
      {"4294967296", 32, "The number 4294967296 for a count exceeds 32 bits."},
      {"99999999999999999999", 32,
       "The number 99999999999999999999 for a count exceeds 32 bits."},
      {"-1", 32, "Expected a count."},
      {"1x", 32, "Expected a count."},
      {"", 32, "Expected a count."},
  };
  for (const NumberRow& row : kRows) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(Text(in.TakeU32("a count")), row.want) << row.text;
  }
}

TEST(TextCursor, FindsTheEndOfAList) {
  const struct {
    const char* text;
    bool next;
    const char* rest;
  } kRows[] = {
      {", %i1", true, "%i1"}, {",", false, ""},      {"", false, ""},
      {" , )", false, ")"},   {",]", false, "]"},    {", }", false, "}"},
      {") x", false, ") x"},  {"%i1", false, "%i1"},
  };
  for (const auto& row : kRows) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(in.AcceptNext(), row.next) << row.text;
    EXPECT_EQ(in.TakeRest(), row.rest) << row.text;
  }
}

struct FloatRow {
  const char* text;
  int bits;
  uint64_t want;
};

constexpr FloatRow kFloats[] = {
    {"1", 32, 0x3F800000},
    {"-0", 32, 0x80000000},
    {"1.5e2,", 32, 0x43160000},
    {"0x1.8p1", 32, 0x40400000},
    {"1e-45", 32, 1},
    {"1e-60", 32, 0},
    {"inf", 32, 0x7F800000},
    {"-inf", 64, 0xFFF0000000000000},
    {"nan", 32, 0x7FC00000},
    {"-nan", 64, 0xFFF8000000000000},
    {"nan(0x12345)", 32, 0x7FC12345},
    {"snan(0x1)", 32, 0x7F800001},
    {"-snan(0x7)", 64, 0xFFF0000000000007},
    {"0.1", 64, 0x3FB999999999999A},
    {"5e-324", 64, 1},
    {"+1", 32, 0x3F800000},
    {"nan()", 32, 0x7FC00000},
};

TEST(TextCursor, ReadsFloats) {
  for (const FloatRow& row : kFloats) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(Text(in.TakeFloat(row.bits)), absl::StrCat(row.want)) << row.text;
    const std::string written = FloatText(row.want, row.bits);
    const SourceLine again = {"t", 1, written};
    TextCursor back = Over(again);
    EXPECT_EQ(Text(back.TakeFloat(row.bits)), absl::StrCat(row.want))
        << written;
  }
}

constexpr NumberRow kNoFloats[] = {
    {"", 32, "Expected an f32."},
    {"x", 64, "Expected an f64."},
    {"1.5x", 32, "Expected an f32."},
    {"--1", 32, "Expected an f32."},
    {"+-1", 32, "Expected an f32."},
    {"1e39", 32, "The number exceeds f32."},
    {"-1e400", 64, "The number exceeds f64."},
    {"nan(0x400000)", 32, "Expected a NaN's payload, as in nan(0x1)."},
    {"nan(", 32, "Expected a NaN's payload, as in nan(0x1)."},
    {"snan", 32, "The payload of snan is not zero."},
};

TEST(TextCursor, RefusesWhatIsNotAFloat) {
  for (const NumberRow& row : kNoFloats) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(Text(in.TakeFloat(row.bits)), row.want) << row.text;
  }
}

struct QuotedRow {
  const char* text;
  const char* want;
};

constexpr QuotedRow kQuoted[] = {
    {R"("plain")", "plain"},
    {R"("back\slash")", R"(back\slash)"},
    {R"(e"a\"b\\c\n\t\r\x41")", "a\"b\\c\n\t\rA"},
    {R"("")", ""},
    {"open", "Expected text in quotes."},
    {R"("open)", "The text's closing quote is missing."},
    {R"(e"open\")", "The text's closing quote is missing."},
    {R"(e"\q")", R"(Unknown escape; expected one of \" \\ \n \r \t \xHH.)"},
    {R"(e"\x4")", R"(Unknown escape; expected one of \" \\ \n \r \t \xHH.)"},
};

TEST(TextCursor, ReadsQuotedText) {
  for (const QuotedRow& row : kQuoted) {
    const SourceLine line = {"t", 1, row.text};
    TextCursor in = Over(line);
    EXPECT_EQ(Text(in.TakeQuoted()), row.want) << row.text;
  }
}

TEST(TextCursor, ReadsWhatIsWritten) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  for (const std::string& text :
       {std::string("name"), std::string("a b"), std::string(), every,
        std::string("quo\"te"), std::string("!vm.list<!vm.list<i8>>"),
        std::string("a#b"), std::string("a // b"), std::string(" a"),
        std::string("<\"a\">"), std::string("e\""), std::string("!a<"),
        std::string("!a<b<c>"), std::string("!a>"), std::string("!a<>>"),
        std::string("!a<b>c"), std::string("<")}) {
    const std::string lines[] = {QuoteText(text), SymbolText(text),
                                 TypeText(text)};
    for (const std::string& written : lines) {
      const SourceLine line = {"t", 1, written};
      const LineParts parts = SplitLine(line.text);
      TextCursor in(line, 0, parts.code_end);
      EXPECT_EQ(Text(written[0] == '@'       ? in.TakeSymbol()
                     : &written == &lines[0] ? in.TakeQuoted()
                                             : in.TakeType()),
                text)
          << written;
      EXPECT_TRUE(in.AtEnd()) << written;
    }
  }
}

struct SplitRow {
  const char* text;
  const char* code;
  const char* note;
};

constexpr SplitRow kSplits[] = {
    {"vm.return", "vm.return", ""},
    {"vm.return  // why", "vm.return  ", ""},
    {"vm.return  # why", "vm.return  ", ""},
    {"vm.fail %i0, \"a // b # c\"  // d", "vm.fail %i0, \"a // b # c\"  ", ""},
    {"x //! loc[1]  // a:1", "x ", " loc[1]  "},
    {"//! attr \"a//b\" = \"#\"", "", " attr \"a//b\" = \"#\""},
    {"e\"\\\" // in\" // out", "e\"\\\" // in\" ", ""},
    {"\"open // to the end", "\"open // to the end", ""},
    {"// a //! b", "", ""},
};

TEST(TextCursor, SplitsCommentsOff) {
  for (const SplitRow& row : kSplits) {
    const absl::string_view text = row.text;
    const LineParts parts = SplitLine(text);
    EXPECT_EQ(text.substr(0, parts.code_end), row.code) << text;
    const absl::string_view note =
        parts.note_begin == absl::string_view::npos
            ? ""
            : text.substr(parts.note_begin, parts.note_end - parts.note_begin);
    EXPECT_EQ(note, row.note) << text;
  }
}

TEST(TextCursor, ErrorsShowTheirPlace) {
  const SourceLine line = {"a.vmasm", 7, "\tvm.fail  %i0"};
  EXPECT_EQ(line.Error(10, "Wrong.").message(),
            "a.vmasm:7:11: Wrong.\n"
            "   vm.fail  %i0\n"
            "            ^");
  // The caret is below the character, however many bytes precede it.
  const SourceLine wide = {"a", 1, "\"\xC3\xA9\" x"};
  EXPECT_EQ(wide.Error(5, "Wrong.").message(),
            "a:1:5: Wrong.\n"
            "  \"\xC3\xA9\" x\n"
            "      ^");
  const std::string hex(100000, 'A');
  const SourceLine long_line = {"a", 1, hex};
  EXPECT_LT(long_line.Error(70000, "Wrong.").message().size(), 300u);
  EXPECT_LT(long_line.Error(1 << 20, "Wrong.").message().size(), 300u);
}

}  // namespace
}  // namespace eyrie::vm
