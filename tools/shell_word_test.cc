// Tests of the quotes of words for sh.
#include "tools/shell_word.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

TEST(ShellWord, QuotesWhatTheShellWouldChange) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case kCases[] = {
      {"model.onnx", "model.onnx"},
      {"--a=b,c:d@e/f%g+h", "--a=b,c:d@e/f%g+h"},
      {"", "''"},
      {"my model.onnx", "'my model.onnx'"},
      {"a'b", "'a'\\''b'"},
      {"$HOME;`x`", "'$HOME;`x`'"},
      {"~", "'~'"},
      {"f(a)", "'f(a)'"},
      {"a\nb", "'a\nb'"},
      {"ä", "'ä'"},
  };
  for (const Case& c : kCases) EXPECT_EQ(ShellWord(c.text), c.want);
}

TEST(ShellWord, PathsAreNotFlags) {
  EXPECT_EQ(PathArgument("m.onnx"), "m.onnx");
  EXPECT_EQ(PathArgument("-m.onnx"), "./-m.onnx");
  EXPECT_EQ(PathArgument("-a/m.onnx"), "./-a/m.onnx");
}

TEST(ShellWord, JoinsWords) {
  EXPECT_EQ(ShellLine(std::vector<std::string>{"a", "b c", ""}), "a 'b c' ''");
}

}  // namespace
}  // namespace eyrie::tools
