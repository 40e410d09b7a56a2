// Texts from files, and how they are printed.
#include "base/plain_text.h"

#include <string>
#include <vector>

#include "base/counted.h"
#include "base/name_list.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

struct Row {
  std::string text;
  size_t most;
  const char* want;
};

const Row kRows[] = {
    {"", 8, ""},
    {"plain", 5, "plain"},
    {"plain", 4, "plai..."},
    {"\x1B[31mred", 80, "?[31mred"},
    {std::string("a\0b\nc\td\x7F", 8), 80, "a?b?c?d?"},
    {"\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80", 80,
     "\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80"},
    {"\xC3\xA9", 1, "..."},
    {"\xC2\x9B"
     "31m\xC2\xA0",
     80, "?31m\xC2\xA0"},  // CSI as one character
    {"a\xE2\x80\xAE"
     "b\xE2\x81\xA6"
     "c\xD8\x9C"
     "d\xE2\x80\xA8",
     80, "a?b?c?d?"},  // direction and lines
    {"a\xE2\x80\x8B"
     "b\xEF\xBB\xBF"
     "c\xF3\xA0\x80\x81"
     "d\xC2\xAD",
     80, "a?b?c?d?"},                                              // invisible
    {"\xE2\x80\x8C\xE2\x80\x8D", 80, "\xE2\x80\x8C\xE2\x80\x8D"},  // joiners
    {"\xE2\x80\x93\xE2\x81\x84\xD8\xA8", 80,
     "\xE2\x80\x93\xE2\x81\x84\xD8\xA8"},
    {"\xFF\xC3*\xE2\x82", 80, "??*??"},
    {"\xC0\x80\xED\xA0\x80\xF5", 80, "??????"},
};

TEST(PlainText, ReplacesWhatATerminalObeys) {
  for (const Row& row : kRows) {
    EXPECT_EQ(PlainText(row.text, row.most), row.want) << row.text;
    EXPECT_EQ(IsPlainText(row.text),
              PlainText(row.text, row.text.size()) == row.text)
        << row.text;
  }
}

TEST(PlainText, EscapesNames) {
  const struct {
    std::string name;
    const char* want;
  } kNames[] = {
      {"", ""},
      {"a\"\\b\x1B[1m\x7F", "a\\\"\\\\b\\x1b[1m\\x7f"},
      {std::string("a\0b\n", 4), "a\\x00\\x62\\n"},
      {"\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80"},
      {"\xC3\xA9\xC2\x9B"
       "1m\xE6\xBC\xA2",
       "\xC3\xA9\\xc2\\x9b\\x31m\xE6\xBC\xA2"},
      {"a\xE2\x80\xAE"
       "g",
       "a\\xe2\\x80\\xaeg"},
      {"\xFF\xC3*", "\\xff\\xc3*"},
  };
  for (const auto& row : kNames) {
    EXPECT_EQ(EscapedName(row.name), row.want) << row.name;
    EXPECT_TRUE(IsPlainText(EscapedName(row.name))) << row.name;
  }
}

TEST(PlainText, LinesOfMessages) {
  const struct {
    std::string text;
    size_t most;
    const char* want;
  } kLines[] = {
      {"", 8, ""},
      {"one\ntwo", 80, "one\n  two"},
      {"\n one\r\n\n \ntwo \x1B[1m\n", 80, " one\n  two ?[1m"},
      {"one\ntwo", 5, "one\n  t..."},
      {"one\n\xC3\xA9", 5, "one..."},
      {"\n\n", 8, ""},
  };
  for (const auto& row : kLines) {
    const std::string lines = MessageLines(row.text, row.most);
    EXPECT_EQ(lines, row.want) << row.text;
    EXPECT_EQ(PlainLines(lines, 80), lines);
  }
  EXPECT_EQ(PlainLines("a\nb\n  c\rd\n  ", 2), "a?...\n  ...\n  ");
}

TEST(PlainText, EscapesInJson) {
  const struct {
    const char* json;
    const char* want;
  } kJson[] = {
      {"{\n  \"a\": \"\\u001b\"\n}", "{\n  \"a\": \"\\u001b\"\n}"},
      {"\"\x7F\xC2\x9B\xD8\x9C\"", "\"\\u007f\\u009b\\u061c\""},
      {"\"\xE2\x80\xA8\xE2\x80\xAE\xE2\x81\xA9\"", "\"\\u2028\\u202e\\u2069\""},
      {"\"\xF3\xA0\x80\x81\xEF\xBB\xBF\"", "\"\\udb40\\udc01\\ufeff\""},
      {"\"\xC3\xA9\xF0\x9F\x98\x80\"", "\"\xC3\xA9\xF0\x9F\x98\x80\""},
      {"\"\xFF\"", "\"\xFF\""},
  };
  for (const auto& row : kJson) {
    EXPECT_EQ(EscapeJsonControls(row.json), row.want);
  }
}

TEST(PlainText, MeasuresSequences) {
  const struct {
    const char* text;
    size_t want;
  } kSequences[] = {
      {"", 0},
      {"a", 1},
      {"\x7F", 1},
      {"\x80", 0},
      {"\xC1\xBF", 0},
      {"\xC2\x80", 2},
      {"\xE0\x9F\xBF", 0},
      {"\xE0\xA0\x80", 3},
      {"\xED\x9F\xBF", 3},
      {"\xED\xA0\x80", 0},
      {"\xF0\x8F\xBF\xBF", 0},
      {"\xF0\x90\x80\x80", 4},
      {"\xF4\x8F\xBF\xBF", 4},
      {"\xF4\x90\x80\x80", 0},
      {"\xF0\x90\x80", 0},
  };
  for (const auto& row : kSequences) {
    EXPECT_EQ(Utf8Length(row.text), row.want);
  }
}

TEST(NameList, IsBounded) {
  const struct {
    std::vector<std::string> names;
    std::string want;
  } kRows[] = {
      {{}, ""},
      {{"a"}, "'a'"},
      {{"a", "b\n"}, "'a', 'b?'"},
      {{std::string(1000, 'x')}, "'" + std::string(200, 'x') + "...'"},
  };
  for (const auto& row : kRows) EXPECT_EQ(QuotedNames(row.names), row.want);
  const std::vector<std::string> many(100000, std::string(1000, 'x'));
  const std::string text = QuotedNames(many);
  EXPECT_LT(text.size(), 20 * 220u);
  EXPECT_EQ(text.substr(text.size() - 15), " and 99980 more");
}

TEST(Counted, HasAPluralOfAllButOne) {
  EXPECT_EQ(Counted(0, "test"), "0 tests");
  EXPECT_EQ(Counted(1, "test"), "1 test");
  EXPECT_EQ(Counted(2, "test suite"), "2 test suites");
}

}  // namespace
}  // namespace eyrie
